/* SPDX-License-Identifier: MIT */
/*
 * Three threads work for 0.1, 0.2 and 0.3 s of CPU time and then sleep; the first one works for 0.05 s and ends the
 * process at once, in the way that is asked for: exit, _exit, abort, exec; or waits to be killed. Prints, for each, its
 * number and its CPU time in ns, right before that.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3

static struct worker {
	pthread_t thread;
	pid_t tid;
	uint64_t ns;
} workers[THREADS];

static pthread_barrier_t done;

static uint64_t used(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void use(uint64_t ns)
{
	while (used(CLOCK_THREAD_CPUTIME_ID) < ns)
		;
}

static void *work(void *data)
{
	struct worker *w = data;

	w->tid = gettid();
	use(w->ns);
	pthread_barrier_wait(&done);
	while (pause())
		;
	return NULL;
}

static void print(pid_t tid, pthread_t thread)
{
	clockid_t clock;

	pthread_getcpuclockid(thread, &clock);
	printf("%d %llu\n", (int)tid, (unsigned long long)used(clock));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";

	pthread_barrier_init(&done, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		workers[i].ns = (uint64_t)(i + 1) * 100000000;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	pthread_barrier_wait(&done);
	use(used(CLOCK_THREAD_CPUTIME_ID) + 50000000);
	for (int i = 0; i < THREADS; i++)
		print(workers[i].tid, workers[i].thread);
	print(getpid(), pthread_self());
	fflush(stdout);
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "abort") == 0)
		abort();
	while (strcmp(how, "wait") == 0)
		pause();
	if (strcmp(how, "exec") == 0)
		execlp("true", "true", (char *)NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * write where little is allowed: in a signal handler that interrupts malloc, in a vfork's child, in a thread that
 * is cancelled while it waits, with errors, in many threads at once. It says
 * what came of it on standard error; standard output gets lines with epochs.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static volatile sig_atomic_t ticks;

static void put(const char *line)
{
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		abort();
}

static void on_alarm(int signal)
{
	(void)signal;
	errno = ECHILD;
	put(++ticks % 2 ? "epoch 1\n" : "epoch 2\n");
	if (errno != ECHILD)
		abort();
}

static void in_handler(void)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	/* One in many is large enough for an event: a busy machine could not read all. */
	for (unsigned i = 0; ticks < 200; i++) {
		void *volatile block = malloc(i % 64 ? 1000 : 100000);

		free(block);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	fprintf(stderr, "handler\n");
}

static void in_vfork(void)
{
	int status;
	pid_t child = vfork();

	if (!child) {
		put("epoch 100\n");
		_exit(3);
	}
	waitpid(child, &status, 0);
	put("epoch 4\n");
	fprintf(stderr, "vfork %d\n", WEXITSTATUS(status));
}

/* Standard output is a pipe that nobody reads. */
static void *wait_for_ever(void *unused)
{
	static const char line[4096] = "epoch 5\n";

	for (;;)
		if (write(STDOUT_FILENO, line, sizeof(line)) < 0)
			return unused;
}

static void cancelled(void)
{
	int ends[2], there = 0, out = dup(STDOUT_FILENO);
	pthread_t thread;
	void *result;

	if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0)
		abort();
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	/* Until the pipe is full. */
	while (ioctl(ends[0], FIONREAD, &there) == 0 && there < fcntl(ends[0], F_GETPIPE_SZ))
		sched_yield();
	pthread_cancel(thread);
	pthread_join(thread, &result);
	dup2(out, STDOUT_FILENO);
	close(out);
	fprintf(stderr, "cancelled %d\n", result == PTHREAD_CANCELED);
}

static void *write_often(void *number)
{
	char line[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(line, sizeof(line), "epoch %d\n", 10 + (i + *(int *)number) % 3);
		put(line);
	}
	return NULL;
}

static void in_threads(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];

	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, write_often, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "threads\n");
}

static void with_errors(void)
{
	void *volatile nowhere = (void *)1;
	ssize_t bad, closed;

	errno = 0;
	bad = write(STDOUT_FILENO, nowhere, 10);
	fprintf(stderr, "fault %zd %d\n", bad, errno == EFAULT || errno == 0);
	close(STDOUT_FILENO);
	errno = 0;
	closed = write(STDOUT_FILENO, "epoch 6\n", 8);
	fprintf(stderr, "closed %zd %d\n", closed, errno == EBADF);
}

int main(void)
{
	in_handler();
	in_vfork();
	cancelled();
	in_threads();
	with_errors();
	return 0;
}

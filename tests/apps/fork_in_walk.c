/* build: -rdynamic -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * Forks while another thread goes over the loaded libraries, as one that throws a C++ exception does: in the
 * child nobody opens the loader's lock again. fork_in_walk: prints how each child ended, "hangs" after 20 s.
 */
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int cudaGetDevice(int *device);

static sem_t inside, leave;

/* A library's function that was called before the fork, too. */
static int call(void)
{
	int device = 0;

	return cudaGetDevice(&device);
}

static int stay(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	sem_post(&inside);
	while (sem_wait(&leave))
		;
	return 1;
}

static void *walk(void *data)
{
	dl_iterate_phdr(stay, NULL);
	return data;
}

static void end(const char *way)
{
	if (strcmp(way, "_exit") == 0)
		_exit(7);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(8);
	if (strcmp(way, "execl") == 0)
		execl("/bin/true", "true", NULL);
	if (strcmp(way, "call") == 0)
		_exit(call());
	if (strcmp(way, "no program") == 0)
		execl("/nonexistent", "nonexistent", NULL);
	exit(9);
}

static void wait_for(pid_t child, const char *way)
{
	int status;

	for (int i = 0; i < 2000; i++, usleep(10000))
		if (waitpid(child, &status, WNOHANG) == child) {
			printf("%s: %x\n", way, (unsigned)status);
			return;
		}
	printf("%s: hangs\n", way);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

int main(void)
{
	static const char *const ways[] = { "_exit", "quick_exit", "execl", "no program", "call", "exit" };
	pthread_t thread;

	call();
	sem_init(&inside, 0, 0);
	sem_init(&leave, 0, 0);
	pthread_create(&thread, NULL, walk, NULL);
	sem_wait(&inside);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0)
			end(ways[i]);
		wait_for(child, ways[i]);
	}
	sem_post(&leave);
	pthread_join(thread, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Ends with its last thread, or with nothing left to end with: last_thread WAY. Each says "handler" from
 * an exit handler, and "errno 0" first.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 20

static pthread_barrier_t all;

static void say_handler(void)
{
	free(malloc(100000));
	printf("handler\n");
	fflush(stdout);
}

static void *work(void *data)
{
	usleep(20000);
	free(malloc(100000));
	return data;
}

static void *work_together(void *data)
{
	pthread_barrier_wait(&all);
	return data;
}

/* In the child this thread is the last one as soon as it returns. */
static void *work_forked(void *data)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		return data;
	waitpid(child, &status, 0);
	printf("child %x\n", (unsigned)status);
	return data;
}

/* Does not return: main ends, the others go on. */
static void leave(void *(*start)(void *), int threads)
{
	pthread_t thread;

	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, start, NULL))
			exit(99);
	pthread_exit(NULL);
}

static void use_up_descriptors(void)
{
	struct rlimit limit = { 64, 64 };

	setrlimit(RLIMIT_NOFILE, &limit);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
}

static void use_up_memory(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_AS, &limit);
	for (size_t size = 1 << 20; size > 8; size /= 2)
		while (malloc(size))
			;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	pthread_t thread;

	printf("errno %d\n", errno);
	fflush(stdout);
	atexit(say_handler);
	if (strcmp(way, "late") == 0)
		usleep(300000);
	if (strcmp(way, "main") == 0 || strcmp(way, "late") == 0)
		leave(work, 1);
	if (strcmp(way, "together") == 0)
		leave(work_together, THREADS);
	if (strcmp(way, "alone") == 0)
		pthread_exit(NULL);
	if (strcmp(way, "forked") == 0) {
		pthread_create(&thread, NULL, work_forked, NULL);
		pthread_join(thread, NULL);
	}
	if (strcmp(way, "descriptors") == 0)
		use_up_descriptors();
	if (strcmp(way, "memory") == 0)
		use_up_memory();
	if (strcmp(way, "chroot") == 0 && chroot("/proc/self/fdinfo"))
		return 99;
	return 5;
}

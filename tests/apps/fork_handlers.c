/* SPDX-License-Identifier: MIT */
/*
 * What numpy's OpenBLAS does around fork: a handler of its own joins a worker thread, which frees
 * as it ends. fork_handlers [early]: registered before anybody's constructor, else in main.
 * Ends by itself unless whoever handles LTTng at a fork took its locks too soon.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE 200000
#define FORKS 20

static pthread_t worker;
static sem_t quit;
static int running;

static void *work(void *block)
{
	free(malloc(LARGE));
	while (sem_wait(&quit))
		;
	free(block);		/* a large one: an event, if the session is there */
	free(malloc(LARGE));
	return NULL;
}

static void begin(void)
{
	sem_init(&quit, 0, 0);
	running = pthread_create(&worker, NULL, work, malloc(LARGE)) == 0;
}

static void before(void)
{
	if (!running)
		return;
	sem_post(&quit);
	pthread_join(worker, NULL);
	running = 0;
	free(malloc(LARGE));
}

static void after(void)
{
	free(malloc(LARGE));
	begin();
}

/* The first thing in the process that registers handlers: before any constructor of libraries. */
static void early(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "early") == 0)
		pthread_atfork(before, after, after);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **) = early;

int main(int argc, char **argv)
{
	(void)argv;
	if (argc < 2)
		pthread_atfork(before, after, after);
	begin();
	for (int i = 0; i < FORKS; i++) {
		int status = 1;
		pid_t pid = fork();

		if (pid == 0) {
			free(malloc(LARGE));
			_exit(7);
		}
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
			return 1;
	}
	before();
	puts("forked");
	return 0;
}

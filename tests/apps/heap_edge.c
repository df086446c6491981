/* SPDX-License-Identifier: MIT */
/*
 * heap_edge failed    allocations that fail: NULL and ENOMEM as without dltrace
 * heap_edge large     a large block by each function, freed; realloc in all its ways
 * heap_edge stack     threads with the smallest stack allocate large blocks
 * heap_edge tls N     N libraries with thread-local storage (tls1.so ... in this folder) are
 *                     opened; threads that began before use them
 * heap_edge pairs     3 pairs of 1,016 bytes at once, then 4,001 pairs of 1,000 bytes in each of
 *                     three threads, of which one never ends
 * Exit status 1 when a result is not as the C library's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE 100000

static volatile size_t huge = PTRDIFF_MAX;	/* volatile: the compiler is not to know */
static int bad;

static void expect(int holds, const char *what)
{
	if (!holds)
		bad = fprintf(stderr, "not so: %s\n", what) != 0;
}

static void failed(void)
{
	void *p = malloc(10), *q = &q;

	errno = 0;
	expect(malloc(huge) == NULL && errno == ENOMEM, "malloc");
	errno = 0;
	expect(calloc(huge, 16) == NULL && errno == ENOMEM, "calloc");
	errno = 0;
	expect(realloc(p, huge) == NULL && errno == ENOMEM, "realloc");
	errno = 7;
	expect(posix_memalign(&q, 64, huge) == ENOMEM && errno == ENOMEM, "posix_memalign");
	errno = 0;
	expect(aligned_alloc(64, huge) == NULL && errno == ENOMEM, "aligned_alloc");
	errno = 9;
	free(p);
	free(malloc(LARGE));
	expect(errno == 9, "errno after free");
}

static void large(void)
{
	void *p;

	free(malloc(LARGE));
	free(calloc(10, LARGE));
	expect(posix_memalign(&p, 64, LARGE) == 0, "posix_memalign");
	free(p);
	free(aligned_alloc(64, LARGE));
	free(memalign(64, LARGE));
	free(valloc(LARGE));
	free(pvalloc(LARGE));
	p = realloc(NULL, LARGE);
	p = realloc(p, 2 * LARGE);	/* larger */
	p = realloc(p, LARGE);		/* smaller, in place */
	expect(realloc(p, huge) == NULL, "realloc fails");
	p = realloc(p, 100);		/* below the threshold */
	p = realloc(p, LARGE);		/* above it again */
	expect(realloc(p, 0) == NULL, "realloc to nothing");
	free(NULL);
}

static void *use_large(void *unused)
{
	for (int i = 0; i < 20; i++)
		free(malloc(LARGE));
	return unused;
}

static void stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	expect(pthread_attr_setstacksize(&attributes, 16384) == 0, "16 KiB");
	for (int i = 0; i < 20; i++) {
		expect(pthread_create(&thread, &attributes, use_large, NULL) == 0, "thread");
		pthread_join(thread, NULL);
	}
}

static pthread_barrier_t barrier;
static int (*touch[1000])(void);
static int libraries;

static void *use_tls(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < libraries; i++) {
		expect(touch[i]() == 1, "thread-local storage");
		free(malloc(LARGE));
	}
	return unused;
}

static void tls(const char *number)
{
	pthread_t threads[4];
	char path[64];

	libraries = atoi(number);
	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, use_tls, NULL);
	for (int i = 0; i < libraries; i++) {
		void *library;

		snprintf(path, sizeof(path), "./tls%d.so", i + 1);
		library = dlopen(path, RTLD_NOW);
		touch[i] = library ? (int (*)(void))dlsym(library, "touch") : NULL;
		if (!touch[i])
			exit(fprintf(stderr, "%s\n", dlerror()));
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static sem_t done;

static void *pairs(void *lives)
{
	for (int i = 0; i < 4001; i++)
		free(malloc(1000));
	sem_post(&done);
	while (lives)
		pause();
	return NULL;
}

static void three_threads(void)
{
	pthread_t thread[3];

	/* The first thing that the program does: LTTng has only just said what is wanted. */
	for (int i = 0; i < 3; i++)
		free(malloc(1016));
	sem_init(&done, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, pairs, i == 2 ? &done : NULL);
	for (int i = 0; i < 3; i++)
		while (sem_wait(&done))
			;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "failed") == 0)
		failed();
	else if (strcmp(mode, "large") == 0)
		large();
	else if (strcmp(mode, "pairs") == 0)
		three_threads();
	else if (strcmp(mode, "stack") == 0)
		stack();
	else if (strcmp(mode, "tls") == 0 && argc > 2)
		tls(argv[2]);
	else
		return 2;
	return bad;
}

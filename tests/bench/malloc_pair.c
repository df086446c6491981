/* SPDX-License-Identifier: MIT */
/*
 * What one malloc+free pair of 64 bytes costs: malloc_pair lifo|random|threads [millions].
 *
 * Prints nanoseconds a pair, the least of five rounds. lifo: free what was just allocated.
 * random: replace a random one of 4,096 blocks. threads: lifo in two threads at once, each with
 * its own time; the mean is printed.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE 64
#define WINDOW 4096
#define ROUNDS 5

static long pairs = 4000000;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* The compiler must neither drop the pair nor know what is in the block. */
static void use(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static void lifo(void)
{
	for (long i = 0; i < pairs; i++) {
		void *p = malloc(SIZE);

		use(p);
		free(p);
	}
}

static void random_window(void)
{
	static void *window[WINDOW];
	uint32_t x = 2463534242u;

	for (long i = 0; i < pairs; i++) {
		void **p;

		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		p = &window[x % WINDOW];
		free(*p);
		*p = malloc(SIZE);
		use(*p);
	}
}

static double least(void (*work)(void))
{
	double best = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now_ns(), took;

		work();
		took = (now_ns() - begin) / (double)pairs;
		best = took < best ? took : best;
	}
	return best;
}

static void *thread(void *result)
{
	*(double *)result = least(lifo);
	return NULL;
}

static double two_threads(void)
{
	double result[2];
	pthread_t other[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&other[i], NULL, thread, &result[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(other[i], NULL);
	return (result[0] + result[1]) / 2;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "lifo";

	if (argc > 2)
		pairs = (long)(atof(argv[2]) * 1e6);
	if (strcmp(mode, "lifo") == 0)
		printf("%.2f\n", least(lifo));
	else if (strcmp(mode, "random") == 0)
		printf("%.2f\n", least(random_window));
	else if (strcmp(mode, "threads") == 0)
		printf("%.2f\n", two_threads());
	else
		return fprintf(stderr, "malloc_pair: lifo, random or threads, not %s\n", mode), 2;
	return 0;
}

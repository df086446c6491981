/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs -lpthread */
/* SPDX-License-Identifier: MIT */
/*
 * What asking for GPU memory and giving it back costs: ledger_pair [thousands]. The stub's host
 * registration only returns, so nearly all of it is the wrappers' and the ledger's. Prints ns a pair, the
 * least of the rounds: "one" thread, and "two" that do the same at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 9

int cudaHostRegister(void *p, size_t size, unsigned flags);
int cudaHostUnregister(void *p);

static char memory[2][4096];
static long pairs;
static pthread_barrier_t together;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double round_of(char *p)
{
	double begin = now_ns();

	for (long i = 0; i < pairs; i++) {
		cudaHostRegister(p, sizeof(memory[0]), 0);
		cudaHostUnregister(p);
	}
	return (now_ns() - begin) / (double)pairs;
}

static void *rounds(void *p)
{
	static __thread double least;

	least = 1e99;
	for (int i = 0; i < ROUNDS; i++) {
		double each;

		pthread_barrier_wait(&together);
		each = round_of(p);
		least = each < least ? each : least;
	}
	return &least;
}

static double least_of(unsigned threads)
{
	pthread_t other;
	double least;

	pthread_barrier_init(&together, NULL, threads);
	if (threads == 2)
		pthread_create(&other, NULL, rounds, memory[1]);
	least = *(double *)rounds(memory[0]);
	if (threads == 2)
		pthread_join(other, NULL);
	return least;
}

int main(int argc, char **argv)
{
	pairs = (argc > 1 ? atol(argv[1]) : 200) * 1000;
	printf("one %.2f\n", least_of(1));
	printf("two %.2f\n", least_of(2));
	return 0;
}

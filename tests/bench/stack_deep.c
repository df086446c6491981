/* SPDX-License-Identifier: MIT */
/*
 * What a call stack costs: an allocation of 100,000 bytes and its free, so many calls deep, without and with libgcc's
 * backtrace() of it; ns of one, "alloc_20 VALUE" and "backtrace_20 VALUE".
 */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 256

static volatile int sink;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double allocate(int count, int unwinds)
{
	double begin = now();
	void *frames[MOST];

	for (int i = 0; i < count; i++) {
		volatile char *p = malloc(100000);

		sink += *p;
		if (unwinds)
			sink += backtrace(frames, MOST);
		free((void *)p);
	}
	return (now() - begin) / count;
}

static __attribute__((noinline)) double down(int depth, int count, int unwinds)
{
	volatile char room[64];
	double ns = depth ? down(depth - 1, count, unwinds) : allocate(count, unwinds);

	room[0] = 0;
	sink += room[0];
	return ns;
}

int main(int argc, char **argv)
{
	static const int depths[] = { 5, 20, 60 };
	int count = argc > 1 ? atoi(argv[1]) * 1000 : 100000;

	for (int i = 0; i < 3; i++) {
		down(depths[i], 1000, 0);
		printf("alloc_%d %.1f\n", depths[i], down(depths[i], count, 0));
	}
	for (int i = 0; i < 3; i++) {
		down(depths[i], 100, 1);
		printf("backtrace_%d %.1f\n", depths[i], down(depths[i], count / 10, 1));
	}
	return 0;
}

/* build: -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * What a call of the driver costs that is reached as a static runtime reaches it, and what dlsym
 * does for names that are none of CUDA's: driver_call [thousands]. Prints nanoseconds, the least
 * of the rounds. "plain" is the C library's own dlsym in the same process, in turn with the other:
 * from one process to the next it takes anything from 30 to 140 ns. With BARE (driver_bare.c), a
 * bare tracepoint after each call. `memory` is a call of a pair that asks for GPU memory and gives it back.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef BARE
#define BARE(result, i) (void)(result)
#define BARE_MEMORY(result, p, size) (void)(result)
#endif

#define ROUNDS 5
#define ASK_ROUNDS 40

typedef int ask(const char *, void **, int, uint64_t, int *);
typedef int launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		   void *, void **, void **);

typedef int allocate(uint64_t *, size_t);
typedef int release(uint64_t);

static launch *launch_kernel;
static allocate *mem_alloc;
static release *mem_free;
static void *c_library;
static void *(*look_up)(void *, const char *);

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void launches(long calls)
{
	for (long i = 0; i < calls; i++) {
		int result = launch_kernel((void *)launches, 32, 8, 1, 128, 1, 1, 0, NULL, NULL, NULL);

		BARE(result, i);
	}
}

static void pairs(long calls)
{
	for (long i = 0; i < calls; i += 2) {
		uint64_t p = 0;
		int result = mem_alloc(&p, 4096);

		BARE_MEMORY(result, p, 4096);
		result = mem_free(p);
		BARE_MEMORY(result, p, 4096);
	}
}

static double asks(const char *name, long calls)
{
	double begin = now_ns();

	for (long i = 0; i < calls; i++)
		look_up(c_library, name);
	return (now_ns() - begin) / (double)calls;
}

static void measure_calls(const char *what, void (*make)(long), long calls)
{
	double least = 1e99;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_ns(), each;

		make(calls);
		each = (now_ns() - begin) / (double)calls;
		least = each < least ? each : least;
	}
	printf("%s %.2f\n", what, least);
}

static void measure_asks(const char *what, const char *name, long calls)
{
	void *(*plain)(void *, const char *) = dlsym(c_library, "dlsym");
	double least = 1e99, least_plain = 1e99;

	for (int round = 0; round < ASK_ROUNDS; round++) {
		double each;

		look_up = round % 2 ? plain : dlsym;
		each = asks(name, calls / 4);
		if (round % 2)
			least_plain = each < least_plain ? each : least_plain;
		else
			least = each < least ? each : least;
	}
	printf("%s %.2f\n%s_plain %.2f\n", what, least, what, least_plain);
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	ask *get = driver ? (ask *)dlsym(driver, "cuGetProcAddress_v2") : NULL;
	long calls = (argc > 1 ? atol(argv[1]) : 200) * 1000;
	int status;

	if (!get || get("cuLaunchKernel", (void **)&launch_kernel, 12000, 0, &status) != 0 ||
	    get("cuMemAlloc", (void **)&mem_alloc, 12000, 0, &status) != 0 ||
	    get("cuMemFree", (void **)&mem_free, 12000, 0, &status) != 0)
		return 1;
	c_library = dlopen("libc.so.6", RTLD_NOW);
	measure_calls("call", launches, calls);
	measure_calls("memory", pairs, calls / 2);
	measure_asks("dlsym", "qsort", calls);
	measure_asks("dlsym_cu", "cuserid", calls);
	return 0;
}

/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * What one CUDA call on the stub costs: cuda_call [thousands]. Prints nanoseconds a kernel
 * launch, the least of five rounds. With BARE (cuda_bare.c), a bare tracepoint after each launch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda_types.h"

#ifndef BARE
#define BARE(result, i) (void)(result)
#endif

#define ROUNDS 5

int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct dlt_cuda_dim3 grid = { 32, 8, 1 }, block = { 128, 1, 1 };
	long calls = (argc > 1 ? atol(argv[1]) : 200) * 1000;
	double least = 1e99;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_ns(), each;

		for (long i = 0; i < calls; i++) {
			int result = cudaLaunchKernel((void *)now_ns, grid, block, NULL, 0, NULL);

			BARE(result, i);
		}
		each = (now_ns() - begin) / (double)calls;
		least = each < least ? each : least;
	}
	printf("call %.2f\n", least);
	return 0;
}

/* build: -Wno-shadow -Wno-undef -llttng-ust -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * cuda_call with a bare tracepoint after each call, of the same fields as dltrace's event: what
 * recording alone costs. Prints nanoseconds a call, the least of five rounds.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/cuda_bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda_types.h"

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

			lttng_ust_tracepoint(bench_cuda, launch, 1, 2, 3, (uint32_t)i,
					     (int16_t)result, 0, 0, 4, 0);
		}
		each = (now_ns() - begin) / (double)calls;
		least = each < least ? each : least;
	}
	printf("call %.2f\n", least);
	return 0;
}

/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * CUDA calls of every size of event, mixed as in the steps of a training: cuda_mix [STEPS]. A
 * step is 100 calls. Queries of the device, frequent in frameworks and small in traces, are left
 * out: they would make the average look better.
 */
#include <stdint.h>
#include <stdlib.h>

#include "cuda_types.h"

int cudaMalloc(void **p, size_t size);
int cudaFree(void *p);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream);
int cudaMemsetAsync(void *p, int value, size_t size, void *stream);
int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamSynchronize(void *stream);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);

static void *stream, *event;

static void step(void)
{
	const struct dlt_cuda_dim3 grid = { 32, 8, 1 }, block = { 128, 1, 1 };
	char host[8] = "", *p;

	for (int part = 0; part < 2; part++) {
		cudaMalloc((void **)&p, 4096);
		cudaMemsetAsync(p, 0, 8, stream);
		for (int i = 0; i < 40; i++) {
			cudaLaunchKernel((char *)step + i % 10, grid, block, NULL, 0, stream);
			if (i % 8 == 0)
				cudaMemcpyAsync(p, host, 1, 1, stream);
		}
		cudaEventRecord(event, stream);
		cudaStreamSynchronize(stream);
		cudaFree(p);
	}
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 10000;

	cudaStreamCreateWithFlags(&stream, 1);
	cudaEventCreate(&event);
	while (steps-- > 0)
		step();
	return 0;
}

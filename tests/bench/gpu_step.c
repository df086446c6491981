/* build: -Ltests/stubs -l:libcudart.so.13 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * A step of a training that waits for its launches, not for the GPU: gpu_step [THOUSANDS of launches].
 * What one launch of PyTorch 2.11's MobileNetV2 is surrounded by, as counted on an H100: questions for the
 * current device and the last error, blocks of the heap that live for a while, and work on other memory, so
 * that caches are as cold as there. Prints ns a launch.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda_types.h"

#define KERNELS 100
#define BLOCKS 24		/* of the heap, a launch */
#define LIVE 512
#define FOREIGN (4u << 20)	/* bytes that the program works on besides */
#define TOUCHED 600		/* cache lines of that, a launch */

int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaGetDevice(int *device);
int cudaGetLastError(void);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);

static unsigned char foreign[FOREIGN];
static void *live[LIVE], *stream;
static uint32_t state = 1;
static volatile unsigned sum;

static uint32_t any(void)
{
	return state = state * 1664525 + 1013904223;
}

static void work(void)
{
	for (int i = 0; i < TOUCHED; i++)
		sum += foreign[any() % FOREIGN]++;
}

static void blocks(int count)
{
	while (count--) {
		void **block = &live[any() >> 16 & (LIVE - 1)];

		free(*block);
		*block = malloc(16 + (any() >> 20) % 400);
	}
}

static void ask(void)
{
	int device;

	cudaGetDevice(&device);
	blocks(BLOCKS / 6);
	cudaGetDevice(&device);
	blocks(BLOCKS / 6);
	cudaGetDevice(&device);
}

static void step(unsigned kernel)
{
	const struct dlt_cuda_dim3 grid = { 1 + kernel % 7, 8, 1 }, block = { 128, 1, 1 };

	for (int i = 0; i < 3; i++) {
		ask();
		work();
	}
	cudaLaunchKernel((char *)step + kernel, grid, block, NULL, 0, stream);
	cudaGetLastError();
}

int main(int argc, char **argv)
{
	long launches = 1000 * (argc > 1 ? atol(argv[1]) : 100);
	struct timespec begin, end;

	cudaStreamCreateWithFlags(&stream, 1);
	for (long i = 0; i < launches / 10; i++)
		step((unsigned)i % KERNELS);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (long i = 0; i < launches; i++)
		step((unsigned)i % KERNELS);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("launch %.2f\n", (double)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec) /
	       (double)launches);
	return 0;
}

/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * A mix of CUDA calls in THREADS threads, some of which fail: cuda_work [THREADS [ROUNDS [apart]]]
 * (apart: one thread after another).
 * Each round: an allocation (failing where DLTRACE_STUB_MEMORY says so), copies, launches, a
 * host function that makes three calls itself, a synchronisation, a free.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_types.h"

int cudaMalloc(void **p, size_t size);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t size, int direction);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream);
int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamSynchronize(void *stream);
int cudaDeviceSynchronize(void);
int cudaSetDevice(int device);

static int rounds = 20;

static void three_calls(void *data)
{
	(void)data;
	cudaSetDevice(0);
	cudaSetDevice(0);
	cudaSetDevice(0);
}

static void *work(void *data)
{
	const struct dlt_cuda_dim3 one = { 1, 1, 1 };
	struct dlt_cuda_dim3 grid = { 4, 2, 1 };
	void *stream, *p[2];

	cudaStreamCreateWithFlags(&stream, 1);
	for (int i = 0; i < rounds; i++) {
		int failed = cudaMalloc(&p[0], 1000) | cudaMalloc(&p[1], 1u << 30);

		errno = 4242;
		cudaMemcpy(p[0], data, 100, 1);
		cudaMemcpyAsync(p[0], data, 50, 1, stream);
		grid.x = (unsigned)(i % 3 + 1);
		cudaLaunchKernel((void *)work, grid, one, NULL, 0, stream);
		cudaLaunchKernel((void *)three_calls, one, one, NULL, 16, NULL);
		cudaLaunchHostFunc(stream, three_calls, NULL);
		cudaStreamSynchronize(stream);
		cudaFree(p[0]);
		if (!failed)
			cudaFree(p[1]);
		if (errno != 4242)
			abort();
	}
	cudaDeviceSynchronize();
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t[64];

	if (argc > 2)
		rounds = atoi(argv[2]);
	for (int i = 0; i < threads && i < 64; i++) {
		pthread_create(&t[i], NULL, work, argv);
		if (argc > 3)
			pthread_join(t[i], NULL);
	}
	for (int i = 0; argc <= 3 && i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/*
 * A process that is busy for a while: THREADS threads, each calling twenty functions of the CUDA
 * runtime every 10 ms. What the level summary records in an hour is scaled up from it.
 * busy THREADS SECONDS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cuda_types.h"

int cudaMalloc(void **p, size_t size);
int cudaFree(void *p);
int cudaMallocHost(void **p, size_t size);
int cudaFreeHost(void *p);
int cudaMemcpy(void *to, const void *from, size_t size, int direction);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream);
int cudaMemsetAsync(void *p, int value, size_t size, void *stream);
int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventQuery(void *event);
int cudaEventSynchronize(void *event);
int cudaDeviceSynchronize(void);
int cudaSetDevice(int device);
int cudaGetDevice(int *device);

static time_t last_second;

static void twenty(void)
{
	const struct dlt_cuda_dim3 one = { 1, 1, 1 };
	void *p = NULL, *host = NULL, *stream = NULL, *event = NULL;
	int device;

	cudaSetDevice(0);
	cudaGetDevice(&device);
	cudaMalloc(&p, 4096);
	cudaMallocHost(&host, 4096);
	cudaStreamCreateWithFlags(&stream, 1);
	cudaEventCreate(&event);
	cudaMemcpy(host, p, 1, 4);
	cudaMemcpyAsync(host, p, 1, 4, stream);
	cudaMemsetAsync(p, 0, 1, stream);
	cudaLaunchKernel((void *)twenty, one, one, NULL, 0, stream);
	cudaEventRecord(event, stream);
	cudaEventQuery(event);
	cudaEventSynchronize(event);
	cudaStreamQuery(stream);
	cudaStreamSynchronize(stream);
	cudaDeviceSynchronize();
	cudaEventDestroy(event);
	cudaStreamDestroy(stream);
	cudaFreeHost(host);
	cudaFree(p);
}

static void *work(void *unused)
{
	while (time(NULL) < last_second) {
		twenty();
		usleep(10000);
	}
	return unused;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 20;
	pthread_t *ids = calloc((size_t)threads, sizeof(*ids));

	if (!ids)
		return 1;
	last_second = time(NULL) + (argc > 2 ? atol(argv[2]) : 10);
	for (long i = 1; i < threads; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	work(NULL);
	for (long i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	return 0;
}

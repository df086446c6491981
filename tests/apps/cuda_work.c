/* build: -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * A mix of CUDA calls in THREADS threads, some of which fail: cuda_work [THREADS [ROUNDS [apart]]]
 * (apart: one thread after another).
 * Each round: an allocation (failing where DLTRACE_STUB_MEMORY says so), copies, launches, a
 * host function that makes three calls itself, a synchronisation, a free.
 *   CUDA_WORK_TIMES=FILE    how long its calls took: FUNCTION NS, read around each by CLOCK_MONOTONIC
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

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

/* ---- the program's own account: what it calls below goes through these macros ---- */

enum { MALLOC, FREE, MEMCPY, MEMCPY_ASYNC, LAUNCH, HOST_FUNC, STREAM_CREATE, STREAM_WAIT, WAIT,
       SET_DEVICE, FUNCTIONS };

static const char *const names[] = {
	"cudaMalloc", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync", "cudaLaunchKernel",
	"cudaLaunchHostFunc", "cudaStreamCreateWithFlags", "cudaStreamSynchronize",
	"cudaDeviceSynchronize", "cudaSetDevice",
};

static uint64_t took[FUNCTIONS];

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int note(int function, uint64_t begin, int result)
{
	__atomic_fetch_add(&took[function], now_ns() - begin, __ATOMIC_RELAXED);
	return result;
}

#define TIMED(function, call) __extension__ ({ uint64_t begin_ = now_ns(); note(function, begin_, call); })
#define cudaMalloc(...) TIMED(MALLOC, cudaMalloc(__VA_ARGS__))
#define cudaFree(...) TIMED(FREE, cudaFree(__VA_ARGS__))
#define cudaMemcpy(...) TIMED(MEMCPY, cudaMemcpy(__VA_ARGS__))
#define cudaMemcpyAsync(...) TIMED(MEMCPY_ASYNC, cudaMemcpyAsync(__VA_ARGS__))
#define cudaLaunchKernel(...) TIMED(LAUNCH, cudaLaunchKernel(__VA_ARGS__))
#define cudaLaunchHostFunc(...) TIMED(HOST_FUNC, cudaLaunchHostFunc(__VA_ARGS__))
#define cudaStreamCreateWithFlags(...) TIMED(STREAM_CREATE, cudaStreamCreateWithFlags(__VA_ARGS__))
#define cudaStreamSynchronize(...) TIMED(STREAM_WAIT, cudaStreamSynchronize(__VA_ARGS__))
#define cudaDeviceSynchronize() TIMED(WAIT, cudaDeviceSynchronize())
#define cudaSetDevice(...) TIMED(SET_DEVICE, cudaSetDevice(__VA_ARGS__))

static void write_times(void)
{
	const char *path = getenv("CUDA_WORK_TIMES");
	FILE *file = path ? fopen(path, "w") : NULL;

	for (int i = 0; file && i < FUNCTIONS; i++)
		fprintf(file, "%s %llu\n", names[i], (unsigned long long)took[i]);
	if (file)
		fclose(file);
}

/* ---- the work ---- */

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
	write_times();
	return 0;
}

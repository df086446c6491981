/* build: -rdynamic -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * Work for the stub GPU, whose every piece can be told: gpu_work [THREADS [ROUNDS [HOW]]]
 * HOW: kill   dies by SIGKILL four seconds after its last round
 *      fork   a child makes the same calls after the parent's
 *      long   sleeps 20 ms between rounds
 *      two    each other thread works on another device
 *      graph  launches a graph too, once a round
 *      query  asks after each round, and when all is done, whether it is
 *      _exit  ends by that, with work in flight
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_types.h"

int cudaMemcpy(void *to, const void *from, size_t size, int direction);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream);
int cudaMemsetAsync(void *to, int value, size_t size, void *stream);
int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags, void *log, size_t size);
int cudaGraphLaunch(void *exec, void *stream);
int cudaEventQuery(void *event);
int cudaDeviceSynchronize(void);
int cudaSetDevice(int device);
int cudaGetDevice(int *device);

void scale(float *x, int n) __asm__("_Z5scalePfi");
void scale(float *x, int n)
{
	(void)x;
	(void)n;
}

void add(const float *x, float *y) __asm__("_Z3addPKfPf");
void add(const float *x, float *y)
{
	(void)x;
	(void)y;
}

static int rounds = 10;
static const char *how = "";

/* Of three kernels, a copy and a set. */
static void *graph(void *stream)
{
	const struct dlt_cuda_dim3 one = { 1, 1, 1 };
	char buffer[64];
	void *made, *exec;

	cudaStreamBeginCapture(stream, 0);
	for (int i = 0; i < 3; i++)
		cudaLaunchKernel((void *)scale, one, one, NULL, 0, stream);
	cudaMemcpyAsync(buffer, buffer, 1000, 1, stream);
	cudaMemsetAsync(buffer, 0, 64, stream);
	cudaStreamEndCapture(stream, &made);
	return cudaGraphInstantiate(&exec, made, 0, NULL, 0) ? NULL : exec;
}

static void *work(void *data)
{
	const struct dlt_cuda_dim3 one = { 1, 1, 1 };
	void *stream, *exec;
	char buffer[64];
	int device;

	if (!strcmp(how, "two"))
		cudaSetDevice((int)(uintptr_t)data % 2);
	cudaStreamCreateWithFlags(&stream, 1);
	exec = strcmp(how, "graph") ? NULL : graph(stream);
	for (int i = 0; i < rounds; i++) {
		if (exec)
			cudaGraphLaunch(exec, stream);
		cudaMemcpyAsync(buffer, buffer, 1000 + (size_t)i, 1, stream);
		cudaLaunchKernel((void *)scale, one, one, NULL, 0, stream);
		cudaLaunchKernel((void *)add, one, one, NULL, 0, stream);
		cudaMemsetAsync(buffer, 0, 64, stream);
		cudaMemcpy(buffer, buffer, 10, 2);
		if (!strcmp(how, "query") && cudaStreamQuery(stream) == 0 && cudaGetDevice(&device) == 0)
			cudaEventQuery(NULL);
		if (i % 2 && strcmp(how, "_exit"))
			cudaStreamSynchronize(stream);
		if (!strcmp(how, "long"))
			usleep(20000);
	}
	return NULL;
}

static void all(int threads)
{
	pthread_t t[64];

	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, (void *)(uintptr_t)i);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;

	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	how = argc > 3 ? argv[3] : how;
	all(threads < 64 ? threads : 64);
	if (!strcmp(how, "_exit"))
		_exit(0);
	cudaDeviceSynchronize();
	if (!strcmp(how, "query") && cudaStreamQuery(NULL) == 0)
		cudaEventQuery(NULL);
	if (!strcmp(how, "kill")) {
		sleep(4);
		kill(getpid(), SIGKILL);
	}
	if (!strcmp(how, "fork")) {
		if (fork() == 0) {
			work(NULL);
			_exit(0);
		}
		wait(NULL);
		work(NULL);
		cudaDeviceSynchronize();
	}
	return 0;
}

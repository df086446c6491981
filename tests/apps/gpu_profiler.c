/* build: -rdynamic -Ltests/stubs -l:libcudart.so.12 -l:libcupti.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * A program with a profiler of its own, which uses CUPTI as kineto does: three rounds of work for
 * the stub GPU, the second one profiled. It prints what its profiler was told, in full, and every
 * result that CUPTI gave. gpu_profiler [WORD...]
 *      clock      it gives CUPTI a clock of its own
 *      finalize   it ends with cuptiFinalize
 *      twice      it profiles again, after half a second without
 *      dlsym      it asks dlsym for what it calls
 *      handles    it wants thread ids as CUPTI makes them by default
 *      queries    it wants synchronisations too, and asks after each piece of work whether it is done
 *      early      it begins with the profile, before CUDA's first call
 *      choose     it wants to be told of launches only, of all calls, and waits before they come
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cuda_types.h"
#include "tests/apps/words.h"

int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, void *stream);
int cudaMemsetAsync(void *to, int value, size_t size, void *stream);
int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaDeviceSynchronize(void);
int cudaStreamQuery(void *stream);
int cudaGetDevice(int *device);

int cuptiSubscribe(void **subscriber, void *callback, void *data);
int cuptiUnsubscribe(void *subscriber);
int cuptiActivityRegisterCallbacks(void (*request)(uint8_t **, size_t *, size_t *),
				   void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t));
int cuptiActivityRegisterTimestampCallback(uint64_t (*function)(void));
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable);
int cuptiGetCallbackName(int domain, uint32_t function, const char **name);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiSetThreadIdType(int type);
int cuptiFinalize(void);

enum { RUNTIME_API = 2 };	/* CUpti_CallbackDomain */
enum { COPY = 1, RUNTIME = 5, KERNEL = 10, SYNC = 38 };

void in_round(void) __asm__("_Z8in_roundv");
void in_round(void)
{
}

static unsigned requested, completed, strange;
static int queries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t own_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec + 777000000000u;
}

static void request(uint8_t **buffer, size_t *size, size_t *most)
{
	__atomic_add_fetch(&requested, 1, __ATOMIC_RELAXED);
	*size = 16384;
	*buffer = aligned_alloc(8, *size);
	*most = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	uint8_t *at = NULL;
	uint32_t kind, correlation;
	const char *name;

	(void)context;
	(void)stream;
	(void)size;
	pthread_mutex_lock(&lock);
	completed++;
	while (cuptiActivityGetNextRecord(buffer, valid, &at) == 0) {
		memcpy(&kind, at, sizeof(kind));
		if (kind == KERNEL) {
			memcpy(&correlation, at + 92, sizeof(correlation));
			memcpy(&name, at + 104, sizeof(name));
			printf("kernel %s %u\n", name, correlation);
		} else if (kind == COPY) {
			memcpy(&correlation, at + 44, sizeof(correlation));
			printf("copy %u\n", correlation);
		} else if (kind == RUNTIME) {
			memcpy(&correlation, at + 32, sizeof(correlation));
			printf("call %u\n", correlation);
		} else if (kind == SYNC) {
			memcpy(&correlation, at + 24, sizeof(correlation));
			printf("sync %u\n", correlation);
		} else {
			strange++;
		}
	}
	memset(buffer, 0xee, size);
	free(buffer);
	pthread_mutex_unlock(&lock);
}

static void work(void)
{
	const struct dlt_cuda_dim3 one = { 1, 1, 1 };
	char buffer[64];
	int device;

	for (int i = 0; i < 200; i++) {
		cudaMemcpyAsync(buffer, buffer, 64, 1, NULL);
		cudaLaunchKernel((void *)in_round, one, one, NULL, 0, NULL);
		cudaMemsetAsync(buffer, 0, 64, NULL);
		if (queries && cudaGetDevice(&device) == 0)
			cudaStreamQuery(NULL);
	}
	cudaDeviceSynchronize();
}

static uint32_t number_of(const char *call)
{
	const char *name = "";

	for (uint32_t i = 1; i < 2048; i++)
		if (cuptiGetCallbackName(RUNTIME_API, i, &name) == 0 && name && strcmp(name, call) == 0)
			return i;
	return 0;
}

static void profile(int argc, char **argv)
{
	void *subscriber = NULL, *cupti = dlopen("libcupti.so.12", RTLD_NOW);
	int (*callbacks)(void (*)(uint8_t **, size_t *, size_t *),
			 void (*)(void *, uint32_t, uint8_t *, size_t, size_t)) =
		cuptiActivityRegisterCallbacks;
	int (*enable)(int) = cuptiActivityEnable, (*disable)(int) = cuptiActivityDisable;

	if (has(argc, argv, "dlsym")) {
		callbacks = dlsym(cupti, "cuptiActivityRegisterCallbacks");
		enable = dlsym(cupti, "cuptiActivityEnable");
		disable = dlsym(cupti, "cuptiActivityDisable");
	}
	printf("subscribe %d\n", cuptiSubscribe(&subscriber, (void *)work, NULL));
	if (has(argc, argv, "clock"))
		printf("clock %d\n", cuptiActivityRegisterTimestampCallback(own_clock));
	if (has(argc, argv, "handles"))
		printf("ids %d\n", cuptiSetThreadIdType(0));
	printf("NULL %d\n", cuptiActivityRegisterCallbacks(NULL, NULL));
	printf("callbacks %d\n", callbacks(request, complete));
	if (has(argc, argv, "choose")) {
		printf("choose %d\n", cuptiActivityEnableRuntimeApi(number_of("cudaLaunchKernel"), 1));
		usleep(400000);
		work();
		printf("choose %d\n", cuptiActivityEnableRuntimeApi(number_of("cudaLaunchKernel"), 0));
	} else {
		printf("enable %d\n", enable(RUNTIME));
	}
	printf("enable %d %d %d\n", enable(KERNEL), enable(COPY), enable(-1));
	if (queries)
		printf("enable synchronisations %d\n", enable(SYNC));
	work();
	printf("disable %d %d %d\n", disable(RUNTIME), disable(KERNEL), disable(COPY));
	if (queries)
		printf("disable synchronisations %d\n", disable(SYNC));
	printf("flush %d\n", cuptiActivityFlushAll(1));
	if (has(argc, argv, "finalize"))
		printf("finalize %d\n", cuptiFinalize());
	else
		printf("unsubscribe %d\n", cuptiUnsubscribe(subscriber));
	printf("%s, %u strange records\n", requested == completed ? "all buffers are back" : "buffers are missing",
	       strange);
}

int main(int argc, char **argv)
{
	queries = has(argc, argv, "queries");
	if (!has(argc, argv, "early"))
		work();
	profile(argc, argv);
	usleep(500000);
	work();
	if (has(argc, argv, "twice"))
		profile(argc, argv);
	return 0;
}

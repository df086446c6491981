/* build: -rdynamic -Ltests/stubs -l:libcudart.so.13 -l:libcupti.so.13 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * A program whose profiler uses CUPTI as a subscriber of its own (13.2 and later): three rounds of
 * work for the stub GPU, the second one profiled. It prints what it was told and every result that
 * CUPTI gave. gpu_subscriber [WORD...]
 *      chosen     with records of a layout that it chose
 *      early      it begins with the profile, before CUDA's first call
 *      pauses     it enables late, and has nothing enabled for a while
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_types.h"
#include "tests/apps/words.h"

int cudaLaunchKernel(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		     void **args, size_t shared, void *stream);
int cudaDeviceSynchronize(void);

int cuptiSubscribe_v2(void **subscriber, void *callback, void *data, void *parameters);
int cuptiUnsubscribe(void *subscriber);
int cuptiActivityRegisterCallbacks_v2(void *subscriber,
				      void (*request)(uint8_t **, size_t *, size_t *, void *),
				      void (*complete)(uint8_t *, size_t, size_t, void *));
int cuptiActivityEnable_v2(void *subscriber, int kind, void *config);
int cuptiActivityDisable_v2(void *subscriber, int kind, void *config);
int cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiFinalize(void);

enum { RUNTIME = 5, KERNEL = 10, USER_DEFINED_RECORDS = 11 };

void in_round(void) __asm__("_Z8in_roundv");
void in_round(void)
{
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned told[16];
static int chosen, pauses;

static void pause_if_asked(void)
{
	if (pauses)
		usleep(400000);
}

static void request(uint8_t **buffer, size_t *size, size_t *most, void *info)
{
	(void)info;
	*size = 16384;
	*buffer = aligned_alloc(8, *size);
	*most = 0;
}

static void complete(uint8_t *buffer, size_t size, size_t valid, void *info)
{
	uint8_t *at = NULL;
	uint32_t kind;

	(void)info;
	pthread_mutex_lock(&lock);
	while (cuptiActivityGetNextRecord(buffer, valid, &at) == 0) {
		memcpy(&kind, at, sizeof(kind));
		told[kind % 16]++;
	}
	memset(buffer, 0xee, size);
	free(buffer);
	pthread_mutex_unlock(&lock);
}

static void work(void)
{
	const struct dlt_cuda_dim3 one = { 1, 1, 1 };

	for (int i = 0; i < 100; i++)
		cudaLaunchKernel((void *)in_round, one, one, NULL, 0, NULL);
	cudaDeviceSynchronize();
}

static void profile(void)
{
	void *subscriber = NULL;
	uint8_t yes = 1;
	size_t size = sizeof(yes);

	printf("subscribe %d\n", cuptiSubscribe_v2(&subscriber, NULL, NULL, NULL));
	if (chosen)
		printf("layout %d\n", cuptiActivitySetAttribute(USER_DEFINED_RECORDS, &size, &yes));
	printf("callbacks %d\n", cuptiActivityRegisterCallbacks_v2(subscriber, request, complete));
	for (int i = 0; i < 1 + pauses; i++) {
		pause_if_asked();
		printf("enable %d %d\n", cuptiActivityEnable_v2(subscriber, RUNTIME, NULL),
		       cuptiActivityEnable_v2(subscriber, KERNEL, NULL));
		work();
		printf("disable %d %d\n", cuptiActivityDisable_v2(subscriber, RUNTIME, NULL),
		       cuptiActivityDisable_v2(subscriber, KERNEL, NULL));
	}
	printf("flush %d\n", cuptiActivityFlushAll(1));
	printf("unsubscribe %d\n", cuptiUnsubscribe(subscriber));
	if (chosen)
		printf("finalize %d\n", cuptiFinalize());
	printf("kernels %u, calls %u\n", told[KERNEL], told[RUNTIME]);
}

int main(int argc, char **argv)
{
	chosen = has(argc, argv, "chosen");
	pauses = has(argc, argv, "pauses");
	if (!has(argc, argv, "early"))
		work();
	profile();
	usleep(500000);
	work();
	return 0;
}

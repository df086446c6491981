/* SPDX-License-Identifier: MIT */
/* build: .libs/libproviders-recorder.a .libs/libtables.a -llttng-ust */
/*
 * Emits events as fast as LTTng takes them, to make a large trace for benchmarks:
 *
 *	emit_many EVENTS THREADS
 *
 * Of 16 events 11 are launches, 3 copies, 1 an allocation and 1 a free. Each thread announces
 * itself first. With LTTNG_UST_ALLOW_BLOCKING=1 and a channel that blocks, none is lost.
 */
#include <pthread.h>
#include <stdlib.h>

#include "bridge.h"
#include "functions.h"

static unsigned long events_each;

static void emit_one(uint32_t thread, unsigned long i)
{
	const struct dlt_ev_cuda_launch launch = {
		.thread = thread, .function = DLT_FN_cudaMalloc, .library = 1,
		.duration = 2000 + (uint32_t)(i % 977), .shape = (uint32_t)(i % 50), .stream = 1,
	};
	const struct dlt_ev_cuda_copy copy = {
		.thread = thread, .function = DLT_FN_cudaMemcpy, .library = 1, .duration = 5000,
		.size = 4096 * (i % 100), .direction = 1,
	};
	const struct dlt_ev_heap_alloc alloc = {
		.thread = thread, .function = DLT_FN_malloc, .library = 2, .size = 1 << 20,
		.ptr = i << 4 & ~0xffULL,
	};

	if (i % 16 < 11)
		dlt_bridge_emitters[DLT_EV_CUDA_LAUNCH](&launch);
	else if (i % 16 < 14)
		dlt_bridge_emitters[DLT_EV_CUDA_COPY](&copy);
	else	/* the two have the same fields */
		dlt_bridge_emitters[i % 16 == 14 ? DLT_EV_HEAP_ALLOC : DLT_EV_HEAP_FREE](&alloc);
}

static void *run(void *argument)
{
	uint32_t thread = (uint32_t)(uintptr_t)argument;
	const struct dlt_ev_proc_thread self = {
		.thread = thread, .process = 1, .name = "emitter",
	};

	dlt_bridge_emitters[DLT_EV_PROC_THREAD](&self);
	for (unsigned long i = 0; i < events_each; i++)
		emit_one(thread, i);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct dlt_ev_proc_process process = {
		.process = 1, .pid = 1, .version = "", .host = "bench", .exe = "/bin/emit_many",
		.folder = "/", .command = "emit_many",
	};
	unsigned long events = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	pthread_t *ids = calloc(threads, sizeof(*ids));

	events_each = events / threads;
	dlt_bridge_emitters[DLT_EV_PROC_PROCESS](&process);
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)(i + 1));
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	return 0;
}

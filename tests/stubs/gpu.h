/* SPDX-License-Identifier: MIT */
/*
 * GPUs that the stub CUDA libraries share (libstubgpu.so): work on a stream runs one after another,
 * each piece for a given time; nothing is computed. They keep the truth that tests compare. A stream
 * belongs to the device that its thread uses when it is first given work.
 *
 *   DLTRACE_STUB_GPU_NS=20000        a piece of work takes that long; without this variable there
 *                                    is no such GPU
 *   DLTRACE_STUB_GPU_TRUTH=FILE      a line for each piece, when it is asked for:
 *                                    WHAT NAME CORRELATION TID STREAM BEGIN END SIZE DIRECTION DEVICE
 *
 * At the first call of any stub the "driver" loads CUDA_INJECTION64_PATH, as cuInit does. Times
 * are ns CLOCK_MONOTONIC.
 */
#ifndef DLT_TESTS_STUB_GPU_H
#define DLT_TESTS_STUB_GPU_H

#include <stddef.h>
#include <stdint.h>

enum stub_work { STUB_KERNEL, STUB_COPY, STUB_SET, STUB_WAIT, STUB_CALL };

struct stub_gpu_record {
	enum stub_work what;
	int driver;			/* a call of the driver's, not the runtime's */
	const char *name;		/* kernel, function; lives for ever */
	uint32_t correlation, tid, stream, device;
	uintptr_t thread;		/* pthread_t */
	uint64_t begin, end;
	size_t size;
	int direction;			/* cudaMemcpyKind */
};

typedef void (*stub_gpu_listener)(const struct stub_gpu_record *record);

/* What libstubgpu.so exports. Work within a call within a call belongs to the outermost one. */
struct stub_gpu {
	void (*begin)(const char *function);
	void (*end)(void);
	/* blocking: returns when it is done. */
	void (*work)(enum stub_work what, const void *kernel, size_t size, int direction,
		     const void *stream, int blocking);
	/* One of those that a call asks for at once: nodes of a graph. */
	void (*node)(enum stub_work what, const char *name, const void *stream);
	void (*wait)(const void *stream, int all);
	/* The device of what this thread asks for from now on. */
	void (*use)(uint32_t device);
	/* libcupti's; NULL: nobody */
	void (*listen)(stub_gpu_listener listener);
};

extern const struct stub_gpu stub_gpu;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Streams by id, with the device that they are of, and each thread's current device. Lock-free,
 * hook-safe; never asks CUDA: a stream that nobody was seen to make is of the device that is
 * current where it is first used.
 */
#ifndef DLT_INTERPOSE_STREAMS_H
#define DLT_INTERPOSE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

/* The calling thread's current device. */
static inline uint8_t dlt_device(void)
{
	return dlt_thread_self()->device;
}

static inline void dlt_device_set(int device)
{
	dlt_thread_self()->device = (uint8_t)device;
}

#define DLT_STREAM_LEGACY 1	/* CUDA's handle of the default stream where 0 means one by thread */
#define DLT_STREAM_OF_THREAD 2	/* ... and of that one: another stream in each thread, by one id */
#define DLT_STREAM_CAPTURED 0x8000	/* in its id: what is launched is captured, not executed */

uint16_t dlt_stream_slow(const void *stream);

/* Its id, as events have it; 0 for the default stream of device 0. */
static inline uint16_t dlt_stream(const void *stream)
{
	return (uintptr_t)stream > DLT_STREAM_LEGACY || dlt_device() ? dlt_stream_slow(stream) : 0;
}

/* Some stream is of another device than the first. */
extern bool dlt_streams_elsewhere __attribute__((visibility("hidden")));

uint8_t dlt_stream_device_slow(const void *stream);

/* The device that it is of; the default one's and an unknown one's is the current. */
static inline uint8_t dlt_stream_device(const void *stream)
{
	uint8_t current = dlt_device();
	bool elsewhere = __atomic_load_n(&dlt_streams_elsewhere, __ATOMIC_RELAXED);

	return current || __builtin_expect(elsewhere, 0) ? dlt_stream_device_slow(stream) : 0;
}

/* For functions to which 0 means the calling thread's default stream. */
static inline const void *dlt_own_stream(const void *stream)
{
	return stream ? stream : (const void *)(uintptr_t)DLT_STREAM_OF_THREAD;
}

/* Which capture it is in (captures.c); 0: none. */
uint8_t dlt_stream_capture(const void *stream);
/* mark: of the capture, or 0 (dlt_capture_of). False: no room for the stream, or it is one that nobody captures. */
bool dlt_stream_set_capture(const void *stream, uint32_t mark);

/* A stream was made, on the current device; its handle may have been another's before. */
void dlt_stream_made(const void *stream, unsigned flags, int priority);
void dlt_stream_made_on(const void *stream, unsigned flags, int priority, uint8_t device);
void dlt_stream_gone(const void *stream);
/* The program calls it so (NVTX). */
void dlt_stream_named(const void *stream, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* Streams: a hash table from handle to id, lock-free; what an id means is an object (objects.c). */
#include "streams.h"

#include <stddef.h>
#include <string.h>

#include "captures.h"
#include "objects.h"

#define PLACES 1024	/* a power of 2; more streams than that are looked up among the objects */
#define PLACE_BITS 10
#define NAMES 512	/* that are kept in a process, so that no flood of them fills the table of objects */

static struct stream {
	uintptr_t handle;	/* 0: free */
	uint16_t id;		/* 0: gone, or not used yet */
	uint8_t capture;
} streams[PLACES];

/* A capture that the thread's default stream is in, for as long as no capture of that number has ended. */
static uint32_t ends[UINT8_MAX + 1];
static __thread struct {
	uint32_t ends;
	uint8_t capture;	/* 0: none */
} own;

static struct stream *place_of(uintptr_t handle)
{
	uint64_t at = handle * 0x9e3779b97f4a7c15 >> (64 - PLACE_BITS);

	for (unsigned i = 0; i < PLACES; i++, at = (at + 1) % PLACES) {
		struct stream *s = &streams[at];
		uintptr_t seen = __atomic_load_n(&s->handle, __ATOMIC_RELAXED);

		if (seen == handle)
			return s;
		if (!seen && (__atomic_compare_exchange_n(&s->handle, &seen, handle, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			      seen == handle))
			return s;
	}
	return NULL;
}

static uint16_t object_of(uintptr_t handle, unsigned flags, int priority, uint8_t device)
{
	const uint64_t values[] = { flags, (uint64_t)priority, device };

	return (uint16_t)dlt_object_id(DLT_OBJECT_STREAM, (const void *)handle, values, 3);
}

void dlt_stream_made_on(const void *stream, unsigned flags, int priority, uint8_t device)
{
	struct stream *s = place_of((uintptr_t)stream);

	dlt_capture_leave(stream);
	if (s)
		__atomic_store_n(&s->id, object_of((uintptr_t)stream, flags, priority, device),
				 __ATOMIC_RELAXED);
}

void dlt_stream_made(const void *stream, unsigned flags, int priority)
{
	dlt_stream_made_on(stream, flags, priority, dlt_device());
}

void dlt_stream_gone(const void *stream)
{
	struct stream *s = place_of((uintptr_t)stream);

	dlt_capture_leave(stream);
	if (s)
		__atomic_store_n(&s->id, 0, __ATOMIC_RELAXED);
}

void dlt_stream_named(const void *stream, const char *name)
{
	static uint32_t names;

	if (stream && *name && __atomic_load_n(&names, __ATOMIC_RELAXED) < NAMES &&
	    __atomic_fetch_add(&names, 1, __ATOMIC_RELAXED) < NAMES)
		dlt_object_named(DLT_OBJECT_STREAM_NAME, (uintptr_t)stream, name, strlen(name));
}

uint8_t dlt_stream_capture(const void *stream)
{
	uintptr_t handle = (uintptr_t)stream;
	const struct stream *s;

	if (handle == DLT_STREAM_OF_THREAD)
		return own.ends == __atomic_load_n(&ends[own.capture], __ATOMIC_RELAXED) ? own.capture : 0;
	s = handle <= DLT_STREAM_LEGACY ? NULL : place_of(handle);
	return s ? __atomic_load_n(&s->capture, __ATOMIC_RELAXED) : 0;
}

void dlt_stream_set_capture(const void *stream, uint8_t capture)
{
	uintptr_t handle = (uintptr_t)stream;
	struct stream *s;

	if (handle == DLT_STREAM_OF_THREAD) {
		own.capture = capture;
		own.ends = __atomic_load_n(&ends[capture], __ATOMIC_RELAXED);
		return;
	}
	s = handle <= DLT_STREAM_LEGACY ? NULL : place_of(handle);
	if (s)
		__atomic_store_n(&s->capture, capture, __ATOMIC_RELAXED);
}

void dlt_streams_end_capture(uint8_t capture)
{
	__atomic_add_fetch(&ends[capture], 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < PLACES; i++)
		if (__atomic_load_n(&streams[i].capture, __ATOMIC_RELAXED) == capture)
			__atomic_store_n(&streams[i].capture, 0, __ATOMIC_RELAXED);
}

uint16_t dlt_stream_slow(const void *stream)
{
	uintptr_t handle = (uintptr_t)stream;
	struct stream *s;
	uint16_t id;

	if (handle <= DLT_STREAM_LEGACY)
		return object_of(0, 0, 0, dlt_device());
	s = place_of(handle);
	id = s ? __atomic_load_n(&s->id, __ATOMIC_RELAXED) : 0;
	if (!id) {
		id = object_of(handle, 0, 0, dlt_device());
		if (s)
			__atomic_store_n(&s->id, id, __ATOMIC_RELAXED);
	}
	return dlt_stream_capture(stream) ? id | DLT_STREAM_CAPTURED : id;
}

/* SPDX-License-Identifier: MIT */
/* Streams: a hash table from handle to id, lock-free; what an id means is an object (objects.c). */
#include "streams.h"

#include <stddef.h>
#include <string.h>

#include "captures.h"
#include "objects.h"

#define PLACES 4096	/* a power of 2; streams that find none are looked up among the objects */
#define PLACE_BITS 12
#define WINDOW 16	/* places that a stream may be in */
#define NAMES 512	/* that are kept in a process, so that no flood of them fills the table of objects */

static struct stream {
	uintptr_t handle;	/* 0: free */
	uint32_t capture;	/* its mark; over, or 0: none */
	uint16_t id;		/* 0: gone, or not used yet */
	uint8_t device;		/* where there is an id */
} streams[PLACES];

bool dlt_streams_elsewhere;

/* The mark of the capture that the thread's default stream is in. */
static __thread uint32_t own;

static struct stream *place_at(uintptr_t handle, unsigned i)
{
	return &streams[((handle * 0x9e3779b97f4a7c15 >> (64 - PLACE_BITS)) + i) % PLACES];
}

static struct stream *known(uintptr_t handle)
{
	for (unsigned i = 0; i < WINDOW; i++) {
		struct stream *s = place_at(handle, i);

		if (__atomic_load_n(&s->handle, __ATOMIC_ACQUIRE) == handle)
			return s;
	}
	return NULL;
}

/* Its place, or a free one; NULL: there is none. */
static struct stream *place_of(uintptr_t handle)
{
	struct stream *s = known(handle);

	for (unsigned i = 0; !s && i < WINDOW; i++) {
		uintptr_t seen = 0;

		s = place_at(handle, i);
		if (!__atomic_compare_exchange_n(&s->handle, &seen, handle, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE) && seen != handle)
			s = NULL;
	}
	return s;
}

static uint16_t object_of(uintptr_t handle, unsigned flags, int priority, uint8_t device)
{
	const uint64_t values[] = { flags, (uint64_t)priority, device };

	return (uint16_t)dlt_object_id(DLT_OBJECT_STREAM, (const void *)handle, values, 3);
}

static void know(struct stream *s, uint16_t id, uint8_t device)
{
	if (device)
		__atomic_store_n(&dlt_streams_elsewhere, true, __ATOMIC_RELAXED);
	if (!s)
		return;
	__atomic_store_n(&s->device, device, __ATOMIC_RELAXED);
	__atomic_store_n(&s->id, id, __ATOMIC_RELEASE);
}

void dlt_stream_made_on(const void *stream, unsigned flags, int priority, uint8_t device)
{
	dlt_capture_leave(stream);
	know(place_of((uintptr_t)stream), object_of((uintptr_t)stream, flags, priority, device), device);
}

void dlt_stream_made(const void *stream, unsigned flags, int priority)
{
	dlt_stream_made_on(stream, flags, priority, dlt_device());
}

/* Its place is for others, and whoever gets the handle begins anew. */
void dlt_stream_gone(const void *stream)
{
	struct stream *s = known((uintptr_t)stream);

	dlt_capture_leave(stream);
	if (!s)
		return;
	__atomic_store_n(&s->id, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&s->capture, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&s->handle, 0, __ATOMIC_RELEASE);
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
		return dlt_capture_of(own);
	s = handle <= DLT_STREAM_LEGACY ? NULL : known(handle);
	return s ? dlt_capture_of(__atomic_load_n(&s->capture, __ATOMIC_RELAXED)) : 0;
}

bool dlt_stream_set_capture(const void *stream, uint32_t mark)
{
	uintptr_t handle = (uintptr_t)stream;
	struct stream *s;

	if (handle == DLT_STREAM_OF_THREAD) {
		own = mark;
		return true;
	}
	s = handle <= DLT_STREAM_LEGACY ? NULL : place_of(handle);
	if (s)
		__atomic_store_n(&s->capture, mark, __ATOMIC_RELAXED);
	return s;
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
		know(s, id, dlt_device());
	}
	return dlt_capturing() && dlt_stream_capture(stream) ? id | DLT_STREAM_CAPTURED : id;
}

uint8_t dlt_stream_device_slow(const void *stream)
{
	uintptr_t handle = (uintptr_t)stream;
	const struct stream *s = handle > DLT_STREAM_OF_THREAD ? known(handle) : NULL;

	return s && __atomic_load_n(&s->id, __ATOMIC_ACQUIRE) ? __atomic_load_n(&s->device, __ATOMIC_RELAXED) :
								dlt_device();
}

/* SPDX-License-Identifier: MIT */
/* Captures in progress, and events that carry them to other streams. */
#include "captures.h"

#include <stddef.h>
#include <string.h>

#include "graphs.h"
#include "objects.h"
#include "streams.h"

#define CAPTURES 256		/* 0 is none */
#define EVENTS 4096		/* recorded on captured streams; a power of 2 */
#define EVENT_BITS 12
#define WINDOW 16		/* places that an event may be in */
#define BUSY (1u << 8)		/* the mark of none, of a place that is being filled */

struct capture {
	uint32_t used;
	uint32_t ends;			/* captures that have had this place */
	const void *origin;		/* the stream that it began on, and ends with */
	uintptr_t graph;		/* that it goes into; 0: a new one */
	bool again;			/* in place of what the graph has */
	uint32_t number;
	uint64_t work[DLT_WORKS];
};

struct event {
	uintptr_t handle;
	uint32_t capture;		/* its mark; over, or 0: the place is free */
};

int dlt_captures_open;
uint32_t dlt_last_capture;
static struct capture captures[CAPTURES];
static struct event events[EVENTS];

static uint32_t mark_of(uint8_t capture)
{
	return __atomic_load_n(&captures[capture].ends, __ATOMIC_RELAXED) << 8 | capture;
}

uint8_t dlt_capture_of(uint32_t mark)
{
	uint8_t capture = (uint8_t)mark;

	return capture && mark == mark_of(capture) ? capture : 0;
}

static void captured(const void *stream, const uint64_t work[DLT_WORKS])
{
	struct capture *c = &captures[dlt_stream_capture(stream)];

	for (unsigned i = 0; c != captures && i < DLT_WORKS; i++)
		__atomic_add_fetch(&c->work[i], work[i], __ATOMIC_RELAXED);
}

void dlt_captured_slow(const void *stream, enum dlt_work work, uint64_t bytes)
{
	uint64_t one[DLT_WORKS];

	dlt_work_one(one, work, bytes);
	captured(stream, one);
}

size_t dlt_moved_slow(const void *stream, size_t size)
{
	return dlt_stream_capture(stream) ? 0 : size;
}

enum dlt_memory dlt_async_memory_slow(const void *stream, enum dlt_memory kind)
{
	return dlt_stream_capture(stream) ? DLT_MEMORY_GRAPH : kind;
}

void dlt_captured_graph_slow(const void *exec, const void *stream)
{
	const struct graph *g = dlt_graph_of((uintptr_t)exec, false);

	if (g)
		captured(stream, g->work);
}

static void begin(const void *stream, const void *graph, bool again)
{
	if (dlt_stream_capture(stream))
		return;
	for (unsigned i = 1; i < CAPTURES; i++) {
		struct capture *c = &captures[i];

		if (__atomic_exchange_n(&c->used, 1, __ATOMIC_ACQUIRE))
			continue;
		c->origin = stream;
		c->graph = (uintptr_t)graph;
		c->again = again;
		c->number = __atomic_add_fetch(&dlt_last_capture, 1, __ATOMIC_RELAXED);
		memset(c->work, 0, sizeof(c->work));
		if (dlt_stream_set_capture(stream, mark_of((uint8_t)i))) {
			__atomic_add_fetch(&dlt_captures_open, 1, __ATOMIC_RELAXED);
			return;
		}
		__atomic_store_n(&c->used, 0, __ATOMIC_RELEASE);
		break;
	}
	dlt_missed(DLT_MISSED_CAPTURE);
}

void dlt_capture_begin(const void *stream, const void *graph)
{
	begin(stream, graph, false);
}

void dlt_capture_again(const void *stream, const void *graph)
{
	begin(stream, graph, true);
}

void dlt_capture_end(bool ok, const void *stream, const void *graph)
{
	uint8_t index = dlt_stream_capture(stream);
	struct capture *c = &captures[index];
	struct graph *g = ok ? dlt_graph_of((uintptr_t)graph, false) : NULL;

	if (!index)
		return;
	/* What had this handle before; but nodes may be added by hand while it is captured. */
	if (g && !c->graph && (int32_t)(g->touched - c->number) < 0)
		dlt_graph_gone(graph);
	if (c->again)
		dlt_graph_captured_again(g, c->work);
	else if (ok)
		dlt_graph_captured(graph, c->work);
	__atomic_add_fetch(&c->ends, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&dlt_captures_open, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->used, 0, __ATOMIC_RELEASE);
}

void dlt_capture_leave_slow(const void *stream)
{
	const struct capture *c = &captures[dlt_stream_capture(stream)];

	if (c != captures && c->origin == stream)
		dlt_capture_end(false, stream, NULL);
	else if (c != captures)
		dlt_stream_set_capture(stream, 0);
}

static struct event *event_at(uintptr_t handle, unsigned i)
{
	return &events[((handle * 0x9e3779b97f4a7c15 >> (64 - EVENT_BITS)) + i) % EVENTS];
}

/* NULL: it carries no capture that is in progress. */
static struct event *event_of(uintptr_t handle)
{
	for (unsigned i = 0; i < WINDOW; i++) {
		struct event *e = event_at(handle, i);

		if (dlt_capture_of(__atomic_load_n(&e->capture, __ATOMIC_ACQUIRE)) && e->handle == handle)
			return e;
	}
	return NULL;
}

/* A place of its own; NULL: there is none. */
static struct event *event_make(uintptr_t handle)
{
	for (unsigned i = 0; i < WINDOW; i++) {
		struct event *e = event_at(handle, i);
		uint32_t seen = __atomic_load_n(&e->capture, __ATOMIC_RELAXED);

		if (seen == BUSY || dlt_capture_of(seen) ||
		    !__atomic_compare_exchange_n(&e->capture, &seen, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		e->handle = handle;
		return e;
	}
	return NULL;
}

void dlt_capture_record_slow(const void *event, const void *stream)
{
	uint8_t capture = dlt_stream_capture(stream);
	struct event *e = event_of((uintptr_t)event);

	if (!e && capture) {
		e = event_make((uintptr_t)event);
		if (!e)
			dlt_missed(DLT_MISSED_CAPTURE);
	}
	if (e)
		__atomic_store_n(&e->capture, capture ? mark_of(capture) : 0, __ATOMIC_RELEASE);
}

void dlt_capture_wait_slow(const void *stream, const void *event)
{
	const struct event *e = event_of((uintptr_t)event);

	if (e && !dlt_stream_set_capture(stream, __atomic_load_n(&e->capture, __ATOMIC_RELAXED)))
		dlt_missed(DLT_MISSED_CAPTURE);
}

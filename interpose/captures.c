/* SPDX-License-Identifier: MIT */
/* Captures in progress, and events that carry them to other streams. */
#include "captures.h"

#include <stddef.h>
#include <string.h>

#include "graphs.h"
#include "streams.h"

#define CAPTURES 256		/* 0 is none */
#define EVENTS 1024		/* recorded while something is captured */

struct capture {
	uint32_t used;
	uintptr_t graph;		/* that it goes into; 0: a new one */
	bool again;			/* in place of what the graph has */
	uint32_t number;
	uint64_t work[DLT_WORKS];
};

struct event {
	uintptr_t handle;		/* 0: free, for ever after the first free one */
	uint8_t capture;
};

int dlt_capturing;
uint32_t dlt_last_capture;
static struct capture captures[CAPTURES];
static struct event events[EVENTS];

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
		c->graph = (uintptr_t)graph;
		c->again = again;
		c->number = __atomic_add_fetch(&dlt_last_capture, 1, __ATOMIC_RELAXED);
		memset(c->work, 0, sizeof(c->work));
		dlt_stream_set_capture(stream, (uint8_t)i);
		__atomic_add_fetch(&dlt_capturing, 1, __ATOMIC_RELAXED);
		return;
	}
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
	struct graph *g;

	if (!index)
		return;
	g = ok ? dlt_graph_of((uintptr_t)graph, true) : NULL;
	/* What had this handle before; but nodes may be added by hand while it is captured. */
	if (g && !c->graph && (int32_t)(g->touched - c->number) < 0)
		dlt_graph_gone(graph);
	if (c->again)
		dlt_graph_captured_again(g, c->work);
	else
		dlt_graph_add_work(g, c->work);
	dlt_streams_end_capture(index);
	for (unsigned i = 0; i < EVENTS; i++)
		if (events[i].capture == index)
			events[i].capture = 0;
	__atomic_sub_fetch(&dlt_capturing, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->used, 0, __ATOMIC_RELEASE);
}

/* The event's place, or a free one if `make`; NULL: none. */
static struct event *event_of(uintptr_t handle, bool make)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		uintptr_t seen = __atomic_load_n(&events[i].handle, __ATOMIC_RELAXED);

		if (seen == handle)
			return &events[i];
		if (seen)
			continue;
		if (!make)
			return NULL;
		if (__atomic_compare_exchange_n(&events[i].handle, &seen, handle, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED) || seen == handle)
			return &events[i];
	}
	return NULL;
}

void dlt_capture_record_slow(const void *event, const void *stream)
{
	uint8_t capture = dlt_stream_capture(stream);
	struct event *e = event_of((uintptr_t)event, capture != 0);

	if (e)
		e->capture = capture;
}

void dlt_capture_wait_slow(const void *stream, const void *event)
{
	const struct event *e = event_of((uintptr_t)event, false);

	if (e && e->capture)
		dlt_stream_set_capture(stream, e->capture);
}

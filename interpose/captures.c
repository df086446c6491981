/* SPDX-License-Identifier: MIT */
/* Captures in progress, events that carry them to other streams, and the work in each graph. */
#include "captures.h"

#include <stddef.h>
#include <string.h>

#include "objects.h"
#include "streams.h"

#define CAPTURES 256		/* 0 is none */
#define EVENTS 1024		/* recorded while something is captured */
#define GRAPHS 4096		/* a power of 2 */
#define GRAPH_BITS 12

struct capture {
	uint32_t used;
	uintptr_t graph;		/* that it goes into; 0: a new one */
	uint32_t work[DLT_WORKS];
};

struct event {
	uintptr_t handle;		/* 0: free, for ever after the first free one */
	uint8_t capture;
};

struct graph {
	uintptr_t handle;		/* 0: free */
	uint32_t work[DLT_WORKS];
	uint32_t object;		/* 0: none yet for this work */
};

int dlt_capturing;
static struct capture captures[CAPTURES];
static struct event events[EVENTS];
static struct graph graphs[GRAPHS];
static __thread const void *last_node;

/* ---- graphs -------------------------------------------------------------------------------- */

static struct graph *graph_of(uintptr_t handle, bool make)
{
	uint64_t at = handle * 0x9e3779b97f4a7c15 >> (64 - GRAPH_BITS);

	for (unsigned i = 0; handle && i < GRAPHS; i++, at = (at + 1) % GRAPHS) {
		struct graph *g = &graphs[at];
		uintptr_t seen = __atomic_load_n(&g->handle, __ATOMIC_ACQUIRE);

		if (seen == handle)
			return g;
		if (seen)
			continue;
		if (!make)
			return NULL;
		if (__atomic_compare_exchange_n(&g->handle, &seen, handle, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) || seen == handle)
			return g;
	}
	return NULL;
}

static void add_work(struct graph *g, const uint32_t work[DLT_WORKS])
{
	for (unsigned i = 0; g && i < DLT_WORKS; i++)
		__atomic_add_fetch(&g->work[i], work[i], __ATOMIC_RELAXED);
	if (g)
		__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
}

static bool is_new(const void *node)
{
	bool again = node == last_node;

	last_node = node;
	return !again;
}

void dlt_graph_add(const void *graph, const void *node, enum dlt_work work)
{
	uint32_t one[DLT_WORKS] = { 0 };

	one[work] = 1;
	if (is_new(node))
		add_work(graph_of((uintptr_t)graph, true), one);
}

void dlt_graph_child(const void *graph, const void *node, const void *child)
{
	const struct graph *g = graph_of((uintptr_t)child, false);

	if (is_new(node) && g)
		add_work(graph_of((uintptr_t)graph, true), g->work);
}

void dlt_graph_add_node(const void *graph, const void *node, const void *params)
{
	enum { KERNEL, COPY, SET, CHILD = 4 };
	struct {
		int type, reserved[3];
		const void *child;
	} p = { .type = -1 };

	if (params)
		memcpy(&p, params, sizeof(p));
	if (p.type == CHILD)
		dlt_graph_child(graph, node, p.child);
	else if (p.type >= KERNEL && p.type <= SET)
		dlt_graph_add(graph, node, (enum dlt_work)p.type);
}

void dlt_graph_copy(const void *to, const void *from)
{
	const struct graph *g = graph_of((uintptr_t)from, false);
	struct graph *copy;

	dlt_graph_gone(to);
	copy = g ? graph_of((uintptr_t)to, true) : NULL;
	if (copy && copy != g)
		add_work(copy, g->work);
}

/* Its place stays taken, for the next one with this handle. */
void dlt_graph_gone(const void *graph)
{
	struct graph *g = graph_of((uintptr_t)graph, false);

	for (unsigned i = 0; g && i < DLT_WORKS; i++)
		__atomic_store_n(&g->work[i], 0, __ATOMIC_RELAXED);
	if (g)
		__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
}

uint32_t dlt_graph_shape(const void *exec)
{
	struct graph *g = graph_of((uintptr_t)exec, false);
	uint64_t values[DLT_WORKS];
	uint32_t id;

	if (!g)
		return 0;
	id = __atomic_load_n(&g->object, __ATOMIC_RELAXED);
	if (id)
		return id;
	for (unsigned i = 0; i < DLT_WORKS; i++)
		values[i] = __atomic_load_n(&g->work[i], __ATOMIC_RELAXED);
	id = dlt_object_id(DLT_OBJECT_GRAPH, exec, values, DLT_WORKS);
	__atomic_store_n(&g->object, id, __ATOMIC_RELAXED);
	return id;
}

/* ---- captures ------------------------------------------------------------------------------ */

static void captured(const void *stream, const uint32_t work[DLT_WORKS])
{
	struct capture *c = &captures[dlt_stream_capture(stream)];

	for (unsigned i = 0; c != captures && i < DLT_WORKS; i++)
		__atomic_add_fetch(&c->work[i], work[i], __ATOMIC_RELAXED);
}

void dlt_captured_slow(const void *stream, enum dlt_work work)
{
	uint32_t one[DLT_WORKS] = { 0 };

	one[work] = 1;
	captured(stream, one);
}

void dlt_captured_graph_slow(const void *exec, const void *stream)
{
	const struct graph *g = graph_of((uintptr_t)exec, false);

	if (g)
		captured(stream, g->work);
}

void dlt_capture_begin(const void *stream, const void *graph)
{
	if (dlt_stream_capture(stream))
		return;
	for (unsigned i = 1; i < CAPTURES; i++) {
		struct capture *c = &captures[i];

		if (__atomic_exchange_n(&c->used, 1, __ATOMIC_ACQUIRE))
			continue;
		c->graph = (uintptr_t)graph;
		memset(c->work, 0, sizeof(c->work));
		dlt_stream_set_capture(stream, (uint8_t)i);
		__atomic_add_fetch(&dlt_capturing, 1, __ATOMIC_RELAXED);
		return;
	}
}

void dlt_capture_end(bool ok, const void *stream, const void *graph)
{
	uint8_t index = dlt_stream_capture(stream);
	struct capture *c = &captures[index];

	if (!index)
		return;
	if (ok && graph && !c->graph)
		dlt_graph_gone(graph);	/* what had this handle before */
	if (ok && graph)
		add_work(graph_of((uintptr_t)graph, true), c->work);
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

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
#define NODES 8192		/* added one by one; a power of 2 */
#define NODE_BITS 13
#define WINDOW 16		/* places that a node may be in */
#define OFF 256			/* nodes that are switched off in what can be launched */

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

/* What is captured has no nodes that are known by their handles. */
struct node {
	uintptr_t handle;		/* 0: free */
	uintptr_t graph;
	uint32_t work[DLT_WORKS];
};

struct off {
	uintptr_t exec;			/* 0: free */
	uintptr_t node;
};

int dlt_capturing;
static struct node nodes[NODES];
static struct off offs[OFF];
static bool has_nodes, has_offs;	/* ever */
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

static void change_work(struct graph *g, const uint32_t work[DLT_WORKS], bool more)
{
	for (unsigned i = 0; g && i < DLT_WORKS; i++) {
		if (more)
			__atomic_add_fetch(&g->work[i], work[i], __ATOMIC_RELAXED);
		else
			__atomic_sub_fetch(&g->work[i], work[i], __ATOMIC_RELAXED);
	}
	if (g)
		__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
}

static void add_work(struct graph *g, const uint32_t work[DLT_WORKS])
{
	change_work(g, work, true);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static struct node *node_at(uintptr_t handle, unsigned i)
{
	return &nodes[((handle * 0x9e3779b97f4a7c15 >> (64 - NODE_BITS)) + i) % NODES];
}

/* The node's place. */
static struct node *node_of(const void *node)
{
	for (unsigned i = 0; node && i < WINDOW; i++) {
		struct node *n = node_at((uintptr_t)node, i);

		if (__atomic_load_n(&n->handle, __ATOMIC_ACQUIRE) == (uintptr_t)node)
			return n;
	}
	return NULL;
}

/* One whose graph is gone has left its handle to others; where all is full it is not followed. */
static void keep_node(const void *node, const void *graph, const uint32_t work[DLT_WORKS])
{
	struct node *n = node_of(node);

	for (unsigned i = 0; !n && i < WINDOW; i++) {
		uintptr_t none = 0;

		n = node_at((uintptr_t)node, i);
		if (!__atomic_compare_exchange_n(&n->handle, &none, (uintptr_t)node, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			n = NULL;
	}
	if (!n)
		return;
	has_nodes = true;
	n->graph = (uintptr_t)graph;
	memcpy(n->work, work, sizeof(n->work));
}

static void forget_nodes(uintptr_t graph)
{
	for (unsigned i = 0; has_nodes && i < NODES; i++)
		if (nodes[i].handle && nodes[i].graph == graph)
			__atomic_store_n(&nodes[i].handle, 0, __ATOMIC_RELEASE);
}

static void switch_all_on(uintptr_t exec)
{
	for (unsigned i = 0; has_offs && i < OFF; i++)
		if (__atomic_load_n(&offs[i].exec, __ATOMIC_RELAXED) == exec)
			__atomic_store_n(&offs[i].exec, 0, __ATOMIC_RELEASE);
}

/* The driver's call inside the runtime's finds it gone already. */
void dlt_graph_remove(const void *node)
{
	struct node *n = node_of(node);

	last_node = NULL;	/* its handle may come again at once */
	if (!n)
		return;
	change_work(graph_of(n->graph, false), n->work, false);
	__atomic_store_n(&n->handle, 0, __ATOMIC_RELEASE);
}

/* True: it was as is said before, or there is no room to remember. */
static bool is_switched(uintptr_t exec, uintptr_t node, bool on)
{
	struct off *free_one = NULL;

	for (unsigned i = 0; i < OFF; i++) {
		uintptr_t seen = __atomic_load_n(&offs[i].exec, __ATOMIC_ACQUIRE);

		if (seen == exec && offs[i].node == node) {
			if (on)
				__atomic_store_n(&offs[i].exec, 0, __ATOMIC_RELEASE);
			return !on;
		}
		free_one = seen || free_one ? free_one : &offs[i];
	}
	if (on || !free_one)
		return true;
	has_offs = true;
	free_one->node = node;
	__atomic_store_n(&free_one->exec, exec, __ATOMIC_RELEASE);
	return false;
}

void dlt_graph_switch(const void *exec, const void *node, bool on)
{
	const struct node *n = node_of(node);

	if (n && !is_switched((uintptr_t)exec, (uintptr_t)node, on))
		change_work(graph_of((uintptr_t)exec, false), n->work, on);
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
	if (!is_new(node))
		return;
	add_work(graph_of((uintptr_t)graph, true), one);
	keep_node(node, graph, one);
}

void dlt_graph_child(const void *graph, const void *node, const void *child)
{
	const struct graph *g = graph_of((uintptr_t)child, false);

	if (!is_new(node) || !g)
		return;
	add_work(graph_of((uintptr_t)graph, true), g->work);
	keep_node(node, graph, g->work);
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

	if (!g)
		return;
	forget_nodes((uintptr_t)graph);
	switch_all_on((uintptr_t)graph);
	for (unsigned i = 0; i < DLT_WORKS; i++)
		__atomic_store_n(&g->work[i], 0, __ATOMIC_RELAXED);
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

/* SPDX-License-Identifier: MIT */
/* Captures in progress, events that carry them to other streams, and the work in each graph. */
#include "captures.h"

#include <stddef.h>
#include <string.h>

#include "ledger.h"
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
#define DEVICE_LAUNCH 4		/* cudaGraphInstantiateFlagDeviceLaunch */

struct capture {
	uint32_t used;
	uintptr_t graph;		/* that it goes into; 0: a new one */
	uint32_t number;
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
	uint32_t touched;		/* number of the last capture that had begun when work was added */
};

struct node {
	uintptr_t handle;		/* 0: free */
	uintptr_t graph;		/* 0: not known */
	bool known;			/* what it is: `work` */
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
static uint32_t last_capture;
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
	if (!g)
		return;
	g->touched = __atomic_load_n(&last_capture, __ATOMIC_RELAXED);
	__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
}

static void add_work(struct graph *g, const uint32_t work[DLT_WORKS])
{
	change_work(g, work, true);
}

static void add_one(struct graph *g, enum dlt_work work)
{
	uint32_t one[DLT_WORKS] = { 0 };

	one[work] = 1;
	add_work(g, one);
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

/* Its place, or a free one; NULL: all is full, it is not followed. */
static struct node *node_make(const void *node)
{
	struct node *n = node_of(node);

	for (unsigned i = 0; node && !n && i < WINDOW; i++) {
		uintptr_t none = 0;

		n = node_at((uintptr_t)node, i);
		if (!__atomic_compare_exchange_n(&n->handle, &none, (uintptr_t)node, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			n = NULL;
		else
			n->known = false;
	}
	if (n)
		has_nodes = true;
	return n;
}

/* One whose graph is gone has left its handle to others. work NULL: not known what it is. */
static void keep_node(const void *node, const void *graph, const uint32_t *work)
{
	struct node *n = node_make(node);

	if (!n)
		return;
	n->graph = (uintptr_t)graph;
	n->known = work != NULL;
	if (work)
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

	if (!n)
		return;
	if (n->known)
		change_work(graph_of(n->graph, false), n->work, false);
	else
		add_one(graph_of(n->graph, false), DLT_WORK_UNSURE);
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

	if (is_switched((uintptr_t)exec, (uintptr_t)node, on))
		return;
	if (n && n->known)
		change_work(graph_of((uintptr_t)exec, false), n->work, on);
	else
		add_one(graph_of((uintptr_t)exec, false), DLT_WORK_UNSURE);
}

void dlt_graph_nodes(const void *graph, void *const *list, const size_t *count)
{
	size_t most = count ? *count : 1;

	for (size_t i = 0; graph && list && i < most && i < NODES; i++) {
		struct node *n = node_make(list[i]);

		if (n && n->graph != (uintptr_t)graph && !n->known)
			n->graph = (uintptr_t)graph;
	}
}

void dlt_graph_node_is(const void *node, int type)
{
	struct node *n = node_make(node);

	if (!n || n->known)
		return;
	memset(n->work, 0, sizeof(n->work));
	if (type >= DLT_NODE_KERNEL && type <= DLT_NODE_SET)
		n->work[type] = 1;
	/* What is inside a child is in no list that is asked for with it. */
	n->known = type != DLT_NODE_CHILD;
}

void dlt_graph_found(const void *node, const void *original, const void *clone)
{
	const struct node *n = node_of(original);

	keep_node(node, clone, n && n->known ? n->work : NULL);
}

const void *dlt_node_said(const void *node)
{
	last_node = node;
	return node;
}

const void *dlt_node_once(const void *node)
{
	const void *said = last_node;

	last_node = NULL;
	return said == node ? NULL : node;
}

void dlt_graph_add(const void *graph, const void *node, enum dlt_work work)
{
	uint32_t one[DLT_WORKS] = { 0 };

	one[work] = 1;
	if (!node)
		return;
	add_work(graph_of((uintptr_t)graph, true), one);
	keep_node(node, graph, one);
}

void dlt_graph_child(const void *graph, const void *node, const void *child)
{
	const struct graph *g = graph_of((uintptr_t)child, false);

	if (!node || !g)
		return;
	add_work(graph_of((uintptr_t)graph, true), g->work);
	keep_node(node, graph, g->work);
}

void dlt_graph_add_node(const void *graph, const void *node, const void *params)
{
	struct {
		int type, reserved[3];
		const void *child;
	} p = { .type = -1 };

	if (!params || !node)
		return;
	memcpy(&p, params, sizeof(p));
	if (p.type == DLT_NODE_CHILD)
		dlt_graph_child(graph, node, p.child);
	else if (p.type >= DLT_NODE_KERNEL && p.type <= DLT_NODE_SET)
		dlt_graph_add(graph, node, (enum dlt_work)p.type);
	else if (p.type == DLT_NODE_CONDITIONAL)
		dlt_graph_add(graph, node, DLT_WORK_UNSURE);
	else if (p.type == DLT_NODE_ALLOCATE)
		dlt_ledger_graph(dlt_cuda_allocates((const char *)params + 16));
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

void dlt_graph_made(const void *exec, const void *graph, uint64_t flags)
{
	dlt_graph_copy(exec, graph);
	if (flags & DEVICE_LAUNCH)
		add_one(graph_of((uintptr_t)exec, true), DLT_WORK_UNSURE);
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
		c->number = __atomic_add_fetch(&last_capture, 1, __ATOMIC_RELAXED);
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
	struct graph *g;

	if (!index)
		return;
	g = ok ? graph_of((uintptr_t)graph, true) : NULL;
	/* What had this handle before; but nodes may be added by hand while it is captured. */
	if (g && !c->graph && (int32_t)(g->touched - c->number) < 0)
		dlt_graph_gone(graph);
	add_work(g, c->work);
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

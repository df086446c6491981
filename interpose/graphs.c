/* SPDX-License-Identifier: MIT */
/* The work in each graph, and in what can be launched of it, by its nodes where these are known. */
#include "graphs.h"

#include <stddef.h>
#include <string.h>

#include "objects.h"

#define GRAPHS 16384		/* at a time, with what can be launched of them; a power of 2 */
#define GRAPH_BITS 14
#define NODES 8192		/* added one by one; a power of 2 */
#define NODE_BITS 13
#define WINDOW 16		/* places that a graph, or a node, may be in */
#define DEVICE_LAUNCH 4		/* cudaGraphInstantiateFlagDeviceLaunch */

static struct node nodes[NODES];
static struct graph graphs[GRAPHS];
static bool full;		/* ever: a graph found no place */
static uint32_t insides;	/* graphs that are inside of others */
static uint32_t last_change;	/* of a node in its graph */
__thread uint32_t dlt_graphs_said;

/* ---- graphs -------------------------------------------------------------------------------- */

static struct graph *graph_at(uintptr_t handle, unsigned i)
{
	return &graphs[((handle * 0x9e3779b97f4a7c15 >> (64 - GRAPH_BITS)) + i) % GRAPHS];
}

static struct graph *graph_find(uintptr_t handle)
{
	for (unsigned i = 0; handle && i < WINDOW; i++) {
		struct graph *g = graph_at(handle, i);

		if (__atomic_load_n(&g->handle, __ATOMIC_ACQUIRE) == handle)
			return g;
	}
	return NULL;
}

struct graph *dlt_graph_of(uintptr_t handle, bool make)
{
	struct graph *g = graph_find(handle);

	for (unsigned i = 0; make && handle && !g && i < WINDOW; i++) {
		uintptr_t seen = 0;

		g = graph_at(handle, i);
		if (!__atomic_compare_exchange_n(&g->handle, &seen, handle, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE) && seen != handle)
			g = NULL;
	}
	if (make && handle && !g)
		full = true;
	return g;
}

static uint32_t next_change(void)
{
	return __atomic_add_fetch(&last_change, 1, __ATOMIC_RELAXED);
}

void dlt_work_outside(const struct graph *g, uint64_t outside[DLT_WORKS], const uint64_t work[DLT_WORKS])
{
	uint64_t kernels = work[DLT_WORK_KERNEL] + work[DLT_WORK_BODY_KERNEL];

	if (!g || !g->body) {
		memmove(outside, work, DLT_WORKS * sizeof(*work));
		return;
	}
	memset(outside, 0, DLT_WORKS * sizeof(*outside));
	outside[DLT_WORK_BODY_KERNEL] = kernels;
}

static void add_work(uint64_t *sums, const uint64_t work[DLT_WORKS])
{
	for (unsigned i = 0; i < DLT_WORKS; i++)
		if (work[i])
			__atomic_add_fetch(&sums[i], work[i], __ATOMIC_RELAXED);
}

void dlt_graph_add_work(struct graph *g, const uint64_t work[DLT_WORKS])
{
	uint64_t more[DLT_WORKS];
	struct node *n;

	memcpy(more, work, sizeof(more));
	for (unsigned i = 0; g && i < GRAPHS_DEEP; i++) {
		add_work(g->work, more);
		g->touched = __atomic_load_n(&dlt_last_capture, __ATOMIC_RELAXED);
		__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
		n = g->inside ? dlt_node_of(g->inside) : NULL;
		if (!n)
			return;
		dlt_work_outside(g, more, more);
		add_work(n->work, more);
		n->changed = next_change();
		g = dlt_graph_of(n->graph, false);
	}
}

static enum dlt_work bytes_of(enum dlt_work work)
{
	return work == DLT_WORK_SET ? DLT_WORK_SET_BYTES : DLT_WORK_COPY_BYTES;
}

void dlt_work_one(uint64_t one[DLT_WORKS], enum dlt_work work, uint64_t bytes)
{
	memset(one, 0, DLT_WORKS * sizeof(*one));
	one[work] = 1;
	if (work == DLT_WORK_COPY || work == DLT_WORK_SET)
		one[bytes_of(work)] = bytes;
}

void dlt_graph_unsure(struct graph *g)
{
	uint64_t one[DLT_WORKS];

	dlt_work_one(one, DLT_WORK_UNSURE, 0);
	dlt_graph_add_work(g, one);
}

void dlt_graph_captured(const void *graph, const uint64_t work[DLT_WORKS])
{
	struct graph *g = dlt_graph_of((uintptr_t)graph, true);

	if (g)
		g->hides = true;
	dlt_graph_add_work(g, work);
}

/* A node is not known, nor in which graph it is: it may be in any that hides some. */
static void unsure_somewhere(void)
{
	for (unsigned i = 0; i < GRAPHS; i++)
		if (graphs[i].hides && !graphs[i].work[DLT_WORK_UNSURE])
			dlt_graph_unsure(&graphs[i]);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static struct node *node_at(uintptr_t handle, unsigned i)
{
	return &nodes[((handle * 0x9e3779b97f4a7c15 >> (64 - NODE_BITS)) + i) % NODES];
}

struct node *dlt_node_of(uintptr_t handle)
{
	for (unsigned i = 0; handle && i < WINDOW; i++) {
		struct node *n = node_at(handle, i);

		if (__atomic_load_n(&n->handle, __ATOMIC_ACQUIRE) == handle)
			return n;
	}
	return NULL;
}

static struct node *node_of(const void *node)
{
	return dlt_node_of((uintptr_t)node);
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
			*n = (struct node){ .handle = (uintptr_t)node };
	}
	return n;
}

static void belongs(struct node *n, const void *graph)
{
	struct graph *g = dlt_graph_of((uintptr_t)graph, true);

	if (n)
		n->graph = (uintptr_t)graph;
	if (!g)
		return;
	g->has_nodes |= n != NULL;
	g->hides |= n == NULL;
}

/* One whose graph is gone has left its handle to others. */
static struct node *keep_node(const void *node, const void *graph, enum dlt_node type, const uint64_t work[DLT_WORKS])
{
	struct node *n = node_make(node);

	belongs(n, graph);
	if (!n)
		return NULL;
	n->changed = next_change();
	n->known = n->sized = true;
	n->type = (uint8_t)type;
	memcpy(n->work, work, sizeof(n->work));
	return n;
}

/* node: 0: of none. */
static void be_inside(struct graph *g, uintptr_t node)
{
	__atomic_add_fetch(&insides, (node != 0) - (g->inside != 0), __ATOMIC_RELAXED);
	g->inside = node;
}

/* A graph goes with the node that it is inside of. */
static void forget_inside(void)
{
	uint32_t left = __atomic_load_n(&insides, __ATOMIC_RELAXED);

	for (unsigned i = 0; left && i < GRAPHS; i++) {
		struct graph *g = &graphs[i];

		left -= g->inside != 0;
		if (g->inside && !dlt_node_of(g->inside)) {
			be_inside(g, 0);
			dlt_graph_gone((const void *)g->handle);
		}
	}
}

static void forget_nodes(struct graph *g)
{
	for (unsigned i = 0; g->has_nodes && i < NODES; i++)
		if (nodes[i].handle && nodes[i].graph == g->handle)
			__atomic_store_n(&nodes[i].handle, 0, __ATOMIC_RELEASE);
	if (g->has_nodes)
		forget_inside();
	g->has_nodes = false;
}

void dlt_graph_remove(const void *node)
{
	struct node *n = node_of(node);
	struct graph *g = n ? dlt_graph_of(n->graph, false) : NULL;
	uint64_t less[DLT_WORKS];

	if (!g)
		unsure_somewhere();
	if (!n)
		return;
	for (unsigned i = 0; i < DLT_WORKS; i++)
		less[i] = n->known ? -n->work[i] : 0;
	dlt_graph_add_work(g, less);
	if (!n->known || (!n->sized && dlt_node_moves(n)))
		dlt_graph_unsure(g);
	__atomic_store_n(&n->handle, 0, __ATOMIC_RELEASE);
	forget_inside();
}

/* What stands in conditional nodes, and what is unsure, is what it was: that is not captured. */
void dlt_graph_captured_again(struct graph *g, const uint64_t work[DLT_WORKS])
{
	static const bool replaced[DLT_WORKS] = {
		[DLT_WORK_KERNEL] = true, [DLT_WORK_COPY] = true, [DLT_WORK_SET] = true,
		[DLT_WORK_COPY_BYTES] = true, [DLT_WORK_SET_BYTES] = true,
	};
	uint64_t more[DLT_WORKS] = { 0 };

	for (unsigned i = 0; g && i < DLT_WORKS; i++)
		more[i] = replaced[i] ? work[i] - g->work[i] : 0;
	dlt_graph_add_work(g, more);
	if (!more[DLT_WORK_COPY_BYTES] && !more[DLT_WORK_SET_BYTES])
		return;
	for (unsigned i = 0; g->has_nodes && i < NODES; i++) {
		struct node *n = &nodes[i];

		if (!n->handle || n->graph != g->handle || !dlt_node_moves(n))
			continue;
		n->work[bytes_of((enum dlt_work)n->type)] = 0;
		n->sized = false;
		n->changed = next_change();
	}
}

/* ---- other parameters ------------------------------------------------------------------------ */

/* Of a node in its graph. */
static void change(struct node *n, const uint64_t work[DLT_WORKS])
{
	uint64_t more[DLT_WORKS];

	for (unsigned i = 0; i < DLT_WORKS; i++)
		more[i] = work[i] - n->work[i];
	memcpy(n->work, work, sizeof(n->work));
	n->changed = next_change();
	dlt_graph_add_work(dlt_graph_of(n->graph, false), more);
}

void dlt_graph_resize(const void *exec, const void *node, uint64_t bytes)
{
	struct node *n = node_of(node);
	struct graph *g = dlt_graph_of(exec ? (uintptr_t)exec : n ? n->graph : 0, false);
	uint64_t work[DLT_WORKS];

	if (!g && !exec)
		unsure_somewhere();
	if (!g)
		return;
	if (!n || !n->sized || !dlt_node_moves(n)) {
		if (n)
			n->changed = next_change();
		dlt_graph_unsure(g);
		return;
	}
	memcpy(work, n->work, sizeof(work));
	work[bytes_of((enum dlt_work)n->type)] = bytes;
	if (exec)
		dlt_exec_change(g, n, work, false);
	else
		change(n, work);
}

static void child_is(struct node *n, const void *child)
{
	const struct graph *c = dlt_graph_of((uintptr_t)child, false);
	struct graph *g = n ? dlt_graph_of(n->graph, false) : NULL;

	if (!g)
		unsure_somewhere();
	else if (c && n->known)
		change(n, c->work);
	else
		dlt_graph_unsure(g);
}

void dlt_graph_child_is(const void *exec, const void *node, const void *child)
{
	static const uint64_t nothing[DLT_WORKS];
	const struct graph *c = dlt_graph_of((uintptr_t)child, false);
	struct graph *g = dlt_graph_of((uintptr_t)exec, false);
	struct node *n = node_of(node);

	if (!exec)
		child_is(n, child);
	else if (!n && g)
		dlt_graph_unsure(g);
	else if (g)
		dlt_exec_change(g, n, c ? c->work : nothing, true);
}

void dlt_graph_nodes(const void *graph, void *const *list, const size_t *count)
{
	size_t most = count ? *count : 1;

	for (size_t i = 0; graph && list && i < most && i < NODES; i++) {
		struct node *n = node_make(list[i]);

		if (n && n->graph != (uintptr_t)graph && !n->known)
			belongs(n, graph);
	}
}

void dlt_graph_edges(const void *graph, void *const *from, void *const *to, const size_t *count)
{
	dlt_graph_nodes(graph, from, count);
	dlt_graph_nodes(graph, to, count);
}

void dlt_graph_beside(const void *node, void *const *list, const size_t *count)
{
	const struct node *n = node_of(node);

	if (n && n->graph)
		dlt_graph_nodes((const void *)n->graph, list, count);
}

void dlt_graph_node_is(const void *node, int type)
{
	struct node *n = node_make(node);

	if (!n || n->known)
		return;
	type = dlt_node_plain(type);
	memset(n->work, 0, sizeof(n->work));
	if (type >= DLT_NODE_KERNEL && type <= DLT_NODE_SET)
		n->work[type] = 1;
	n->type = (uint8_t)type;
	/* What is inside a child is in no list that is asked for with it. */
	n->known = type != DLT_NODE_CHILD && type != DLT_NODE_CONDITIONAL;
	n->sized = false;
}

void dlt_graph_node_moves(const void *node, int type, uint64_t bytes)
{
	struct node *n;

	dlt_graph_node_is(node, type);
	n = node_of(node);
	if (!n || n->sized || !dlt_node_moves(n))
		return;
	n->work[bytes_of((enum dlt_work)type)] = bytes;
	n->sized = true;
}

void dlt_graph_found(const void *node, const void *original, const void *clone)
{
	const struct node *n = node_of(original);
	const struct graph *g = dlt_graph_of((uintptr_t)clone, false);
	struct node *found;

	bool same = n && n->known && g && (int32_t)(n->changed - g->made) <= 0;

	/* As it was when the clone was made of its graph; else it is only known where it is. */
	found = same ? keep_node(node, clone, (enum dlt_node)n->type, n->work) : node_make(node);
	if (!found)
		return;
	belongs(found, clone);
	found->known = same;
	found->sized = same && n->sized;
	found->changed = n ? n->changed : 0;
}

void dlt_graph_add(const void *graph, const void *node, enum dlt_work work, uint64_t bytes)
{
	enum dlt_node type = work == DLT_WORK_CONDITIONAL ? DLT_NODE_CONDITIONAL : (enum dlt_node)work;
	uint64_t one[DLT_WORKS];

	if (!node)
		return;
	dlt_work_one(one, work, bytes);
	if (work == DLT_WORK_CONDITIONAL)
		one[DLT_WORK_UNSURE] = 1;
	dlt_graph_add_work(dlt_graph_of((uintptr_t)graph, true), one);
	keep_node(node, graph, type, one);
}

void dlt_graph_other(const void *graph, const void *node)
{
	static const uint64_t nothing[DLT_WORKS];

	if (node)
		keep_node(node, graph, DLT_NODE_OTHER, nothing);
}

void dlt_graph_child(const void *graph, const void *node, const void *child)
{
	static const uint64_t nothing[DLT_WORKS];
	const struct graph *g = dlt_graph_of((uintptr_t)child, false);
	const uint64_t *work = g ? g->work : nothing;

	if (!node)
		return;
	dlt_graph_add_work(dlt_graph_of((uintptr_t)graph, true), work);
	keep_node(node, graph, DLT_NODE_CHILD, work);
}

/* ---- graphs inside of others ------------------------------------------------------------------ */

struct graph *dlt_graph_put_inside(const void *graph, const void *node)
{
	struct graph *g = graph && node ? dlt_graph_of((uintptr_t)graph, true) : NULL;

	if (g)
		be_inside(g, (uintptr_t)node);
	return g;
}

void dlt_graph_inside(const void *graph, const void *node)
{
	const struct graph *known = dlt_graph_of((uintptr_t)graph, false);
	struct node *n = node_make(node);
	struct graph *g;

	if (!n || (known && known->inside == (uintptr_t)node))
		return;
	dlt_graph_gone(graph);
	g = dlt_graph_put_inside(graph, node);
	if (g)
		g->hides = true;
	if (!g || !n->known)
		return;
	memcpy(g->work, n->work, sizeof(g->work));
	g->made = n->changed;
}

/* ---- copies ------------------------------------------------------------------------------------ */

/* NULL: nothing is known of the one that it is copied from. */
static struct graph *copy_of(const void *to, const void *from)
{
	const struct graph *g = dlt_graph_of((uintptr_t)from, false);
	struct graph *copy = g ? dlt_graph_of((uintptr_t)to, true) : NULL;

	if (!copy || copy == g)
		return NULL;
	copy->made = next_change();
	dlt_graph_add_work(copy, g->work);
	return copy;
}

void dlt_graph_copy(const void *to, const void *from)
{
	struct graph *g;

	dlt_graph_gone(to);
	g = copy_of(to, from);
	if (g)
		g->hides = true;
}

void dlt_graph_made(const void *exec, const void *graph, uint64_t flags)
{
	struct graph *g;

	dlt_graph_gone(exec);
	g = copy_of(exec, graph);
	if (!g)
		return;
	g->source = (uintptr_t)graph;
	g->by_gpu = flags & DEVICE_LAUNCH;
	if (g->by_gpu)
		dlt_graph_unsure(g);
}

static void clear(struct graph *g)
{
	for (unsigned i = 0; i < DLT_WORKS; i++)
		__atomic_store_n(&g->work[i], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
}

void dlt_graph_updated(const void *exec, const void *graph)
{
	struct graph *g = dlt_graph_of((uintptr_t)exec, true);

	if (!g || (uintptr_t)exec == (uintptr_t)graph)
		return;
	clear(g);
	copy_of(exec, graph);
	g->from_other = g->source != (uintptr_t)graph;
	if (g->by_gpu)
		dlt_graph_unsure(g);
	dlt_exec_updated(g);
}

/* Its place is for others; whoever has a pointer to it looks it up again. */
void dlt_graph_gone(const void *graph)
{
	struct graph *g = dlt_graph_of((uintptr_t)graph, false);

	if (!g)
		return;
	forget_nodes(g);
	dlt_exec_forget(g);
	clear(g);
	g->hides = g->body = g->from_other = g->by_gpu = false;
	be_inside(g, 0);
	g->source = 0;
	g->touched = g->made = 0;
	__atomic_store_n(&g->handle, 0, __ATOMIC_RELEASE);
}

uint32_t dlt_graph_shape(const void *exec)
{
	struct graph *g = dlt_graph_of((uintptr_t)exec, false);
	uint64_t values[DLT_WORKS];
	uint32_t id;

	if (!g && full)
		dlt_missed(DLT_MISSED_GRAPH);
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

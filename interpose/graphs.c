/* SPDX-License-Identifier: MIT */
/* The work in each graph, and in what can be launched of it, by its nodes where these are known. */
#include "graphs.h"

#include <stddef.h>
#include <string.h>

#include "cu_types.h"
#include "ledger.h"
#include "objects.h"

#define GRAPHS 4096		/* a power of 2 */
#define GRAPH_BITS 12
#define NODES 8192		/* added one by one; a power of 2 */
#define NODE_BITS 13
#define WINDOW 16		/* places that a node may be in */
#define OFF 256			/* nodes that are switched off in what can be launched */
#define RESIZED 256		/* nodes that are of another size there than in their graph */
#define DEVICE_LAUNCH 4		/* cudaGraphInstantiateFlagDeviceLaunch */

struct node {
	uintptr_t handle;		/* 0: free */
	uintptr_t graph;		/* 0: not known */
	bool known;			/* what it is: `work` */
	bool sized;			/* ... and its bytes */
	uint64_t work[DLT_WORKS];
};

struct off {
	uintptr_t exec;			/* 0: free */
	uintptr_t node;
};

struct resized {
	uintptr_t exec;			/* 0: free */
	uintptr_t node;
	uint64_t bytes;
};

static struct node nodes[NODES];
static struct off offs[OFF];
static struct resized resized[RESIZED];
static bool has_nodes, has_offs, has_resized;	/* ever */
static struct graph graphs[GRAPHS];
static __thread const void *last_node;

/* ---- graphs -------------------------------------------------------------------------------- */

struct graph *dlt_graph_of(uintptr_t handle, bool make)
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

static void change_work(struct graph *g, const uint64_t work[DLT_WORKS], bool more)
{
	for (unsigned i = 0; g && i < DLT_WORKS; i++) {
		if (more)
			__atomic_add_fetch(&g->work[i], work[i], __ATOMIC_RELAXED);
		else
			__atomic_sub_fetch(&g->work[i], work[i], __ATOMIC_RELAXED);
	}
	if (!g)
		return;
	g->touched = __atomic_load_n(&dlt_last_capture, __ATOMIC_RELAXED);
	__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
}

void dlt_graph_add_work(struct graph *g, const uint64_t work[DLT_WORKS])
{
	change_work(g, work, true);
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

static void add_one(struct graph *g, enum dlt_work work)
{
	uint64_t one[DLT_WORKS];

	dlt_work_one(one, work, 0);
	dlt_graph_add_work(g, one);
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
static void keep_node(const void *node, const void *graph, const uint64_t *work)
{
	struct node *n = node_make(node);

	if (!n)
		return;
	n->graph = (uintptr_t)graph;
	n->known = n->sized = work != NULL;
	if (work)
		memcpy(n->work, work, sizeof(n->work));
}

static bool moves(const struct node *n)
{
	return n->work[DLT_WORK_COPY] || n->work[DLT_WORK_SET];
}

/* This node's work comes to a graph, or leaves it; what is not known is unsure. */
static void change_node(struct graph *g, const struct node *n, const uint64_t *work, bool more)
{
	if (n && n->known)
		change_work(g, work, more);
	if (!n || !n->known || (!n->sized && moves(n)))
		add_one(g, DLT_WORK_UNSURE);
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
	for (unsigned i = 0; has_resized && i < RESIZED; i++)
		if (__atomic_load_n(&resized[i].exec, __ATOMIC_RELAXED) == exec)
			__atomic_store_n(&resized[i].exec, 0, __ATOMIC_RELEASE);
}

static struct resized *resized_of(uintptr_t exec, uintptr_t node)
{
	for (unsigned i = 0; has_resized && i < RESIZED; i++)
		if (__atomic_load_n(&resized[i].exec, __ATOMIC_ACQUIRE) == exec && resized[i].node == node)
			return &resized[i];
	return NULL;
}

/* NULL: all are taken. */
static struct resized *resized_make(uintptr_t exec, uintptr_t node)
{
	struct resized *r = resized_of(exec, node);

	if (r)
		return r;
	has_resized = true;
	for (r = resized; r < resized + RESIZED; r++) {
		uintptr_t none = 0;

		if (!__atomic_compare_exchange_n(&r->exec, &none, exec, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		r->node = node;
		return r;
	}
	return NULL;
}

/* The driver's call inside the runtime's finds it gone already. */
void dlt_graph_remove(const void *node)
{
	struct node *n = node_of(node);

	if (!n)
		return;
	change_node(dlt_graph_of(n->graph, false), n, n->work, false);
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
	const struct resized *r = resized_of((uintptr_t)exec, (uintptr_t)node);
	const struct node *n = node_of(node);
	uint64_t work[DLT_WORKS] = { 0 };

	if (is_switched((uintptr_t)exec, (uintptr_t)node, on))
		return;
	if (n)
		memcpy(work, n->work, sizeof(work));
	if (n && r)
		work[bytes_of(n->work[DLT_WORK_SET] ? DLT_WORK_SET : DLT_WORK_COPY)] = r->bytes;
	change_node(dlt_graph_of((uintptr_t)exec, false), n, work, on);
}

static bool is_off(uintptr_t exec, uintptr_t node)
{
	for (unsigned i = 0; has_offs && i < OFF; i++)
		if (__atomic_load_n(&offs[i].exec, __ATOMIC_ACQUIRE) == exec && offs[i].node == node)
			return true;
	return false;
}

/* *place: what was counted for it so far. */
static void resize(struct graph *g, enum dlt_work which, uint64_t *place, uint64_t bytes)
{
	if (g) {
		__atomic_add_fetch(&g->work[which], bytes - *place, __ATOMIC_RELAXED);
		__atomic_store_n(&g->object, 0, __ATOMIC_RELAXED);
	}
	*place = bytes;
}

void dlt_graph_resize(const void *exec, const void *node, uint64_t bytes)
{
	struct node *n = node_of(node);
	uintptr_t at = exec ? (uintptr_t)exec : n ? n->graph : 0;
	struct graph *g = dlt_graph_of(at, false);
	enum dlt_work which;
	struct resized *r;
	uint64_t was;

	if (!n || !n->known || !n->sized || !moves(n)) {
		add_one(g, DLT_WORK_UNSURE);
		return;
	}
	which = bytes_of(n->work[DLT_WORK_SET] ? DLT_WORK_SET : DLT_WORK_COPY);
	if (!exec) {
		resize(g, which, &n->work[which], bytes);
		return;
	}
	was = resized_of(at, (uintptr_t)node) ? resized_of(at, (uintptr_t)node)->bytes : n->work[which];
	r = was == bytes ? NULL : resized_make(at, (uintptr_t)node);
	if (r) {
		r->bytes = was;
		resize(is_off(at, (uintptr_t)node) ? NULL : g, which, &r->bytes, bytes);
	} else if (was != bytes) {
		add_one(g, DLT_WORK_UNSURE);
	}
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
	n->sized = false;
}

void dlt_graph_node_moves(const void *node, int type, uint64_t bytes)
{
	struct node *n;

	dlt_graph_node_is(node, type);
	n = node_of(node);
	if (!n || n->sized || !n->known || !moves(n))
		return;
	n->work[bytes_of((enum dlt_work)type)] = bytes;
	n->sized = true;
}

void dlt_graph_found(const void *node, const void *original, const void *clone)
{
	const struct node *n = node_of(original);

	struct node *found;

	keep_node(node, clone, n && n->known ? n->work : NULL);
	found = n ? node_of(node) : NULL;
	if (found)
		found->sized = n->sized;
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

void dlt_graph_add(const void *graph, const void *node, enum dlt_work work, uint64_t bytes)
{
	uint64_t one[DLT_WORKS];

	if (!node)
		return;
	dlt_work_one(one, work, bytes);
	if (work == DLT_WORK_CONDITIONAL)
		one[DLT_WORK_UNSURE] = 1;
	dlt_graph_add_work(dlt_graph_of((uintptr_t)graph, true), one);
	keep_node(node, graph, one);
}

void dlt_graph_child(const void *graph, const void *node, const void *child)
{
	const struct graph *g = dlt_graph_of((uintptr_t)child, false);

	if (!node || !g)
		return;
	dlt_graph_add_work(dlt_graph_of((uintptr_t)graph, true), g->work);
	keep_node(node, graph, g->work);
}

/* Behind the type come 12 bytes of nothing, then what is of that type; a copy has 16 bytes more before. */
static uint64_t bytes_in(const void *params, int type, bool driver)
{
	const char *of_type = (const char *)params + 16;

	if (type == DLT_NODE_SET)
		return dlt_cuda_set_size(of_type);
	if (type != DLT_NODE_COPY)
		return 0;
	return driver ? dlt_cu_copy3d_size((const struct dlt_cu_copy3d *)(const void *)(of_type + 16))
		      : dlt_cuda_copy3d_size((const struct dlt_cuda_copy3d *)(const void *)(of_type + 16));
}

void dlt_graph_resize_by(const void *exec, const void *node, const void *params, bool driver)
{
	int type = -1;

	if (!params)
		return;
	memcpy(&type, params, sizeof(type));
	if (type == DLT_NODE_COPY || type == DLT_NODE_SET)
		dlt_graph_resize(exec, node, bytes_in(params, type, driver));
}

void dlt_graph_add_node(const void *graph, const void *node, const void *params, bool driver)
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
		dlt_graph_add(graph, node, (enum dlt_work)p.type, bytes_in(params, p.type, driver));
	else if (p.type == DLT_NODE_CONDITIONAL)
		dlt_graph_add(graph, node, DLT_WORK_CONDITIONAL, 0);
	else if (p.type == DLT_NODE_ALLOCATE)
		dlt_ledger_graph(dlt_cuda_allocates((const char *)params + 16));
}

void dlt_graph_copy(const void *to, const void *from)
{
	const struct graph *g = dlt_graph_of((uintptr_t)from, false);
	struct graph *copy;

	dlt_graph_gone(to);
	copy = g ? dlt_graph_of((uintptr_t)to, true) : NULL;
	if (copy && copy != g)
		dlt_graph_add_work(copy, g->work);
}

void dlt_graph_made(const void *exec, const void *graph, uint64_t flags)
{
	dlt_graph_copy(exec, graph);
	if (flags & DEVICE_LAUNCH)
		add_one(dlt_graph_of((uintptr_t)exec, true), DLT_WORK_UNSURE);
}

/* Its place stays taken, for the next one with this handle. */
void dlt_graph_gone(const void *graph)
{
	struct graph *g = dlt_graph_of((uintptr_t)graph, false);

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
	struct graph *g = dlt_graph_of((uintptr_t)exec, false);
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

/* SPDX-License-Identifier: MIT */
/*
 * Nodes that are switched, or have other parameters, in what can be launched than in its graph. They
 * are named by the graph's nodes, which may have changed since it was made: then, and where it was
 * updated by another graph, it is not known what they did there.
 */
#include <stddef.h>
#include <string.h>

#include "graphs.h"

#define EDITS 1024		/* a power of 2 */
#define EDIT_BITS 10
#define WINDOW 16		/* places that one may be in */

struct edit {
	uintptr_t exec;			/* 0: free */
	uintptr_t node;
	bool off;
	bool changed;			/* it has `work`, on or off */
	bool replaced;			/* a child: nothing is known of the nodes inside */
	uint64_t work[DLT_WORKS];
};

static struct edit edits[EDITS];

/* Its place, or, if `make`, a new one; NULL: none, or all are taken. */
static struct edit *edit_of(struct graph *exec, uintptr_t node, bool make)
{
	uint64_t at = (exec->handle ^ node << 1) * 0x9e3779b97f4a7c15 >> (64 - EDIT_BITS);

	for (unsigned i = 0; exec->edited && i < WINDOW; i++) {
		struct edit *e = &edits[(at + i) % EDITS];

		if (__atomic_load_n(&e->exec, __ATOMIC_ACQUIRE) == exec->handle && e->node == node)
			return e;
	}
	for (unsigned i = 0; make && i < WINDOW; i++) {
		struct edit *e = &edits[(at + i) % EDITS];
		uintptr_t none = 0;

		if (!__atomic_compare_exchange_n(&e->exec, &none, exec->handle, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		e->node = node;
		e->off = e->changed = e->replaced = false;
		exec->edited = true;
		return e;
	}
	return NULL;
}

/* The node that this one's graph is inside of; NULL: that is the graph that all was made of, or none is known. */
static const struct node *outside_of(const struct graph *exec, const struct node *n)
{
	const struct graph *g = n->graph == exec->source ? NULL : dlt_graph_of(n->graph, false);

	return g && g->inside ? dlt_node_of(g->inside) : NULL;
}

/* What the node does now, if it is on. */
static bool is_known(struct graph *exec, const struct node *n, uint64_t work[DLT_WORKS])
{
	const struct edit *e;
	const struct node *m = n, *outer;

	for (unsigned i = 0; i < GRAPHS_DEEP && (outer = outside_of(exec, m)) != NULL; i++, m = outer) {
		e = edit_of(exec, outer->handle, false);
		if (e && e->replaced)
			return false;
	}
	e = edit_of(exec, n->handle, false);
	if (e && e->changed) {
		memcpy(work, e->work, sizeof(e->work));
		return true;
	}
	if (exec->from_other || !n->known || (int32_t)(n->changed - exec->made) > 0)
		return false;
	if (m->graph != exec->source)
		return false;
	memcpy(work, n->work, sizeof(n->work));
	return true;
}

/* Nodes around this one do so much more, too. *on: none of them is off. False: no room to remember. */
static bool change_around(struct graph *exec, const struct node *n, uint64_t more[DLT_WORKS], bool *on)
{
	const struct node *outer = n;

	for (unsigned i = 0; i < GRAPHS_DEEP; i++) {
		const struct graph *g = dlt_graph_of(outer->graph, false);
		uint64_t work[DLT_WORKS];
		struct edit *e;

		outer = outside_of(exec, outer);
		if (!outer)
			return true;
		dlt_work_outside(g, more, more);
		if (!is_known(exec, outer, work))
			return false;
		e = edit_of(exec, outer->handle, true);
		if (!e)
			return false;
		for (unsigned w = 0; w < DLT_WORKS; w++)
			e->work[w] = work[w] + more[w];
		e->changed = true;
		*on &= !e->off;
	}
	return false;
}

void dlt_exec_change(struct graph *exec, const struct node *n, const uint64_t work[DLT_WORKS], bool child)
{
	uint64_t was[DLT_WORKS], more[DLT_WORKS];
	bool known = is_known(exec, n, was), on;
	struct edit *e;

	if (known && !child && !memcmp(was, work, sizeof(was)))
		return;
	e = known ? edit_of(exec, n->handle, true) : NULL;
	if (!e) {
		dlt_graph_unsure(exec);
		return;
	}
	for (unsigned w = 0; w < DLT_WORKS; w++)
		more[w] = work[w] - was[w];
	memcpy(e->work, work, sizeof(e->work));
	e->changed = true;
	e->replaced |= child;
	on = !e->off;
	if (!change_around(exec, n, more, &on))
		dlt_graph_unsure(exec);
	else if (on)
		dlt_graph_add_work(exec, more);
}

/* Its work goes or comes; what is not known is unsure. */
static void count(struct graph *exec, const struct node *n, bool more)
{
	uint64_t work[DLT_WORKS];

	if (!n || !is_known(exec, n, work)) {
		dlt_graph_unsure(exec);
		return;
	}
	for (unsigned w = 0; !more && w < DLT_WORKS; w++)
		work[w] = -work[w];
	if (!change_around(exec, n, work, &(bool){ true }))
		dlt_graph_unsure(exec);
	else
		dlt_graph_add_work(exec, work);
	if (!n->sized && dlt_node_moves(n))
		dlt_graph_unsure(exec);
}

void dlt_graph_switch(const void *handle, const void *node, bool on)
{
	struct graph *exec = dlt_graph_of((uintptr_t)handle, false);
	struct edit *e = exec ? edit_of(exec, (uintptr_t)node, !on) : NULL;

	/* It is on, and was. */
	if (!exec || (on && !e))
		return;
	if (!e) {
		dlt_graph_unsure(exec);
		return;
	}
	if (e->off == !on)
		return;
	e->off = !on;
	count(exec, dlt_node_of((uintptr_t)node), on);
}

void dlt_exec_updated(struct graph *exec)
{
	for (unsigned i = 0; exec->edited && i < EDITS; i++) {
		struct edit *e = &edits[i];

		if (__atomic_load_n(&e->exec, __ATOMIC_ACQUIRE) != exec->handle)
			continue;
		e->changed = e->replaced = false;
		if (e->off)
			count(exec, dlt_node_of(e->node), false);
	}
}

void dlt_exec_forget(struct graph *exec)
{
	for (unsigned i = 0; exec->edited && i < EDITS; i++)
		if (__atomic_load_n(&edits[i].exec, __ATOMIC_RELAXED) == exec->handle)
			__atomic_store_n(&edits[i].exec, 0, __ATOMIC_RELEASE);
	exec->edited = false;
}

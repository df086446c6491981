/* SPDX-License-Identifier: MIT */
/*
 * What graphs.c knows of graphs and nodes, for captures.c and graph_execs.c. Lock-free.
 *
 * A graph may be inside a node of another one: a child's own copy of its graph, the body of a
 * conditional node. What changes in it changes that node's work, too.
 */
#ifndef DLT_INTERPOSE_GRAPHS_H
#define DLT_INTERPOSE_GRAPHS_H

#include "captures.h"

#define GRAPHS_DEEP 16		/* graphs that are inside each other; deeper ones are not followed */

struct graph {
	uintptr_t handle;		/* 0: free */
	uint64_t work[DLT_WORKS];
	uint32_t object;		/* 0: none yet for this work */
	uint32_t touched;		/* number of the last capture that had begun when work was added */
	uint32_t made;			/* a copy: number of the last change that it has in it */
	bool has_nodes;			/* that are known one by one */
	bool hides;			/* nodes that nobody has asked for, it may be: captured or copied ones */
	bool body;			/* of a conditional node */
	uintptr_t inside;		/* a node of another graph; 0: of none */

	/* Of what can be launched: */
	uintptr_t source;		/* the graph that it was made of, whose nodes name its own */
	bool from_other;		/* it has the parameters of another graph now */
	bool by_gpu;			/* the GPU may launch it */
	bool edited;			/* nodes of it are switched or changed (graph_execs.c) */
};

struct node {
	uintptr_t handle;		/* 0: free */
	uintptr_t graph;		/* 0: not known */
	bool known;			/* what it is: `type`, `work` */
	bool sized;			/* ... and its bytes */
	uint8_t type;			/* enum dlt_node */
	uint32_t changed;		/* number of the last change of it in its graph */
	uint64_t work[DLT_WORKS];
};

/* The number of the last capture that has begun. */
extern uint32_t dlt_last_capture __attribute__((visibility("hidden")));

/* Of a graph, or of what can be launched of it; NULL: not known, or, if `make`, no room. */
struct graph *dlt_graph_of(uintptr_t handle, bool make);
/* g may be NULL. Work comes to the graph, and to those that it is inside; differences may be negative. */
void dlt_graph_add_work(struct graph *g, const uint64_t work[DLT_WORKS]);
/* All of it was captured once more, with this work: the same nodes, whose copies and sets may have other sizes. */
void dlt_graph_captured_again(struct graph *g, const uint64_t work[DLT_WORKS]);
/* Something in it is not known. */
void dlt_graph_unsure(struct graph *g);

/* The graph is inside that node from now on; NULL: no room. */
struct graph *dlt_graph_put_inside(const void *graph, const void *node);

/* A batch of copies is one copy, as it is where it is captured. */
static inline int dlt_node_plain(int type)
{
	return type == DLT_NODE_BATCH || type == DLT_NODE_FABRIC_BATCH ? DLT_NODE_COPY : type;
}

/* NULL: not known. */
struct node *dlt_node_of(uintptr_t handle);
/* It is a copy or a set. */
static inline bool dlt_node_moves(const struct node *n)
{
	return n->known && (n->type == DLT_NODE_COPY || n->type == DLT_NODE_SET);
}

/* What work inside a graph is to the node that the graph is inside of. */
void dlt_work_outside(const struct graph *g, uint64_t outside[DLT_WORKS], const uint64_t work[DLT_WORKS]);
/* One piece of work. */
void dlt_work_one(uint64_t one[DLT_WORKS], enum dlt_work work, uint64_t bytes);

/* In what can be launched a node has this work from now on; child: of a graph, all inside with it. */
void dlt_exec_change(struct graph *exec, const struct node *n, const uint64_t work[DLT_WORKS], bool child);
/* It has the parameters of its graph, or of another one: what was changed is not any more, what is off stays off. */
void dlt_exec_updated(struct graph *exec);
void dlt_exec_forget(struct graph *exec);

#endif

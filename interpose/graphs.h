/* SPDX-License-Identifier: MIT */
/* What graphs.c knows of a graph, for captures.c. Lock-free. */
#ifndef DLT_INTERPOSE_GRAPHS_H
#define DLT_INTERPOSE_GRAPHS_H

#include "captures.h"

struct graph {
	uintptr_t handle;		/* 0: free */
	uint64_t work[DLT_WORKS];
	uint32_t object;		/* 0: none yet for this work */
	uint32_t touched;		/* number of the last capture that had begun when work was added */
};

/* The number of the last capture that has begun. */
extern uint32_t dlt_last_capture __attribute__((visibility("hidden")));

/* Of a graph, or of what can be launched of it; NULL: not known, or, if `make`, no room. */
struct graph *dlt_graph_of(uintptr_t handle, bool make);
/* g may be NULL. */
void dlt_graph_add_work(struct graph *g, const uint64_t work[DLT_WORKS]);
/* One piece of work. */
void dlt_work_one(uint64_t one[DLT_WORKS], enum dlt_work work, uint64_t bytes);

#endif

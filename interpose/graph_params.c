/* SPDX-License-Identifier: MIT */
/* Nodes by cudaGraphNodeParams or CUgraphNodeParams: the type, then what is of that type. */
#include <stddef.h>
#include <string.h>

#include "arrays.h"
#include "cu_types.h"
#include "graphs.h"
#include "ledger.h"

#define BODIES 64		/* of a conditional node, at most */
#define MOVED 1			/* cudaGraphChildGraphOwnershipMove: the graph itself, no copy */

/* params: of the type; CUDA has made the graphs. */
static void add_conditional(const void *graph, const void *node, const void *params)
{
	struct dlt_cuda_conditional p;

	dlt_graph_add(graph, node, DLT_WORK_CONDITIONAL, 0);
	memcpy(&p, params, sizeof(p));
	for (unsigned i = 0; p.graphs && i < p.count && i < BODIES; i++) {
		struct graph *g;

		dlt_graph_gone(p.graphs[i]);
		g = dlt_graph_put_inside(p.graphs[i], node);
		if (g)
			g->body = true;
	}
}

/* Behind the type come 12 bytes of nothing, then what is of that type; a copy has 16 bytes more before. */
static uint64_t bytes_in(const void *params, int type, bool driver)
{
	const char *of_type = (const char *)params + 16;

	if (type == DLT_NODE_SET)
		return dlt_cuda_set_size(of_type);
	if (type == DLT_NODE_BATCH)
		return dlt_cuda_batch_size(of_type);
	if (type == DLT_NODE_FABRIC_BATCH)
		return dlt_cu_fabric_batch_size(of_type);
	if (type != DLT_NODE_COPY)
		return 0;
	return driver ? dlt_cu_copy3d_size((const struct dlt_cu_copy3d *)(const void *)(of_type + 16))
		      : dlt_array_copied((const struct dlt_cuda_copy3d *)(const void *)(of_type + 16));
}

void dlt_graph_resize_by(const void *exec, const void *node, const void *params, bool driver)
{
	struct dlt_cuda_node p;

	if (!params)
		return;
	memcpy(&p, params, sizeof(p));
	if (dlt_node_plain(p.type) == DLT_NODE_COPY || p.type == DLT_NODE_SET)
		dlt_graph_resize(exec, node, bytes_in(params, p.type, driver));
	else if (p.type == DLT_NODE_CHILD)
		dlt_graph_child_is(exec, node, p.child);
}

void dlt_graph_add_node(const void *graph, const void *node, const void *params, bool driver)
{
	struct dlt_cuda_node p;

	if (!node)
		return;
	if (!params) {		/* of which version of CUDA they are is not known */
		if (!dlt_node_of((uintptr_t)node))
			dlt_graph_unsure(dlt_graph_of((uintptr_t)graph, true));
		return;
	}
	memcpy(&p, params, sizeof(p));
	if (p.type == DLT_NODE_CHILD)
		dlt_graph_child(graph, node, p.child);
	if (p.type == DLT_NODE_CHILD && p.ownership == MOVED)
		dlt_graph_put_inside(p.child, node);
	else if (dlt_node_plain(p.type) >= DLT_NODE_KERNEL && dlt_node_plain(p.type) <= DLT_NODE_SET)
		dlt_graph_add(graph, node, (enum dlt_work)dlt_node_plain(p.type), bytes_in(params, p.type, driver));
	else if (p.type == DLT_NODE_CONDITIONAL)
		add_conditional(graph, node, (const char *)params + 16);
	else if (p.type != DLT_NODE_CHILD)
		dlt_graph_other(graph, node);
	if (p.type == DLT_NODE_ALLOCATE)
		dlt_ledger_graph(dlt_cuda_allocates((const char *)params + 16));
}

/* SPDX-License-Identifier: MIT */
/*
 * Stream capture and graphs: what is launched on a stream that is being captured is not executed,
 * and what a graph's launch executes (kernels, copies and sets, and their bytes) is what was
 * captured or built into it. Followed without
 * asking CUDA, also while nobody listens, since a graph is launched long after it was made.
 *
 * While something is captured, calls have frames even where nobody listens: so a launch of the
 * runtime and the driver's inside it are counted once. Lock-free; what finds no room is not counted.
 *
 * A node that came by capture is known once the program asks for the nodes of its graph and what
 * each is. What is not known is counted as DLT_WORK_UNSURE: conditional nodes, whose bodies are
 * executed as often as the GPU decides; nodes of no known kind or size that are taken out, switched
 * off or changed, or that were changed in their graph before they are in what was made of it; that a node was taken
 * out or changed of which not even the graph is known, in each graph that may have had it; and
 * that the GPU may launch the graph itself.
 */
#ifndef DLT_INTERPOSE_CAPTURES_H
#define DLT_INTERPOSE_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory_kinds.h"

enum dlt_work {
	DLT_WORK_KERNEL, DLT_WORK_COPY, DLT_WORK_SET, DLT_WORK_UNSURE,
	DLT_WORK_COPY_BYTES, DLT_WORK_SET_BYTES,
	DLT_WORK_CONDITIONAL,	/* of the unsure ones */
	DLT_WORK_BODY_KERNEL,	/* in the bodies of these, counted once */
	DLT_WORKS
};

/* cudaGraphNodeType, CUgraphNodeType: those that matter here; OTHER is the host's. */
enum dlt_node {
	DLT_NODE_KERNEL, DLT_NODE_COPY, DLT_NODE_SET, DLT_NODE_OTHER, DLT_NODE_CHILD, DLT_NODE_ALLOCATE = 10,
	DLT_NODE_CONDITIONAL = 13, DLT_NODE_BATCH = 14, DLT_NODE_FABRIC_BATCH = 18,
};

/* Captures that are in progress. */
extern int dlt_captures_open __attribute__((visibility("hidden")));

static inline bool dlt_capturing(void)
{
	return __atomic_load_n(&dlt_captures_open, __ATOMIC_RELAXED) != 0;
}

/*
 * A capture by its mark, which no other one has while anybody may ask: so what is marked by one that is over needs not
 * be found again. 0: it is over, or the mark of none (0).
 */
uint8_t dlt_capture_of(uint32_t mark);

/* graph: that it goes into; NULL: into a new one. Again on the same stream does nothing. */
void dlt_capture_begin(const void *stream, const void *graph);
/* All that this graph has is captured once more, with other parameters: it has no more work than before. */
void dlt_capture_again(const void *stream, const void *graph);
/* Over, whether it went well or not; graph: what came of it, or NULL. */
void dlt_capture_end(bool ok, const void *stream, const void *graph);

/* A stream is gone, whose handle may come again: it takes part no more, and what began on it has no other end. */
void dlt_capture_leave_slow(const void *stream);

static inline void dlt_capture_leave(const void *stream)
{
	if (__builtin_expect(dlt_capturing(), 0))
		dlt_capture_leave_slow(stream);
}

/* A call that is no part of another one has launched this on a stream; bytes: of a copy, a set. */
void dlt_captured_slow(const void *stream, enum dlt_work work, uint64_t bytes);
void dlt_captured_graph_slow(const void *exec, const void *stream);
/* A stream that waits for an event of a captured one is captured too. */
void dlt_capture_record_slow(const void *event, const void *stream);
void dlt_capture_wait_slow(const void *stream, const void *event);

static inline void dlt_captured_graph(bool outer, const void *exec, const void *stream)
{
	if (__builtin_expect(dlt_capturing(), 0) && outer)
		dlt_captured_graph_slow(exec, stream);
}

static inline void dlt_capture_record(const void *event, const void *stream)
{
	if (__builtin_expect(dlt_capturing(), 0))
		dlt_capture_record_slow(event, stream);
}

static inline void dlt_capture_wait(const void *stream, const void *event)
{
	if (__builtin_expect(dlt_capturing(), 0))
		dlt_capture_wait_slow(stream, event);
}

/*
 * The kind of memory that is asked of a stream or given back by it: that of graphs where the stream
 * is being captured, else `kind`.
 */
enum dlt_memory dlt_async_memory_slow(const void *stream, enum dlt_memory kind);

static inline enum dlt_memory dlt_async_memory(const void *stream, enum dlt_memory kind)
{
	return __builtin_expect(dlt_capturing(), 0) ? dlt_async_memory_slow(stream, kind) : kind;
}

/* Bytes that a copy moves: none where its stream is being captured. */
size_t dlt_moved_slow(const void *stream, size_t size);

static inline size_t dlt_moved(const void *stream, size_t size)
{
	return __builtin_expect(dlt_capturing(), 0) ? dlt_moved_slow(stream, size) : size;
}

/*
 * Calls about graphs (family graph) that the thread has taken note of. They lie in each other: the driver's in the
 * runtime's, and in a library's own of that name, which passes it on. The innermost one knows best, and is noted
 * alone: one that finds more here than before it has had another inside that was.
 */
extern __thread uint32_t dlt_graphs_said __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* All that a capture has made is in that graph now. */
void dlt_graph_captured(const void *graph, const uint64_t work[DLT_WORKS]);
/* A node was added to a graph; bytes: of a copy, a set. */
void dlt_graph_add(const void *graph, const void *node, enum dlt_work work, uint64_t bytes);
/* One that is no work for the GPU: so what is taken out again is known. */
void dlt_graph_other(const void *graph, const void *node);
/* params: cudaGraphNodeParams or CUgraphNodeParams (driver), whose type comes first. */
void dlt_graph_add_node(const void *graph, const void *node, const void *params, bool driver);
/* A copy or a set is of another size from now on; exec: in what can be launched, NULL: in its graph. */
void dlt_graph_resize(const void *exec, const void *node, uint64_t bytes);
void dlt_graph_resize_by(const void *exec, const void *node, const void *params, bool driver);
void dlt_graph_child(const void *graph, const void *node, const void *child);
/* A child has the parameters of another graph from now on; exec: in what can be launched, NULL: in its graph. */
void dlt_graph_child_is(const void *exec, const void *node, const void *child);
/* A child's own graph: what changes in it changes the node. */
void dlt_graph_inside(const void *graph, const void *node);

/* These nodes are in that graph; count NULL: one. */
void dlt_graph_nodes(const void *graph, void *const *nodes, const size_t *count);
/* Those that edges lead from and to are; or these are where that node is. */
void dlt_graph_edges(const void *graph, void *const *from, void *const *to, const size_t *count);
void dlt_graph_beside(const void *node, void *const *nodes, const size_t *count);
/* What a node is (enum dlt_node), and the bytes of a copy, a set; it stands in a clone for another one. */
void dlt_graph_node_is(const void *node, int type);
void dlt_graph_node_moves(const void *node, int type, uint64_t bytes);
void dlt_graph_found(const void *node, const void *original, const void *clone);

/* The node is taken out of its graph; or switched in what can be launched of it. */
void dlt_graph_remove(const void *node);
void dlt_graph_switch(const void *exec, const void *node, bool on);

/* A graph now has what the other has. */
void dlt_graph_copy(const void *to, const void *from);
/* What can be launched has the parameters of this graph from now on. */
void dlt_graph_updated(const void *exec, const void *graph);
/* What can be launched was made of a graph; flags: cudaGraphInstantiateFlags. */
void dlt_graph_made(const void *exec, const void *graph, uint64_t flags);

/* Of cudaGraphInstantiate, whose third argument they are since CUDA 12. */
static inline uint64_t dlt_graph_flags(bool are, const void *argument)
{
	return are ? (uintptr_t)argument : 0;
}

/* Of cudaGraphInstantiateParams, whose flags come first. */
static inline uint64_t dlt_graph_params(const void *params)
{
	return *(const uint64_t *)params;
}
void dlt_graph_gone(const void *graph);

/* The object that says what a launch executes; 0: not known. */
uint32_t dlt_graph_shape(const void *exec);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Stream capture and graphs: what is launched on a stream that is being captured is not executed,
 * and what a graph's launch executes is what was captured or built into it. Followed without
 * asking CUDA, also while nobody listens, since a graph is launched long after it was made.
 *
 * While something is captured, calls have frames even where nobody listens: so a launch of the
 * runtime and the driver's inside it are counted once. Lock-free; what finds no room is not counted.
 * Not followed: nodes that came by capture and are removed or switched off later, and bodies of
 * conditional nodes, which are executed as often as the GPU decides.
 */
#ifndef DLT_INTERPOSE_CAPTURES_H
#define DLT_INTERPOSE_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>

enum dlt_work { DLT_WORK_KERNEL, DLT_WORK_COPY, DLT_WORK_SET, DLT_WORKS };

/* Captures that are in progress. */
extern int dlt_capturing __attribute__((visibility("hidden")));

/* graph: that it goes into; NULL: into a new one. Again on the same stream does nothing. */
void dlt_capture_begin(const void *stream, const void *graph);
/* Over, whether it went well or not; graph: what came of it, or NULL. */
void dlt_capture_end(bool ok, const void *stream, const void *graph);

/* A call that is no part of another one has launched this on a stream. */
void dlt_captured_slow(const void *stream, enum dlt_work work);
void dlt_captured_graph_slow(const void *exec, const void *stream);
/* A stream that waits for an event of a captured one is captured too. */
void dlt_capture_record_slow(const void *event, const void *stream);
void dlt_capture_wait_slow(const void *stream, const void *event);

static inline void dlt_captured_graph(bool outer, const void *exec, const void *stream)
{
	if (__builtin_expect(dlt_capturing, 0) && outer)
		dlt_captured_graph_slow(exec, stream);
}

static inline void dlt_capture_record(const void *event, const void *stream)
{
	if (__builtin_expect(dlt_capturing, 0))
		dlt_capture_record_slow(event, stream);
}

static inline void dlt_capture_wait(const void *stream, const void *event)
{
	if (__builtin_expect(dlt_capturing, 0))
		dlt_capture_wait_slow(stream, event);
}

/* A node was added to a graph; the same one again, by the driver inside the runtime, is not new. */
void dlt_graph_add(const void *graph, const void *node, enum dlt_work work);
/* params: cudaGraphNodeParams or CUgraphNodeParams, whose type comes first. */
void dlt_graph_add_node(const void *graph, const void *node, const void *params);
void dlt_graph_child(const void *graph, const void *node, const void *child);

/* The node is taken out of its graph; or switched in what can be launched of it. */
void dlt_graph_remove(const void *node);
void dlt_graph_switch(const void *exec, const void *node, bool on);

/* One graph, or what can be launched of it, now executes what the other does. */
void dlt_graph_copy(const void *to, const void *from);
void dlt_graph_gone(const void *graph);

/* The object that says what a launch executes; 0: not known. */
uint32_t dlt_graph_shape(const void *exec);

#endif

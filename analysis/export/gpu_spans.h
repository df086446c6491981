/* SPDX-License-Identifier: MIT */
/*
 * Work of GPUs as spans on their streams, and flows to it from the calls that asked for it.
 *
 * A piece of work names the thread and the moment at which its call began, which the call's event
 * (its end less its duration) hits only nearly, and may come before that event. So work waits for a
 * second, in a queue of bounded length, and then takes the first call of its thread that ended after
 * that moment. Of the calls of a thread the last CALLS_KEPT are remembered.
 */
#ifndef DLT_ANALYSIS_EXPORT_GPU_SPANS_H
#define DLT_ANALYSIS_EXPORT_GPU_SPANS_H

#include "analysis/export/tracks.h"
#include "analysis/reader/reader.h"

#define GPU_WAIT	1000000000	/* ns */
#define GPU_QUEUE	131072		/* pieces of work */
#define CALLS_KEPT	65536		/* of a thread */

struct gpu_piece {
	const struct process *process;
	int64_t told;			/* when the event came */
	int64_t called, begin, end;	/* exporters' clock; called -1: not known */
	uint64_t size;			/* bytes */
	uint32_t caller, kernel, context, stream, correlation, graph;
	uint8_t device, direction;
	bool copy;
};

struct gpu_spans {
	struct gpu_piece *queue;	/* owned; a ring */
	size_t first, count;
	struct idmap calls;		/* by thread's track: struct gpu_calls *, owned */
	struct idmap named;		/* by stream, as CUPTI numbers them: its name, 1: it has none; borrowed */
};

void gpu_spans_release(struct gpu_spans *g);

/* A call from which work may come, on the stream of that id (0: not known); its flow's id. */
uint64_t gpu_spans_call(struct gpu_spans *g, const struct track *thread, int64_t begin, int64_t end,
			uint16_t stream);
/* An event of dltrace_gpu. */
void gpu_spans_event(struct gpu_spans *g, struct tracks *tracks, const struct trace *t, int64_t at,
		     const struct reader_event *e);
/* Shows what has waited; INT64_MAX: all. */
void gpu_spans_pass(struct gpu_spans *g, struct tracks *tracks, int64_t now);

#endif

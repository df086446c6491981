/* SPDX-License-Identifier: MIT */
/* From a reader's events to whoever takes them: what only adds to sums goes folded. */
#ifndef DLT_ANALYSIS_MODEL_FEED_H
#define DLT_ANALYSIS_MODEL_FEED_H

#include "analysis/model/fold.h"
#include "analysis/model/model.h"
#include "analysis/reader/reader.h"

/* Who takes them: the model at once, or a digest on its way to it. */
struct sink {
	void (*event)(void *context, enum dlt_event type, int64_t at, const void *data);
	void (*fold)(void *context, struct fold *fold);	/* leaves it empty */
	void (*progress)(const struct trace *t, uint64_t events);	/* every 64K events */
	void *context;
};

/* All of them, folded or not. */
struct feed_counts {
	uint64_t events, by_type[DLT_EVENTS];
	int64_t last;		/* of the latest, ns since the trace's begin */
};

/* The trace begins at `time` (ns since 1970): that of its first event. */
void trace_start(struct trace *t, const struct reader_info *info, uint64_t time);

/*
 * All events from where the reader stands, in order, through an empty fold of the trace's, which is left
 * so. As reader_next: 0, or a negative errno.
 */
int trace_feed(struct trace *t, struct reader *r, struct fold *fold, const struct sink *sink,
	       struct feed_counts *counts);

/* Into the model. */
void trace_event(struct trace *t, enum dlt_event type, int64_t at, const void *data);
void trace_count(struct trace *t, const struct feed_counts *counts);

#endif

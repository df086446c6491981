/* SPDX-License-Identifier: MIT */
/* Events of the traces, and at the end the report, into what exporters show. */
#ifndef DLT_ANALYSIS_EXPORT_SPANS_H
#define DLT_ANALYSIS_EXPORT_SPANS_H

#include "analysis/export/gpu_spans.h"
#include "analysis/export/tracks.h"
#include "analysis/reader/reader.h"

struct spans {
	struct tracks tracks;
	struct gpu_spans gpu;
	struct idmap boundaries;	/* by process: struct boundaries *, owned */
	const struct trace *full;	/* every heap call of it is an event of its own */
};

void spans_release(struct spans *s);

/* As model_options.event. */
void spans_event(struct spans *s, const struct trace *t, int64_t at, const struct reader_event *e);
/* All traces have been read: what was held back, and what never ended. */
void spans_end(struct spans *s, const struct model *m);
/* What tables and series add (table_spans.c). */
void spans_report(struct spans *s, const struct model *m, const struct report *r);

#endif

/* SPDX-License-Identifier: MIT */
/* The part of the babeltrace2 source that runs in a child: libbabeltrace2's graph, and a sink. */
#ifndef DLT_ANALYSIS_READER_GRAPH_H
#define DLT_ANALYSIS_READER_GRAPH_H

#include "analysis/reader/folders.h"
#include "analysis/reader/frames.h"

/* Decodes the folders' traces, merged by time, into frames; the last is FRAME_END or _FAILED. */
void graph_run(const struct folders *folders, struct frame_writer *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Points of a trace's curves, of the part of its time that is looked at (model.h: trace_point, trace_rate). A level
 * that began before that holds where it begins, and the last one until it ends.
 */
#ifndef DLT_ANALYSIS_MODEL_LEVELS_H
#define DLT_ANALYSIS_MODEL_LEVELS_H

struct trace;

/* All points are there. */
void levels_end(struct trace *t);

#endif

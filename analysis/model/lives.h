/* SPDX-License-Identifier: MIT */
/*
 * How many threads lived when, from the begin and the end of each.
 *
 * A thread is announced some time after its begin, and the announcements of several processes come in any order, so
 * that is counted when all has been read. Threads that no event tells of (clone, lost announcements) are the difference
 * between a sample and these; one that is just being made or ends makes a difference too, but not twice.
 */
#ifndef DLT_ANALYSIS_MODEL_LIVES_H
#define DLT_ANALYSIS_MODEL_LIVES_H

#include "analysis/model/model.h"

/* Draws CURVE_THREADS and RUN_THREADS; when all has been read and threads are linked to their processes. */
void lives_end(struct trace *t);

#endif

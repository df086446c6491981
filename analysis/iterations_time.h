/* SPDX-License-Identifier: MIT */
/* How long iterations took: spread, warm-up, slow ones, the curve over the run. And those that are marked. */
#ifndef DLT_ANALYSIS_ITERATIONS_TIME_H
#define DLT_ANALYSIS_ITERATIONS_TIME_H

#include "analysis/iterations.h"

/* Of those in the list. */
void iterations_time_list(struct iterations *it);

/*
 * Of a long run, by what was summed up of it. `first`: the begins of the first ones, by time, as far
 * as they are known. Nothing when that cannot be told.
 */
void iterations_time_pace(struct iterations *it, const struct pace *p, const int64_t *first, size_t count);

/* The epoch of what begins at `at`, and not before `from` does. */
uint32_t iterations_epoch_at(const struct iterations *it, uint32_t from, int64_t at);

/* As the program marks them; false: it marks no steps. */
bool iterations_from_marks(const struct process *p, struct iterations *it);

/* The same of ranges that are called so. */
bool iterations_from_ranges(const struct process *p, struct iterations *it);

#endif

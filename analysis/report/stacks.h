/* SPDX-License-Identifier: MIT */
/*
 * Stacks for flame graphs, of two makings.
 *
 * Time: the table `breakdown` as process, framework, layer, library, function. A stack weighs the time of its
 * outermost calls, so on a thread nothing is counted twice. Work of a GPU is the layer gpu: it goes on beside the
 * calls that started it.
 *
 * Memory: the table `memory_stacks` as process, memory, and the frames of who asked for it. A stack weighs what it
 * held when the most of its kind was live.
 */
#ifndef DLT_ANALYSIS_REPORT_STACKS_H
#define DLT_ANALYSIS_REPORT_STACKS_H

#include <stdint.h>

#include "analysis/report/table.h"

struct stack {
	const char *whole;	/* what all stacks of the same graph have in common: the first frame, or more */
	char *const *frames;	/* cleaned for people, outermost first; owned by the walk, as is `whole` */
	size_t depth;
	uint64_t weight;	/* ns or bytes, never 0 */
};

/* Process by process in the order of `processes`, in each by falling time. */
void stacks_of_time(const struct report *r, void (*each)(const struct stack *s, void *data), void *data);

/* The same by falling bytes; in each process one kind of memory after the other. */
void stacks_of_memory(const struct report *r, void (*each)(const struct stack *s, void *data), void *data);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The table `breakdown` as stacks for flame graphs: process, framework, layer, library, function.
 *
 * A stack weighs the time of its outermost calls, so on a thread nothing is counted twice. Work of a
 * GPU is the layer gpu: it goes on beside the calls that started it.
 */
#ifndef DLT_ANALYSIS_REPORT_STACKS_H
#define DLT_ANALYSIS_REPORT_STACKS_H

#include <stdint.h>

#include "analysis/report/table.h"

#define STACK_DEPTH 5

struct stack {
	int64_t process;	/* the report's id */
	char *frames[STACK_DEPTH];	/* cleaned for people, outermost first; owned by the walk */
	uint64_t weight;	/* ns, never 0 */
};

/* Process by process in the order of `processes`, in each by falling time. */
void stacks_each(const struct report *r, void (*each)(const struct stack *s, void *data),
		 void *data);

#endif

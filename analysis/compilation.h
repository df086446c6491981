/* SPDX-License-Identifier: MIT */
/*
 * When a process had code compiled: by the compilers that were run for it, traced or only counted,
 * which is sure; or by the one that its framework has inside (XLA), which shows in what it does to
 * the heap, and is likely: some ten times more calls a second of CPU time than iterations make.
 */
#ifndef DLT_ANALYSIS_COMPILATION_H
#define DLT_ANALYSIS_COMPILATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/model.h"

struct compilation {
	int64_t begin, end;	/* ns since the trace's begin, of the first, of the last */
	int64_t busy;		/* ns, while at least one of them ran */
};

/*
 * What was compiled before `until`, where iterations begin at `first`: from when on a tenth of the time went into it.
 * False: nothing, or too little to be a phase.
 */
bool compilation_find(const struct process *p, int64_t first, int64_t until, struct compilation *c);
/* What its framework did, if it compiles, until the steady iterations, [until, to); `first`: of all of them. */
bool compilation_inside(const struct process *p, int64_t first, int64_t until, int64_t to, struct compilation *c);

#endif

/* SPDX-License-Identifier: MIT */
/* One profile as a row of `breakdown` or part of one of `shares`: names and numbers put together. */
#ifndef DLT_ANALYSIS_BREAKDOWN_H
#define DLT_ANALYSIS_BREAKDOWN_H

#include "analysis/analyses.h"

/* Borrows from the model. */
struct breakdown_row {
	const char *framework, *layer, *library, *function, *kind;
	bool waiting;		/* the thread waits rather than works */
	const struct sums *sums;
};

/* False when a filter leaves it out; with or without durations. Else as profile_row(). */
bool profile_named(const struct process *p, const char *engine, const struct profile *f,
		   struct breakdown_row *row);
/*
 * False when it has no durations, or a filter leaves it out. engine: process_engine(p), found once
 * a process.
 */
bool profile_row(const struct process *p, const char *engine, const struct profile *f,
		 struct breakdown_row *row);

/* Whose calls they are, into the columns framework to waiting of the row at hand. */
void breakdown_names(struct table *t, const struct breakdown_row *row);

/* Does the calling thread wait in it, rather than work? */
bool function_waits(const struct function *fn);

/* The sums that this report believes: totals, or events when only a part of the time is asked for. */
const struct sums *profile_counts(const struct process *p, const struct profile *f);

#endif

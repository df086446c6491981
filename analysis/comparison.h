/* SPDX-License-Identifier: MIT */
/*
 * Several traces compared: the tables `runs` (what each trace is), `study` (time by framework and
 * model), `comparison` (one quantity of one
 * group of repetitions a row) and `changes` (what takes more or less time than in the reference).
 */
#ifndef DLT_ANALYSIS_COMPARISON_H
#define DLT_ANALYSIS_COMPARISON_H

#include "analysis/facts.h"
#include "analysis/groups.h"
#include "analysis/statistics.h"

/* The values of a fact in the runs of a group, without what is not known and runs that failed. */
struct sample {
	double *x;	/* owned */
	size_t n;
};

struct sample sample_of(const struct groups *g, const struct facts *f, const struct fact *fact,
			size_t group);

/* Whether a run's own value is left out since it failed: counts of failures are not. */
bool sample_takes(const struct run *run, const char *what);

void add_runs_table(struct report *r, const struct groups *g, const struct facts *f);
void add_study_table(struct report *r, const struct groups *g, const struct facts *f);
void add_comparison_table(struct report *r, const struct groups *g, const struct facts *f);
void add_changes_table(struct report *r, const struct groups *g, const struct facts *f);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The iterations and epochs of a process, as its own marks tell them or as the rhythm of its calls
 * shows them (analysis/model/rhythm.h).
 *
 * Found at the first question and owned by the process from then on. What is not sure is not found:
 * `how` is NULL then, and `why_not` says why. Times are ns since the trace's begin.
 */
#ifndef DLT_ANALYSIS_ITERATIONS_H
#define DLT_ANALYSIS_ITERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/model/pace.h"

struct process;

struct iteration {
	int64_t begin, end;
	int64_t last;		/* its last call that comes once in each, or its range's end; UNKNOWN: not known */
	uint32_t epoch;		/* index into epochs; 0 when there are none, epoch_count: one of epochs_more */
	bool warm_up, slow;
	bool cut;		/* nothing begins that tells its end: it is its last call's, its range's or a guess */
};

/* One that is slow; of a long run only the longest are known. */
struct slow_one {
	struct iteration one;
	uint64_t number;	/* from 1 */
};

struct epoch {
	int64_t number;		/* as the program counts them, else from 1 */
	int64_t begin, end;
	uint64_t iterations;
	uint64_t evaluations;	/* batches that only went forward */
};

struct iterations {
	const char *how;	/* "marks", "ranges", "calls"; NULL: not found, but for epochs perhaps */
	const char *why_not;	/* NULL: nothing to look for */
	double confidence;	/* 0 to 1 */
	uint64_t count, evaluations;
	int64_t begin, end;	/* of the first, of the last */
	struct iteration *list;	/* owned; by time; all of them, or none where they are too many */
	size_t listed;
	struct epoch *epochs;	/* owned; by time; none: not found */
	size_t epoch_count;
	uint64_t epochs_more;	/* marked after these: nothing but their number is kept */
	const char *epochs_by;	/* what tells them where iterations do not; NULL: these do */
	bool epochs_timed;	/* they begin when they do, and do not only tell their number */
	size_t warm_up, slow;
	int64_t warm;		/* end of the warm-up; UNKNOWN: there is none */
	struct slow_one *slowest;	/* owned; by time */
	size_t slowest_count;
	/*
	 * ns, of those that are not cut, but `max` may be of one that is; of a long run median, p95 and spread are of
	 * a histogram (pace.h); 0: not known
	 */
	double median, mean, deviation, p95;
	uint64_t min, max;
	struct curve curve;	/* owned; durations by begin; empty: not known */
};

/* Never NULL; valid as long as the process. */
const struct iterations *process_iterations(const struct process *p);
/* Of the durations of so many, but for those that are cut unless all are, ns; 0 of none. */
double iterations_median(const struct iteration *list, size_t count);

/* Of one that is cut nothing is known but that it took at least so long. */
static inline bool iteration_in_curve(const struct iteration *one)
{
	return !one->cut || one->slow;
}

/* NULL is fine. */
static inline void iterations_free(struct iterations *it)
{
	if (!it)
		return;
	free(it->list);
	free(it->epochs);
	free(it->slowest);
	curve_release(&it->curve);
	free(it);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What is known of many calls: counts, sums, extremes and a histogram, all integers, so that any
 * split of the same calls merges into the same numbers. Times in ns.
 */
#ifndef DLT_ANALYSIS_MODEL_SUMS_H
#define DLT_ANALYSIS_MODEL_SUMS_H

#include <stdint.h>

#include "box.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

struct sums {
	uint64_t calls, outer_calls, failed;
	uint64_t total;		/* all calls, nested ones included in what they nest in */
	uint64_t outer_total;	/* of outermost calls only: never twice */
	uint64_t nested;	/* part of total that ran inside other calls of the table */
	uint64_t min, max;	/* min: 0 while there is no call */
	uint64_t bytes, flops;
	u128 squares;		/* of durations, ns^2 */
	u128 variance;		/* of total, ns^2: the untimed ones count as others like them */
	uint64_t untimed;	/* of calls */
	uint64_t buckets[DLT_BUCKETS];
};

/* One call; outermost. */
static inline void sums_add(struct sums *s, uint64_t duration, uint64_t nested)
{
	if (!s->calls || duration < s->min)
		s->min = duration;
	if (duration > s->max)
		s->max = duration;
	s->calls++;
	s->outer_calls++;
	s->total += duration;
	s->outer_total += duration;
	s->nested += nested;
	s->squares += (u128)duration * duration;
	s->buckets[dlt_bucket(duration)]++;
}

void sums_merge(struct sums *to, const struct sums *from);

/* Calls that the histogram holds. */
uint64_t sums_counted(const struct sums *s);

/*
 * The q-quantile (0 to 1) of the calls' durations from the histogram, within [min, max]; *error
 * is how far, as a fraction of it, the true one can be off. 0 when there are no buckets.
 */
double sums_quantile(const struct sums *s, double q, double *error);

/* Standard error of total, in ns: 0 where each call was timed. */
double sums_error(const struct sums *s);

/* Standard deviation of all calls (not of a sample of them); 0 below two calls. */
double sums_deviation(const struct sums *s);

#endif

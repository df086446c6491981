/* SPDX-License-Identifier: MIT */
/*
 * How long what repeats took each time, in bounded memory however often it was: sums, a histogram,
 * the longest ones, and a curve over the run.
 *
 * It is told either of moments, each of which ends one and begins the next (pace_note), or of what
 * has a begin and a duration of its own (pace_add). Moments within the same 2^PACE_SHIFT ns count as
 * the first of them: so it does not matter whether somebody put them together before, and what is
 * shorter has no pace. Moments may come a few places late; if one comes later than that, nothing is
 * said at all (`disordered`). Everything else is the same in any order and any split.
 *
 * Times are ns since the trace's begin, durations ns.
 */
#ifndef DLT_ANALYSIS_MODEL_PACE_H
#define DLT_ANALYSIS_MODEL_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/curve.h"
#include "analysis/model/sums.h"

#define PACE_SHIFT	17	/* 131 us */
#define PACE_LATE	16	/* moments that are kept until they are in order */
#define PACE_STEPS	32	/* of the histogram in an octave: 3 % */
#define PACE_OCTAVES	24	/* from 2^PACE_SHIFT ns: to 36 minutes */
#define PACE_BUCKETS	(PACE_STEPS * PACE_OCTAVES)
#define PACE_LONGEST	32
#define PACE_POINTS	256	/* buckets of its curve */

struct pace_one {
	int64_t begin;
	uint64_t duration;
	uint64_t number;	/* from 1, in the order in which it was told of them */
};

struct pace {
	uint64_t count, total, min, max;
	u128 squares;
	uint32_t buckets[PACE_BUCKETS];		/* what is shorter or longer: in the first, the last */
	uint64_t sums[PACE_BUCKETS];		/* ns of these */
	struct pace_one longest[PACE_LONGEST];	/* the longest first; of equal ones the earlier */
	uint32_t longest_count;
	struct curve curve;			/* by begin */
	int64_t late[PACE_LATE + 1];		/* by time; in windows of their own */
	uint32_t late_count;
	int64_t first, last;			/* moments; only if there were any: */
	uint64_t moments;
	bool disordered;
};

/* Owned by the caller. */
struct pace *pace_new(void);
/* NULL is fine. */
void pace_free(struct pace *p);

void pace_note(struct pace *p, int64_t at);
void pace_add(struct pace *p, int64_t begin, uint64_t duration);
/* No more moments come: the last ones count, too. */
void pace_end(struct pace *p);
/* What `from` was told of other times; it stays as it is. */
void pace_merge(struct pace *into, const struct pace *from);

/* The mean of those of its bucket: within 3 % of it at most, mostly far nearer; 0 of none. */
double pace_quantile(const struct pace *p, double q);
/* Population standard deviation; exact. */
double pace_deviation(const struct pace *p);
/* Median distance from the median: a spread that a few long ones do not widen. */
double pace_spread(const struct pace *p);
/* How many took at least *limit, which becomes the nearest border of the histogram above it. */
uint64_t pace_above(const struct pace *p, double *limit);

#endif

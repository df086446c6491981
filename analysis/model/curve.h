/* SPDX-License-Identifier: MIT */
/*
 * A series of any length in bounded memory, its peaks kept.
 *
 * Time is cut into buckets of 2^shift ns; each keeps its smallest, largest and last value with
 * their times. When there are more buckets than allowed, neighbours join and the width doubles.
 * Which buckets exist depends on the values alone, not on the order in which they came or on how
 * they were split, so two curves of the same limit merge exactly.
 *
 * What is left of a bucket does not tell its mean: a spike in each of them would count as much as all the rest. So
 * each also has its area: a level holds until the next value comes, a rate is of the time before it. That is exact
 * where values come by time, also by parts that are merged.
 */
#ifndef DLT_ANALYSIS_MODEL_CURVE_H
#define DLT_ANALYSIS_MODEL_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/sums.h"

#define CURVE_SHIFT 20	/* the finest bucket: 2^20 ns, about a millisecond */

struct curve_value {
	int64_t t;	/* ns since the trace's begin; may be negative */
	int64_t value;
};

struct curve_bucket {
	int64_t at;	/* t >> shift */
	struct curve_value min, max, last;
	int64_t first;	/* the first value's t */
	u128 area;	/* values times how long they held, of levels until the last value; modulo 2^128 */
	uint64_t held;	/* that, ns */
	uint64_t values;
};

struct curve {
	struct curve_bucket *buckets;	/* owned, by time */
	size_t count, capacity;
	unsigned shift;			/* 0: nothing in it yet */
	bool rates;			/* else levels */
	bool held;			/* there was a level before the part of the time that is looked at: */
	struct curve_value before;	/* the last one */
};

void curve_release(struct curve *c);
/* limit: buckets allowed, at least 2; the same for all calls on one curve. */
void curve_add(struct curve *c, size_t limit, int64_t t, int64_t value);
/* A level before the part of the time that is looked at: where it begins, the last one holds. */
void curve_before(struct curve *c, int64_t t, int64_t value);
/* The mean from `since` to t. A curve has levels or rates, not both. */
void curve_add_rate(struct curve *c, size_t limit, int64_t since, int64_t t, int64_t value);
void curve_merge(struct curve *to, const struct curve *from, size_t limit);

/* At most three values of a bucket, by time, none twice; of one time the largest, then the smallest. */
size_t curve_points(const struct curve_bucket *b, struct curve_value out[3]);
/* The level then, as far as the points that are kept tell: the last one of them not later, else the first; 0: none. */
int64_t curve_at(const struct curve *c, int64_t t);
/* 0 when there is nothing. */
int64_t curve_max(const struct curve *c);
/* Over time, of the buckets whose last value is in it; they have *values (may be NULL). NAN: none of them held. */
double curve_mean(const struct curve *c, int64_t from, int64_t to, uint64_t *values);

#endif

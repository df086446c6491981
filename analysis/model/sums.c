/* SPDX-License-Identifier: MIT */
/* What is known of many calls: merging, quantiles, deviation. */
#include "analysis/model/sums.h"

#include <math.h>

void sums_merge(struct sums *to, const struct sums *from)
{
	if (!from->calls)
		return;
	if (!to->calls || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->calls += from->calls;
	to->outer_calls += from->outer_calls;
	to->failed += from->failed;
	to->total += from->total;
	to->outer_total += from->outer_total;
	to->nested += from->nested;
	to->bytes += from->bytes;
	to->flops += from->flops;
	to->squares += from->squares;
	to->variance += from->variance;
	to->untimed += from->untimed;
	for (unsigned b = 0; b < DLT_BUCKETS; b++)
		to->buckets[b] += from->buckets[b];
}

double sums_error(const struct sums *s)
{
	return sqrt((double)s->variance);
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

uint64_t sums_counted(const struct sums *s)
{
	uint64_t count = 0;

	for (unsigned b = 0; b < DLT_BUCKETS; b++)
		count += s->buckets[b];
	return count;
}

double sums_quantile(const struct sums *s, double q, double *error)
{
	uint64_t count = sums_counted(s), rank, before = 0;
	double low, high, value;
	unsigned b;

	*error = 0;
	if (!count)
		return 0;
	rank = (uint64_t)(q * (double)(count - 1) + 0.5);
	for (b = 0; b < DLT_BUCKETS - 1 && before + s->buckets[b] <= rank; b++)
		before += s->buckets[b];
	/* The true value lies in the bucket, and no call was shorter than min or longer than max. */
	low = b ? (double)dlt_bucket_floor(b) : 0;
	high = b < DLT_BUCKETS - 1 ? (double)dlt_bucket_floor(b + 1) : (double)s->max;
	low = clamp(low, (double)s->min, (double)s->max);
	high = clamp(high, low, (double)s->max);
	value = (low + high) / 2;
	if (low > 0)
		*error = (high - low) / 2 / low;
	else if (high > 0)
		*error = 1;
	return value;
}

double sums_deviation(const struct sums *s)
{
	u128 mean_part;

	if (s->calls < 2)
		return 0;
	/* Sum of squares less square of the sum by n: exact integers, then one rounding. */
	mean_part = (u128)s->total * s->total / s->calls;
	if (mean_part >= s->squares)
		return 0;
	return sqrt((double)(s->squares - mean_part) / (double)s->calls);
}

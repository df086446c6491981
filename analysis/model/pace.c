/* SPDX-License-Identifier: MIT */
/* Durations of what repeats, summed up as they come. */
#include "analysis/model/pace.h"

#include <math.h>
#include <string.h>

#include "analysis/model/memory.h"

struct pace *pace_new(void)
{
	return xcalloc(1, sizeof(struct pace));
}

void pace_free(struct pace *p)
{
	if (!p)
		return;
	curve_release(&p->curve);
	free(p);
}

/* ---- the histogram ---- */

static unsigned bucket_of(uint64_t ns)
{
	unsigned octave, b;

	if (ns < 1ULL << PACE_SHIFT)
		return 0;
	octave = 63 - (unsigned)__builtin_clzll(ns);
	b = (octave - PACE_SHIFT) * PACE_STEPS + (unsigned)(ns >> (octave - 5) & (PACE_STEPS - 1));
	return b < PACE_BUCKETS ? b : PACE_BUCKETS - 1;
}

/* The least duration of a bucket; the first one's is 0 in truth. */
static double floor_of(unsigned b)
{
	return (double)((uint64_t)(PACE_STEPS + b % PACE_STEPS) << (b / PACE_STEPS + PACE_SHIFT - 5));
}

/* What stands for all that is in a bucket, which is not empty. */
static double mean_of(const struct pace *p, unsigned b)
{
	return (double)p->sums[b] / p->buckets[b];
}

double pace_quantile(const struct pace *p, double q)
{
	uint64_t rank = p->count ? (uint64_t)(q * (double)(p->count - 1) + 0.5) : 0, before = 0;
	unsigned b = 0;

	while (b + 1 < PACE_BUCKETS && before + p->buckets[b] <= rank)
		before += p->buckets[b++];
	return p->buckets[b] ? mean_of(p, b) : 0;
}

double pace_deviation(const struct pace *p)
{
	u128 mean_part = p->count ? (u128)p->total * p->total / p->count : 0;

	/* Exact integers, then one rounding. */
	return mean_part < p->squares ? sqrt((double)(p->squares - mean_part) / (double)p->count) : 0;
}

double pace_spread(const struct pace *p)
{
	double median = pace_quantile(p, 0.5), result = 0;
	unsigned at = bucket_of((uint64_t)median), up = at + 1, down = at;
	uint64_t within = p->buckets[at];

	/* From the median outwards, the nearer side first: up, and down - 1, come next. */
	while (2 * within < p->count) {
		while (up < PACE_BUCKETS && !p->buckets[up])
			up++;
		while (down && !p->buckets[down - 1])
			down--;
		if (!down || (up < PACE_BUCKETS && mean_of(p, up) - median <= median - mean_of(p, down - 1))) {
			result = mean_of(p, up) - median;
			within += p->buckets[up++];
		} else {
			result = median - mean_of(p, down - 1);
			within += p->buckets[--down];
		}
	}
	return result;
}

uint64_t pace_above(const struct pace *p, double *limit)
{
	unsigned b = bucket_of((uint64_t)*limit);
	uint64_t count = 0;

	if (b + 1 < PACE_BUCKETS && floor_of(b) < *limit)
		b++;
	*limit = floor_of(b);
	for (; b < PACE_BUCKETS; b++)
		count += p->buckets[b];
	return count;
}

/* ---- one more ---- */

static bool is_longer(const struct pace_one *a, const struct pace_one *b)
{
	return a->duration != b->duration ? a->duration > b->duration : a->begin < b->begin;
}

static void keep_longest(struct pace *p, const struct pace_one *one)
{
	uint32_t i = p->longest_count;

	if (i == PACE_LONGEST && !is_longer(one, &p->longest[--i]))
		return;
	if (p->longest_count < PACE_LONGEST)
		p->longest_count++;
	for (; i && is_longer(one, &p->longest[i - 1]); i--)
		p->longest[i] = p->longest[i - 1];
	p->longest[i] = *one;
}

void pace_add(struct pace *p, int64_t begin, uint64_t duration)
{
	const struct pace_one one = { begin, duration, p->count + 1 };

	if (!p->count || duration < p->min)
		p->min = duration;
	if (duration > p->max)
		p->max = duration;
	p->count++;
	p->total += duration;
	p->squares += (u128)duration * duration;
	p->buckets[bucket_of(duration)]++;
	p->sums[bucket_of(duration)] += duration;
	keep_longest(p, &one);
	curve_add(&p->curve, PACE_POINTS, begin, (int64_t)duration);
}

/* The earliest that is kept is in order now. */
static void settle(struct pace *p)
{
	int64_t at = p->late[0];

	memmove(&p->late[0], &p->late[1], --p->late_count * sizeof(p->late[0]));
	if (p->moments)
		pace_add(p, p->last, (uint64_t)(at - p->last));
	else
		p->first = at;
	p->last = at;
	p->moments++;
}

static int64_t window(int64_t at)
{
	return at >> PACE_SHIFT;
}

void pace_note(struct pace *p, int64_t at)
{
	uint32_t i = p->late_count;

	if (p->moments && window(at) <= window(p->last)) {
		/* Of its window one was earlier, or this one is too late to be put in its place. */
		p->disordered |= at < p->last;
		return;
	}
	while (i && window(p->late[i - 1]) > window(at))
		i--;
	if (i && window(p->late[i - 1]) == window(at)) {
		p->late[i - 1] = at < p->late[i - 1] ? at : p->late[i - 1];
		return;
	}
	memmove(&p->late[i + 1], &p->late[i], (p->late_count - i) * sizeof(p->late[0]));
	p->late[i] = at;
	if (++p->late_count > PACE_LATE)
		settle(p);
}

void pace_end(struct pace *p)
{
	while (p->late_count)
		settle(p);
}

/* ---- merging ---- */

/* Between the last moment of one and the first of the other. */
static void join_moments(struct pace *into, const struct pace *from)
{
	if (!into->moments) {
		into->first = from->first;
		into->last = from->last;
	} else if (window(from->first) > window(into->last)) {
		pace_add(into, into->last, (uint64_t)(from->first - into->last));
		into->last = from->last;
	} else if (window(into->first) > window(from->last)) {
		pace_add(into, from->last, (uint64_t)(into->first - from->last));
		into->first = from->first;
	} else {
		into->disordered = true;
	}
	into->moments += from->moments;
}

void pace_merge(struct pace *into, const struct pace *from)
{
	pace_end(into);
	if (from->moments)
		join_moments(into, from);
	for (uint32_t i = 0; i < from->longest_count; i++) {
		struct pace_one one = from->longest[i];

		one.number += into->count;
		keep_longest(into, &one);
	}
	if (from->count && (!into->count || from->min < into->min))
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->total += from->total;
	into->squares += from->squares;
	for (unsigned b = 0; b < PACE_BUCKETS; b++) {
		into->buckets[b] += from->buckets[b];
		into->sums[b] += from->sums[b];
	}
	curve_merge(&into->curve, &from->curve, PACE_POINTS);
	into->disordered |= from->disordered;
	for (uint32_t i = 0; i < from->late_count; i++)
		pace_note(into, from->late[i]);
}

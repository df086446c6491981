/* SPDX-License-Identifier: MIT */
/* A series of any length in bounded memory, its peaks kept. */
#include "analysis/model/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

void curve_release(struct curve *c)
{
	free(c->buckets);
	*c = (struct curve){ 0 };
}

static void hold(struct curve_bucket *b, int64_t value, int64_t from, int64_t to)
{
	uint64_t ns = to > from ? (uint64_t)to - (uint64_t)from : 0;

	b->area += (u128)value * ns;
	b->held += ns;
}

/* Ties go to the earlier time, so that the result is the same in any order. */
static void join(struct curve_bucket *to, const struct curve_bucket *from, bool rates)
{
	if (!rates)
		hold(to, to->last.value, to->last.t, from->first);
	if (from->min.value < to->min.value ||
	    (from->min.value == to->min.value && from->min.t < to->min.t))
		to->min = from->min;
	if (from->max.value > to->max.value ||
	    (from->max.value == to->max.value && from->max.t < to->max.t))
		to->max = from->max;
	if (from->last.t > to->last.t ||
	    (from->last.t == to->last.t && from->last.value > to->last.value))
		to->last = from->last;
	if (from->first < to->first)
		to->first = from->first;
	to->area += from->area;
	to->held += from->held;
	to->values += from->values;
}

/* Halves the resolution. */
static void coarsen(struct curve *c)
{
	size_t n = 0;

	c->shift++;
	for (size_t i = 0; i < c->count; i++) {
		struct curve_bucket b = c->buckets[i];

		b.at >>= 1;
		if (n && c->buckets[n - 1].at == b.at)
			join(&c->buckets[n - 1], &b, c->rates);
		else
			c->buckets[n++] = b;
	}
	c->count = n;
}

/* Where a bucket stands or would stand; nearly always at the end. */
static size_t place(const struct curve *c, int64_t at)
{
	size_t i = c->count;

	while (i && c->buckets[i - 1].at >= at)
		i--;
	return i;
}

static void insert(struct curve *c, size_t limit, const struct curve_bucket *b)
{
	size_t i = place(c, b->at);

	if (i < c->count && c->buckets[i].at == b->at) {
		join(&c->buckets[i], b, c->rates);
		return;
	}
	c->buckets = xgrow(c->buckets, c->count, &c->capacity, sizeof(*c->buckets));
	memmove(&c->buckets[i + 1], &c->buckets[i], (c->count - i) * sizeof(*c->buckets));
	c->buckets[i] = *b;
	c->count++;
	while (c->count > limit)
		coarsen(c);
}

static void add(struct curve *c, size_t limit, struct curve_bucket b)
{
	if (!c->shift)
		c->shift = CURVE_SHIFT;
	b.at = b.last.t >> c->shift;
	/* Nearly always in the last bucket. */
	if (c->count && c->buckets[c->count - 1].at == b.at)
		join(&c->buckets[c->count - 1], &b, c->rates);
	else
		insert(c, limit, &b);
}

void curve_add(struct curve *c, size_t limit, int64_t t, int64_t value)
{
	struct curve_value v = { t, value };

	add(c, limit, (struct curve_bucket){ .min = v, .max = v, .last = v, .first = t, .values = 1 });
}

void curve_before(struct curve *c, int64_t t, int64_t value)
{
	if (!c->held || t >= c->before.t)
		c->before = (struct curve_value){ t, value };
	c->held = true;
}

void curve_add_rate(struct curve *c, size_t limit, int64_t since, int64_t t, int64_t value)
{
	struct curve_value v = { t, value };
	struct curve_bucket b = { .min = v, .max = v, .last = v, .first = t, .values = 1 };

	c->rates = true;
	hold(&b, value, since, t);
	add(c, limit, b);
}

void curve_merge(struct curve *to, const struct curve *from, size_t limit)
{
	if (!from->count)
		return;
	if (!to->shift)
		to->shift = from->shift;
	to->rates |= from->rates;
	while (to->shift < from->shift)
		coarsen(to);
	for (size_t i = 0; i < from->count; i++) {
		struct curve_bucket b = from->buckets[i];

		b.at >>= to->shift - from->shift;
		insert(to, limit, &b);
	}
}

size_t curve_points(const struct curve_bucket *b, struct curve_value out[3])
{
	const struct curve_value *first = &b->min, *second = &b->max;
	size_t n = 0;

	/* Of one time, where nobody knows the order: down, as at an end. */
	if (second->t <= first->t) {
		first = &b->max;
		second = &b->min;
	}
	out[n++] = *first;
	if (second->value != first->value)
		out[n++] = *second;
	if (b->last.t > out[n - 1].t)
		out[n++] = b->last;
	return n;
}

int64_t curve_at(const struct curve *c, int64_t t)
{
	struct curve_value points[3];
	int64_t value = 0;

	if (c->count && curve_points(&c->buckets[0], points))
		value = points[0].value;
	for (size_t i = 0; i < c->count && c->buckets[i].first <= t; i++) {
		size_t n = curve_points(&c->buckets[i], points);

		for (size_t k = 0; k < n && points[k].t <= t; k++)
			value = points[k].value;
	}
	return value;
}

int64_t curve_max(const struct curve *c)
{
	int64_t max = c->count ? c->buckets[0].max.value : 0;

	for (size_t i = 1; i < c->count; i++)
		if (c->buckets[i].max.value > max)
			max = c->buckets[i].max.value;
	return max;
}

double curve_mean(const struct curve *c, int64_t from, int64_t to, uint64_t *values)
{
	struct curve_bucket all = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		if (c->buckets[i].last.t < from || c->buckets[i].last.t > to)
			continue;
		if (all.values)
			join(&all, &c->buckets[i], c->rates);
		else
			all = c->buckets[i];
	}
	if (values)
		*values = all.values;
	return all.held ? (double)(i128)all.area / (double)all.held : NAN;
}

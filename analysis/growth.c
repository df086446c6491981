/* SPDX-License-Identifier: MIT */
/* Does a curve grow steadily? A robust slope. */
#include <stdlib.h>

#include "analysis/growth.h"

#define POINTS 64		/* looked at; 2,016 pairs */
#define POINTS_LEAST 12
#define DURATION_LEAST 2000000000	/* ns */
#define GROWTH_LEAST (16.0 * 1024 * 1024)

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The smallest value of each of at most POINTS stretches of the curve within [from, to]. */
static size_t envelope(const struct curve *c, int64_t from, int64_t to, struct curve_value out[POINTS])
{
	size_t begin = 0, end = c->count, n = 0, count;

	while (begin < end && c->buckets[begin].min.t < from)
		begin++;
	while (begin < end && c->buckets[end - 1].min.t > to)
		end--;
	count = end - begin;
	for (size_t i = 0; i < count; i++) {
		const struct curve_value *v = &c->buckets[begin + i].min;
		size_t at = count > POINTS ? i * POINTS / count : i;

		if (at == n)
			out[n++] = *v;
		else if (v->value < out[at].value)
			out[at] = *v;
	}
	return n;
}

int64_t curve_start_up(const struct curve *c)
{
	int64_t begin = c->count ? c->buckets[0].min.t : 0;

	return begin + (c->count ? (c->buckets[c->count - 1].last.t - begin) / 3 : 0);
}

bool curve_growth(const struct curve *c, int64_t from, int64_t to, struct growth *g)
{
	static double slopes[POINTS * (POINTS - 1) / 2];
	struct curve_value v[POINTS];
	int64_t most = 0;
	size_t n = envelope(c, from, to, v), count = 0;

	if (n < POINTS_LEAST || v[n - 1].t - v[0].t < DURATION_LEAST)
		return false;
	for (size_t i = 0; i < n; i++) {
		most = v[i].value > most ? v[i].value : most;
		for (size_t j = i + 1; j < n; j++)
			if (v[j].t > v[i].t)
				slopes[count++] = (double)(v[j].value - v[i].value) /
						  (double)(v[j].t - v[i].t);
	}
	qsort(slopes, count, sizeof(*slopes), compare);
	g->begin = v[0].t;
	g->duration = v[n - 1].t - v[0].t;
	g->per_second = slopes[count / 2] * 1e9;
	g->total = slopes[count / 2] * (double)g->duration;
	return slopes[count / 4] > 0 && g->total >= GROWTH_LEAST && g->total * 10 >= (double)most;
}

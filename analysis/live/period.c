/* SPDX-License-Identifier: MIT */
/* Finds the period of a curve. */
#include "analysis/live/period.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/model/memory.h"

#define LEAST_VALUES	400
#define LEAST_LAG	(PERIOD_LEAST / PERIOD_STEP)
#define LEAST_PERIODS	4	/* that must lie in what was noted */
#define GAP		1e9	/* ns without values */
#define SURE		0.6	/* of 1: the curve is the same one period later */
#define NEAR		0.85	/* of the best: the others are its multiples, which may lie nearer to whole steps */
#define DIP		0.3	/* it must differ in between by so much of that */

void period_release(struct period *p)
{
	free(p->values);
	*p = (struct period){ .count = 0 };
}

void period_note(struct period *p, uint64_t at, double value, double work)
{
	if (!p->values)
		p->values = xcalloc(PERIOD_VALUES, sizeof(*p->values));
	if (p->count && (double)at - p->values[(p->count - 1) % PERIOD_VALUES].at > GAP)
		p->count = 0;
	p->values[p->count++ % PERIOD_VALUES] = (struct period_value){ (double)at, work, value };
}

static size_t noted(const struct period *p)
{
	return p->count < PERIOD_VALUES ? p->count : PERIOD_VALUES;
}

static const struct period_value *value_of(const struct period *p, size_t i)
{
	return &p->values[(p->count - noted(p) + i) % PERIOD_VALUES];
}

/* What values are told over. */
enum axis { BY_TIME, BY_WORK };

static double place(const struct period *p, size_t i, enum axis axis)
{
	return axis == BY_TIME ? value_of(p, i)->at : value_of(p, i)->work;
}

/* As many, at even steps of that, between what was noted. How long such a step is; 0: nothing went on. */
static double evenly(const struct period *p, enum axis axis, double *v)
{
	size_t n = noted(p), at = 0;
	double begin = place(p, 0, axis), step = (place(p, n - 1, axis) - begin) / (double)(n - 1);

	for (size_t i = 0; step > 0 && i < n; i++) {
		double wanted = begin + step * (double)i, from, to;

		while (at + 2 < n && place(p, at + 1, axis) < wanted)
			at++;
		from = place(p, at, axis);
		to = place(p, at + 1, axis);
		v[i] = value_of(p, at)->value;
		if (to > from)
			v[i] += (value_of(p, at + 1)->value - v[i]) * fmin(fmax((wanted - from) / (to - from), 0), 1);
	}
	return step;
}

/* Less their straight line, so that growth is no agreement. */
static void detrend(double *v, size_t n)
{
	double mean = 0, slope = 0, squares = 0, middle = ((double)n - 1) / 2;

	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		slope += ((double)i - middle) * (v[i] - mean);
		squares += ((double)i - middle) * ((double)i - middle);
	}
	for (size_t i = 0; i < n && squares > 0; i++)
		v[i] -= mean + slope / squares * ((double)i - middle);
}

/* Each with its neighbours: what is shorter than a step is seen in some turns only. */
static void smooth(double *v, size_t n)
{
	double before = v[0];

	for (size_t i = 0; i + 1 < n; i++) {
		double now = v[i];

		v[i] = (before + now + v[i + 1]) / 3;
		before = now;
	}
}

/* Agreement of the curve with itself `lag` steps later: 1 the same, 0 none, below 0 the contrary. squares: the sum of
   those of the first i values, for each i. */
static double agreement(const double *v, const double *squares, size_t n, size_t lag)
{
	double product[4] = { 0 }, a = squares[n - lag], b = squares[n] - squares[lag];
	size_t i = 0;

	for (; i + lag + 3 < n; i += 4)		/* sums that do not wait for each other */
		for (size_t k = 0; k < 4; k++)
			product[k] += v[i + k] * v[i + k + lag];
	for (; i + lag < n; i++)
		product[0] += v[i] * v[i + lag];
	return a > 0 && b > 0 ? (product[0] + product[1] + product[2] + product[3]) / sqrt(a * b) : 0;
}

struct peak {
	double at, height;	/* steps; of 1 */
};

/* Between the steps: the top of the parabola through the three. */
static struct peak peak_at(const double *r, size_t lag)
{
	double bend = r[lag - 1] - 2 * r[lag] + r[lag + 1], tilt = r[lag - 1] - r[lag + 1];
	double shift = bend < 0 ? tilt / (2 * bend) : 0;

	return (struct peak){ (double)lag + shift, r[lag] - tilt * shift / 4 };
}

/* In steps; 0: none. The first peak that is nearly as good as the best. */
static double find(double *v, size_t n)
{
	struct peak peaks[PERIOD_VALUES / LEAST_PERIODS + 1] = { { 0, 0 } };
	double r[PERIOD_VALUES / LEAST_PERIODS + 1] = { 1 }, squares[PERIOD_VALUES + 1] = { 0 }, best = 0, low = 1;
	size_t most = n / LEAST_PERIODS, count = 0;

	detrend(v, n);
	smooth(v, n);
	for (size_t i = 0; i < n; i++)
		squares[i + 1] = squares[i] + v[i] * v[i];
	for (size_t lag = 1; lag <= most; lag++)
		r[lag] = agreement(v, squares, n, lag);
	for (size_t lag = 1; lag < most; lag++) {
		struct peak peak = peak_at(r, lag);

		low = r[lag] < low ? r[lag] : low;
		if (r[lag] < r[lag - 1] || r[lag] < r[lag + 1])
			continue;
		best = peak.height > best ? peak.height : best;
		if (peak.height >= SURE && low < peak.height * (1 - DIP))
			peaks[count++] = peak;
	}
	if (r[most] > r[most - 1] && r[most] > best)
		best = r[most];		/* on its way to a later peak */
	for (size_t i = 0; i < count; i++)
		if (peaks[i].height >= NEAR * best)
			return peaks[i].at;
	return 0;
}

uint64_t period_find(const struct period *p)
{
	double v[PERIOD_VALUES], steps, step;

	if (noted(p) < LEAST_VALUES)
		return 0;
	step = evenly(p, BY_TIME, v);
	steps = step > 0 ? find(v, noted(p)) : 0;
	if (!(steps > 0) && evenly(p, BY_WORK, v) > 0)
		steps = find(v, noted(p));	/* of work, of which each took one step on average */
	return steps < LEAST_LAG ? 0 : (uint64_t)(steps * step);	/* its multiples are none either */
}

/* SPDX-License-Identifier: MIT */
/* Finds the period of a curve. */
#include "analysis/live/period.h"

#include <math.h>
#include <stdbool.h>

#define LEAST_VALUES	100
#define LEAST_LAG	(PERIOD_LEAST / PERIOD_STEP)
#define LEAST_PERIODS	4	/* that must lie in what was noted */
#define SURE		0.6	/* of 1: the curve is the same one period later */
#define DIP		0.3	/* it must differ in between by so much of that */

void period_note(struct period *p, double value, double work)
{
	p->values[p->count % PERIOD_VALUES] = value;
	p->work[p->count++ % PERIOD_VALUES] = work;
}

static size_t noted(const struct period *p)
{
	return p->count < PERIOD_VALUES ? p->count : PERIOD_VALUES;
}

/* In order of time. */
static void by_time(const struct period *p, double *v)
{
	size_t n = noted(p);

	for (size_t i = 0; i < n; i++)
		v[i] = p->values[(p->count - n + i) % PERIOD_VALUES];
}

/* As many, at even steps of the work that was done. False: none was. */
static bool by_work(const struct period *p, double *v)
{
	size_t n = noted(p), first = p->count - n, at = 0;
	double begin = n ? p->work[first % PERIOD_VALUES] : 0;
	double all = n ? p->work[(p->count - 1) % PERIOD_VALUES] - begin : 0;

	if (!(all > 0))
		return false;
	for (size_t i = 0; i < n; i++) {
		double wanted = begin + all * (double)i / (double)(n - 1), from, to;

		while (at + 2 < n && p->work[(first + at + 1) % PERIOD_VALUES] < wanted)
			at++;
		from = p->work[(first + at) % PERIOD_VALUES];
		to = p->work[(first + at + 1) % PERIOD_VALUES];
		v[i] = p->values[(first + at) % PERIOD_VALUES];
		if (to > from)
			v[i] += (p->values[(first + at + 1) % PERIOD_VALUES] - v[i]) *
				fmin(fmax((wanted - from) / (to - from), 0), 1);
	}
	return true;
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

/* Agreement of the curve with itself `lag` steps later: 1 the same, 0 none, below 0 the contrary. */
static double agreement(const double *v, size_t n, size_t lag)
{
	double product = 0, a = 0, b = 0;

	for (size_t i = 0; i + lag < n; i++) {
		product += v[i] * v[i + lag];
		a += v[i] * v[i];
		b += v[i + lag] * v[i + lag];
	}
	return a > 0 && b > 0 ? product / sqrt(a * b) : 0;
}

/* In steps; 0: none. */
static double find(double *v, size_t n)
{
	double r[PERIOD_VALUES / LEAST_PERIODS + 1], best = 0, low = 1, shift = 0, bend;
	size_t most = n / LEAST_PERIODS, at = 0;

	detrend(v, n);
	for (size_t lag = 1; lag <= most; lag++) {
		r[lag] = agreement(v, n, lag);
		best = lag >= LEAST_LAG && r[lag] > best ? r[lag] : best;
	}
	/* The first peak that is nearly as good as the best: the others are its multiples. */
	for (size_t lag = 1; lag < most && !at; lag++) {
		low = r[lag] < low ? r[lag] : low;
		if (lag >= LEAST_LAG && r[lag] >= SURE && r[lag] >= 0.9 * best && low < r[lag] * (1 - DIP) &&
		    r[lag] >= r[lag - 1] && r[lag] >= r[lag + 1])
			at = lag;
	}
	if (!at)
		return 0;
	/* Between the steps: the top of the parabola through the three. */
	bend = r[at - 1] - 2 * r[at] + r[at + 1];
	if (bend < 0)
		shift = (r[at - 1] - r[at + 1]) / (2 * bend);
	return (double)at + shift;
}

uint64_t period_find(const struct period *p)
{
	double v[PERIOD_VALUES], steps;
	size_t n = noted(p);

	if (n < LEAST_VALUES)
		return 0;
	by_time(p, v);
	steps = find(v, n);
	if (!(steps > 0) && by_work(p, v))
		steps = find(v, n);	/* of work, of which each took one step on average */
	return (uint64_t)(steps * (double)PERIOD_STEP);
}

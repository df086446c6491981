/* SPDX-License-Identifier: MIT */
/* Student's t, order statistics, Welch's and the permutation test, Holm, Benjamini and Hochberg. */
#include "analysis/statistics.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

#define PERMUTATION_LEAST	4	/* values on each side: 2 of 70 splits are below 5 % */
#define PERMUTATION_MOST	8	/* 12,870 splits */

/* ---- one sample ---- */

double stat_mean(const double *x, size_t n)
{
	double mean = 0;

	/* Step by step: the sum of times in ns may be too large to be exact. */
	for (size_t i = 0; i < n; i++)
		mean += (x[i] - mean) / (double)(i + 1);
	return n ? mean : NAN;
}

static double variance(const double *x, size_t n)
{
	double mean = stat_mean(x, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return n > 1 ? squares / (double)(n - 1) : NAN;
}

double stat_deviation(const double *x, size_t n)
{
	return sqrt(variance(x, n));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stat_sort(double *x, size_t n)
{
	if (n)
		qsort(x, n, sizeof(*x), by_value);
}

double stat_median(const double *sorted, size_t n)
{
	return n ? sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2 : NAN;
}

/* ---- Student's distribution ---- */

#define FRACTION_STEPS	500
#define TINY		1e-300

static double nonzero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / nonzero(1 + even * d);
		c = nonzero(1 + even / c);
		h *= d * c;
		d = 1 / nonzero(1 + odd * d);
		c = nonzero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < DBL_EPSILON)
			break;
	}
	return h;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_cdf(double t, double freedom)
{
	double tail = beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;

	return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double freedom)
{
	double low = 0, high = 1;

	if (p < 0.5)
		return -student_quantile(1 - p, freedom);
	while (student_cdf(high, freedom) < p && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		double middle = low + (high - low) / 2;

		*(student_cdf(middle, freedom) < p ? &low : &high) = middle;
	}
	return low + (high - low) / 2;
}

/* ---- intervals ---- */

bool mean_interval(const double *x, size_t n, struct interval *i)
{
	double mean = stat_mean(x, n), half;

	if (n < 2)
		return false;
	half = student_quantile(1 - STAT_ALPHA / 2, (double)(n - 1)) *
	       stat_deviation(x, n) / sqrt((double)n);
	*i = (struct interval){ mean - half, mean + half };
	return true;
}

bool median_interval(const double *sorted, size_t n, struct interval *i)
{
	double term = pow(0.5, (double)n), below = term;
	size_t k = 0;

	/* The median lies outside [x(k), x(n + 1 - k)] when k - 1 values or fewer are on one side. */
	while (k < n / 2 && 2 * below <= STAT_ALPHA) {
		k++;
		term *= (double)(n - k + 1) / (double)k;
		below += term;
	}
	if (!k)
		return false;
	*i = (struct interval){ sorted[k - 1], sorted[n - k] };
	return true;
}

/* ---- differences ---- */

static void welch(const double *a, size_t na, const double *b, size_t nb, struct difference *d)
{
	double va = variance(a, na) / (double)na, vb = variance(b, nb) / (double)nb;
	double error = sqrt(va + vb), freedom, half;

	d->test = "Welch";
	if (error <= 0) {	/* every run gave the same */
		d->p = d->mean == 0;
		d->interval = (struct interval){ d->mean, d->mean };
		return;
	}
	freedom = (va + vb) * (va + vb) / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
	half = student_quantile(1 - STAT_ALPHA / 2, freedom) * error;
	d->interval = (struct interval){ d->mean - half, d->mean + half };
	d->p = 2 * student_cdf(-fabs(d->mean) / error, freedom);
}

/* All ways of choosing nb of the values: how many give a difference as large as the one seen? */
static double permutation(const double *a, size_t na, const double *b, size_t nb, double seen)
{
	double x[2 * PERMUTATION_MOST], center = stat_mean(a, na), least;
	size_t n = na + nb;
	uint64_t all = 0, extreme = 0;

	for (size_t i = 0; i < n; i++)
		x[i] = (i < na ? a[i] : b[i - na]) - center;
	least = fabs(seen) * (1 - 1e-9);	/* the same split, summed up in another order */
	for (uint32_t chosen = 0; chosen < 1u << n; chosen++) {
		double sum = 0, rest = 0;

		if ((size_t)__builtin_popcount(chosen) != nb)
			continue;
		for (size_t i = 0; i < n; i++)
			*(chosen >> i & 1 ? &sum : &rest) += x[i];
		all++;
		extreme += fabs(sum / (double)nb - rest / (double)na) >= least;
	}
	return (double)extreme / (double)all;
}

static bool is_few(size_t n)
{
	return n >= PERMUTATION_LEAST && n <= PERMUTATION_MOST;
}

struct difference stat_difference(const double *a, size_t na, const double *b, size_t nb)
{
	struct difference d = { stat_mean(b, nb) - stat_mean(a, na), { NAN, NAN }, NAN, "" };

	if (na < 2 || nb < 2)
		return d;
	welch(a, na, b, nb, &d);
	if (is_few(na) && is_few(nb)) {
		d.test = "permutation";
		d.p = permutation(a, na, b, nb, d.mean);
	}
	return d;
}

/* ---- several tests ---- */

struct ranked {
	double p;
	size_t index;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return (x->p > y->p) - (x->p < y->p);
	return (x->index > y->index) - (x->index < y->index);
}

/* Those that are tests, rising; the caller frees. */
static struct ranked *rank(const double *p, size_t n, size_t *tests)
{
	struct ranked *r = xcalloc(n ? n : 1, sizeof(*r));

	*tests = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			r[(*tests)++] = (struct ranked){ p[i], i };
	if (*tests)
		qsort(r, *tests, sizeof(*r), by_p);
	return r;
}

void adjust_holm(double *p, size_t n)
{
	size_t tests;
	struct ranked *r = rank(p, n, &tests);
	double largest = 0;

	for (size_t i = 0; i < tests; i++) {
		largest = fmax(largest, fmin(1, (double)(tests - i) * r[i].p));
		p[r[i].index] = largest;
	}
	free(r);
}

void adjust_benjamini(double *p, size_t n)
{
	size_t tests;
	struct ranked *r = rank(p, n, &tests);
	double smallest = 1;

	for (size_t i = tests; i--;) {
		smallest = fmin(smallest, r[i].p * (double)tests / (double)(i + 1));
		p[r[i].index] = smallest;
	}
	free(r);
}

/* SPDX-License-Identifier: MIT */
/*
 * Statistics of a few repeated runs: intervals of means and medians, tests of a difference, and what
 * several tests at once do to their p-values. Pure functions over arrays of finite numbers.
 *
 * Intervals have the level STAT_LEVEL. Where the runs are too few to say something, functions return
 * false, or NAN in place of a number.
 */
#ifndef DLT_ANALYSIS_STATISTICS_H
#define DLT_ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#define STAT_LEVEL	0.95
#define STAT_ALPHA	(1 - STAT_LEVEL)

struct interval {
	double low, high;
};

/* NAN without values; the deviation is that of a sample (n - 1), NAN below two values. */
double stat_mean(const double *x, size_t n);
double stat_deviation(const double *x, size_t n);
/* x is sorted, rising. */
double stat_median(const double *sorted, size_t n);
void stat_sort(double *x, size_t n);

/* P(T <= t) of Student's distribution with so many degrees of freedom, and its inverse. */
double student_cdf(double t, double freedom);
double student_quantile(double p, double freedom);

/* Of the mean, by Student's t; from two values on. */
bool mean_interval(const double *x, size_t n, struct interval *i);

/*
 * Of the median, by order statistics (whatever the distribution): the narrowest symmetric pair of
 * values that covers it with at least the level; from six values on. x is sorted.
 */
bool median_interval(const double *sorted, size_t n, struct interval *i);

/* Mean of b less mean of a. */
struct difference {
	double mean;
	struct interval interval;	/* Welch's; NAN where it is not known */
	double p;			/* two-sided, that they differ by chance; NAN: not known */
	const char *test;		/* "permutation", "Welch", "" none; static */
};

/*
 * Two values at least on both sides make a test: the exact permutation test of the difference of means
 * when each side has 4 to 8 (it supposes no distribution; with fewer it cannot get below 5 %), else
 * Welch's t-test.
 */
struct difference stat_difference(const double *a, size_t na, const double *b, size_t nb);

/*
 * Adjusts p-values of tests that were made together, in place; NANs are no tests and stay.
 * Holm: the chance of a single wrong "differs" among all stays below the level.
 * Benjamini and Hochberg: the expected part of wrong ones among those that are said to differ does.
 */
void adjust_holm(double *p, size_t n);
void adjust_benjamini(double *p, size_t n);

#endif

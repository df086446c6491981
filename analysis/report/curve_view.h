/* SPDX-License-Identifier: MIT */
/* What people look at in a series: its extremes, its mean, and a line of blocks. */
#ifndef DLT_ANALYSIS_REPORT_CURVE_VIEW_H
#define DLT_ANALYSIS_REPORT_CURVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/report/table.h"

struct summary {
	double min, mean, max;	/* mean over time: the series' own, else of its points, each until the next */
	int64_t begin, end;	/* of the points, ns */
};

/* False when no point has a finite value. */
bool series_summary(const struct series *s, struct summary *sum);

/* NAN: no point has a finite value. */
double series_mean(const struct series *s);

/*
 * The series of a run (process -1) or process with that name; of several devices' or machines' the one with the
 * largest mean; NULL when there is none.
 */
const struct series *report_series(const struct report *r, uint32_t trace, int64_t process,
				   const char *name);
/* How many of its run or process have its name, itself included: each GPU has its own. */
size_t series_alike(const struct report *r, const struct series *s);

/*
 * A curve in one line of `columns` characters over [begin, end): each shows the largest value of
 * its time, so that no peak is lost; from 0 to `top`. Without points so far, or with NaN: blank.
 * The result is the caller's.
 */
char *sparkline(const struct series *s, int64_t begin, int64_t end, double top, int columns,
		bool unicode);

#endif

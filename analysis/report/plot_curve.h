/* SPDX-License-Identifier: MIT */
/* One curve in an area of a figure, and ticks where epochs and iterations begin. */
#ifndef DLT_ANALYSIS_REPORT_PLOT_CURVE_H
#define DLT_ANALYSIS_REPORT_PLOT_CURVE_H

#include "analysis/report/axis.h"
#include "analysis/report/canvas.h"

struct area {
	double x, y, width, height;	/* left, top */
	struct axis t, v;		/* time from left to right, values upwards */
	double shift;			/* ns to add to a curve's times */
};

/* Places of a time (shift not added) and a value; a value never outside, a time not far. */
double area_x(const struct area *a, double t);
bool area_has(const struct area *a, double t);	/* is it on the axis? */
double area_y(const struct area *a, double v);

#define CURVE_WIDTH 0.8

/* Counts and GPU memory go in steps, the rest in straight lines; no peak is lost. `shade`: also fill below it. */
void plot_curve(struct canvas *c, const struct area *a, const struct series *s, int color,
		double width, bool shade);

/* A line for each epoch of the trace, a short tick for each iteration; `numbers` of the epochs. */
void plot_ticks(struct canvas *c, const struct area *a, const struct report *r, int64_t trace,
		bool numbers);

#endif

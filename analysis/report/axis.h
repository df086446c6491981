/* SPDX-License-Identifier: MIT */
/* Axes of figures, from 0 on (of time from any), with round ticks and a unit that fits. */
#ifndef DLT_ANALYSIS_REPORT_AXIS_H
#define DLT_ANALYSIS_REPORT_AXIS_H

#include "analysis/report/table.h"

/* A tick every `step`, from `lo` up to `hi`, all in base units; shown divided by `factor`. */
struct axis {
	double lo, hi, step, factor;
	int decimals;		/* -1: as short as it goes */
	const char *unit;	/* "s", "MiB", "%", "" */
};

/* So that `max` (in base units) fits, with at most about `ticks` steps. */
struct axis axis_count(double max, int ticks);
struct axis axis_real(double max, int ticks, const char *unit);
struct axis axis_percent(double max, int ticks);
struct axis axis_bytes(double max, int ticks);
/* Ends with a tick. */
struct axis axis_duration(double ns, int ticks);
/* Begins and ends as asked. */
struct axis axis_time(double begin, double end, int ticks);

/* The i-th tick, from 0; false after the last. */
bool axis_tick(const struct axis *a, int i, double *value);
/* The label of a tick: buf holds 32 bytes, and is returned. */
const char *axis_label(const struct axis *a, double value, char *buf);

#endif

/* SPDX-License-Identifier: MIT */
/* Axes of figures, from 0 on, with round ticks and a unit that fits. */
#ifndef DLT_ANALYSIS_REPORT_AXIS_H
#define DLT_ANALYSIS_REPORT_AXIS_H

#include "analysis/report/table.h"

/* A tick every `step`, up to `hi`, both in base units; shown divided by `factor`. */
struct axis {
	double hi, step, factor;
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
/* Ends with the data. */
struct axis axis_time(double ns, int ticks);

/* Tick i from 0 on; false after the last. */
bool axis_tick(const struct axis *a, int i, double *value);
/* The label of a tick: buf holds 32 bytes, and is returned. */
const char *axis_label(const struct axis *a, double value, char *buf);

#endif

/* SPDX-License-Identifier: MIT */
/* Whether a curve grows steadily: pure, tested by itself. */
#ifndef DLT_ANALYSIS_GROWTH_H
#define DLT_ANALYSIS_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/model/curve.h"

struct growth {
	double per_second;	/* median slope */
	double total;		/* that, over the time looked at */
	int64_t duration;	/* ns, the time looked at */
	int64_t begin;		/* of it, ns since the trace's begin */
};

/*
 * Does a curve grow steadily within [from, to]? Looks at its lower envelope by the slopes between all
 * pairs of points (Theil and Sen), so that steps and spikes do not count: the median tells the rate, and
 * three slopes of four must rise. Growth below 16 MiB or a tenth of the largest value is none.
 */
bool curve_growth(const struct curve *c, int64_t from, int64_t to, struct growth *g);

/* Where nothing tells the start-up's end: that of the first third of the curve's time. */
int64_t curve_start_up(const struct curve *c);

#endif

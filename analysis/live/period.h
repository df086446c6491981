/* SPDX-License-Identifier: MIT */
/*
 * How long an iteration takes, told by the live heap: a training allocates and frees the same in
 * each, so its live bytes repeat. Values are noted about every step; the period is where the curve
 * agrees with itself (autocorrelation), over time or, where its turns take now more now less time since
 * the machine is not its own, over what was allocated until then, which in each turn is the same. Unsure
 * means none.
 */
#ifndef DLT_ANALYSIS_LIVE_PERIOD_H
#define DLT_ANALYSIS_LIVE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

/* ns between values, about. Where a turn is few steps long, two or three turns look more alike than one. */
#define PERIOD_STEP	5000000ull
#define PERIOD_LEAST	(12 * PERIOD_STEP)	/* ns; what is shorter is not told */
#define PERIOD_VALUES	4096		/* some twenty seconds */

struct period {
	struct period_value {
		double at, work, value;	/* ns; done until then: both never fall */
	} *values;		/* owned; a ring of PERIOD_VALUES, made at the first one */
	size_t count;		/* noted since it began anew */
};

void period_release(struct period *p);

/* at: ns, of a clock that goes on. It begins anew after a second without values. */
void period_note(struct period *p, uint64_t at, double value, double work);

/* ns, the mean over what was noted if it was found by work; 0: none that is sure. */
uint64_t period_find(const struct period *p);

#endif

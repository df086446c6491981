/* SPDX-License-Identifier: MIT */
/*
 * How long an iteration takes, told by the live heap: a training allocates and frees the same in
 * each, so its live bytes repeat. Values are noted at fixed steps; the period is where the curve
 * agrees with itself (autocorrelation), over time or, where its turns take now more now less time since
 * the machine is not its own, over what was allocated until then, which in each turn is the same. Unsure
 * means none.
 */
#ifndef DLT_ANALYSIS_LIVE_PERIOD_H
#define DLT_ANALYSIS_LIVE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#define PERIOD_STEP	20000000ull	/* ns between values */
#define PERIOD_LEAST	(3 * PERIOD_STEP)	/* ns; what is shorter is not seen at this step */
#define PERIOD_VALUES	1024		/* some twenty seconds */

struct period {
	double values[PERIOD_VALUES];	/* a ring */
	double work[PERIOD_VALUES];	/* done until then; never falls */
	size_t count;			/* ever noted */
};

void period_note(struct period *p, double value, double work);

/* ns, the mean over what was noted if it was found by work; 0: none that is sure. */
uint64_t period_find(const struct period *p);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How much of what a process computes is in its rounds. Where a library has its matrix products inside, but for those
 * of small batches, only what is evaluated may be seen: it comes as evenly as training would, and in the pauses between
 * its rounds far more is computed than in them.
 */
#include <stdlib.h>

#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"

#define USUALLY	2	/* times the median are a usual round's */

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Time of calls that compute, from begin to begin; the caller's. */
static uint64_t *computed(const struct rounds *r, const struct process *p)
{
	uint64_t *each = xcalloc(r->count, sizeof(*each));

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		for (uint32_t k = 0; k < b->used && series_works(SERIES_CALLS, p, b); k++) {
			size_t begun = series_before(&r->begin, b->ticks[k].at + 1);

			if (begun)
				each[begun - 1] += b->ticks[k].time;
		}
	}
	return each;
}

double rounds_share(const struct rounds *r, const struct process *p)
{
	uint64_t *each = computed(r, p), most, in_rounds = 0, all = 0;

	qsort(each, r->count, sizeof(*each), by_time);
	most = USUALLY * each[r->count / 2];
	for (size_t i = 0; i < r->count; i++) {
		in_rounds += each[i] < most ? each[i] : most;
		all += each[i];
	}
	free(each);
	return all ? (double)in_rounds / (double)all : 1;
}

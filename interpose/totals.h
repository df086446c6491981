/* SPDX-License-Identifier: MIT */
/*
 * Totals per (thread, function, library) in the black box. An entry has one writer at a time:
 * the thread that claimed it; when that ends, the next thread with the same key adds on top.
 */
#ifndef DLT_INTERPOSE_TOTALS_H
#define DLT_INTERPOSE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "box.h"

/* One call; times in ns. */
struct dlt_totals_call {
	uint64_t duration, nested;
	uint64_t bytes, flops;
	bool outer, ok;
};

/* The entry of this thread; NULL: none is left, use the late ones. Hook-safe. */
struct dlt_box_totals *dlt_totals_claim(uint32_t thread, uint16_t function, uint16_t library);

/* Gives back all entries of a thread. */
void dlt_totals_release(uint32_t thread);

static inline void dlt_totals_add(struct dlt_box_totals *totals, const struct dlt_totals_call *call)
{
	struct dlt_box_sums *s = &totals->sums;
	unsigned __int128 squares = (unsigned __int128)call->duration * call->duration +
		((unsigned __int128)s->squares_high << 64 | s->squares_low);

	if (!s->calls) {
		s->first = call->duration;
		s->min = call->duration;
	}
	s->calls++;
	s->outer_calls += call->outer;
	s->failed += !call->ok;
	s->total += call->duration;
	s->outer_total += call->outer ? call->duration : 0;
	s->nested += call->nested;
	s->min = call->duration < s->min ? call->duration : s->min;
	s->max = call->duration > s->max ? call->duration : s->max;
	s->squares_low = (uint64_t)squares;
	s->squares_high = (uint64_t)(squares >> 64);
	s->bytes += call->bytes;
	s->flops += call->flops;
	totals->buckets[dlt_bucket(call->duration)]++;
}

/* Into the function's late totals: by any thread, caller unknown. */
void dlt_totals_add_late(uint16_t function, const struct dlt_totals_call *call);

#endif

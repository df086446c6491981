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
	uint64_t error;			/* see dlt_box_sums */
	bool outer, ok, untimed;
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

	/* Not by `calls`: the first ones of a program that was listened to later were not timed. */
	if (!s->first)
		s->first = call->duration;
	if (call->duration < s->least - 1)
		s->least = call->duration + 1;
	s->calls++;
	s->outer_calls += call->outer;
	s->failed += !call->ok;
	s->total += call->duration;
	s->outer_total += call->outer ? call->duration : 0;
	s->nested += call->nested;
	s->max = call->duration > s->max ? call->duration : s->max;
	s->squares_low = (uint64_t)squares;
	s->squares_high = (uint64_t)(squares >> 64);
	s->untimed += call->untimed;
	s->error += call->error;
	s->bytes += call->bytes;
	s->flops += call->flops;
	totals->buckets[dlt_bucket(call->duration)]++;
}

/* A call that counts as one of so many ns, which lie in this bucket; nothing nested in it. */
static inline void dlt_totals_add_untimed(struct dlt_box_totals *totals, uint32_t ns, unsigned bucket, uint64_t bytes,
					  uint64_t flops, bool outer, bool ok)
{
	struct dlt_box_sums *s = &totals->sums;
	uint64_t square = (uint64_t)ns * ns;

	s->calls++;
	s->untimed++;
	s->outer_calls += outer;
	s->failed += !ok;
	s->total += ns;
	s->outer_total += outer ? ns : 0;
	s->squares_low += square;
	s->squares_high += s->squares_low < square;
	s->bytes += bytes;
	s->flops += flops;
	totals->buckets[bucket]++;
}

/* The same of an outermost one that succeeded, in one cache line; what it leaves to dlt_totals_add_rest. */
static inline void dlt_totals_add_first(struct dlt_box_totals *totals, uint32_t ns, uint64_t flops)
{
	struct dlt_box_sums *s = &totals->sums;

	s->calls++;
	s->outer_calls++;
	s->total += ns;
	s->outer_total += ns;
	s->flops += flops;
}

/* And of one that is inside another. */
static inline void dlt_totals_add_inner(struct dlt_box_totals *totals, uint32_t ns)
{
	totals->sums.calls++;
	totals->sums.total += ns;
}

/* The rest of so many that were added so. */
static inline void dlt_totals_add_rest(struct dlt_box_totals *totals, uint32_t ns, unsigned bucket, uint32_t calls)
{
	struct dlt_box_sums *s = &totals->sums;
	unsigned __int128 squares = (unsigned __int128)((uint64_t)ns * ns) * calls +
		((unsigned __int128)s->squares_high << 64 | s->squares_low);

	s->squares_low = (uint64_t)squares;
	s->squares_high = (uint64_t)(squares >> 64);
	s->untimed += calls;
	totals->buckets[bucket] += calls;
}

/* Into the function's late totals: by any thread, caller unknown. */
void dlt_totals_add_late(uint16_t function, const struct dlt_totals_call *call);

#endif

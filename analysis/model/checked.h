/* SPDX-License-Identifier: MIT */
/*
 * What `--verify` needs of every sample and event of a process, kept while the trace is read: the
 * worst of each, a few sums, and a straight line through (time-stamp counter, CLOCK_MONOTONIC).
 *
 * Parts of consecutive time segments merge exactly (checked_merge): extremes, integer sums, and the
 * first and last reading of each part, between which the seam is looked at.
 */
#ifndef DLT_ANALYSIS_MODEL_CHECKED_H
#define DLT_ANALYSIS_MODEL_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/model/sums.h"
#include "events.h"

/* Sums over (ticks, ns), both counted from the first pair, so that 128 bits are enough. */
struct clock_fit {
	uint64_t n;
	uint64_t tick0, ns0;		/* the first pair */
	uint64_t tick1, ns1;		/* the last one */
	i128 x, y, xx, xy, yy;
};

#define CHECKED_STREAMS 0x8000		/* ids of streams; the bit above says that it captured */

struct checked {
	uint64_t samples;
	int64_t least;			/* allocated - freed, bytes; without what was inherited */
	int64_t above_peak;		/* largest of allocated - freed - heap_peak */
	uint64_t falling;		/* readings in which a counter of the heap fell */
	uint64_t backwards;		/* readings older than the one before, by either clock */
	uint64_t early;			/* readings said before they were taken */
	struct {
		uint64_t allocated, freed, allocations, frees, time, tsc;
	} first, last;
	struct clock_fit clock;
	/* Level full: what the events say. */
	uint64_t heap_events, allocations, frees, failed, allocated, freed;
	/* Copies and sets that were asked for and not captured into a graph; without bytes: no work. */
	uint64_t copies, sets, without_bytes;
	uint8_t *streams;		/* owned; a bit each that an event names; NULL: none */
};

/* at: when it was said, time: when it was taken, ns on one clock. */
void checked_sample(struct checked *c, const struct dlt_ev_sample_process *e, int64_t at, int64_t time);
void checked_heap_call(struct checked *c, const struct dlt_ev_full_heap_call *e);
void checked_stream(struct checked *c, uint16_t stream);
/* All of it but its stream. */
void checked_copy(struct checked *c, const struct dlt_ev_cuda_copy *e);

/* `later` is of the time right after. */
void checked_merge(struct checked *c, const struct checked *later);
void checked_release(struct checked *c);

/*
 * Ticks per second, and how far the pairs are off the line: root of the mean square, ns. False
 * without at least three pairs at different times.
 */
bool clock_fit_line(const struct clock_fit *f, double *rate, double *residual);

#endif

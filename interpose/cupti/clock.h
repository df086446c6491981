/* SPDX-License-Identifier: MIT */
/*
 * From CUPTI's clock to CLOCK_MONOTONIC, by pairs of readings of both.
 *
 * CUPTI's may be anything that runs on: its own (CLOCK_REALTIME, which steps), or one that a
 * profiler in the process has given it (the TSC). Between two pairs time is taken as linear; how
 * far off that can be is said with each conversion: half the time that a pair took to read, and
 * what the clock's rate has changed from the stretch before, times the stretch; outside of all pairs
 * what both come to at that distance.
 *
 * One caller at a time (records.c's lock) but for cupti_clock_read, which calls CUPTI.
 */
#ifndef DLT_INTERPOSE_CUPTI_CLOCK_H
#define DLT_INTERPOSE_CUPTI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef int (*cupti_get_timestamp)(uint64_t *timestamp);

/* Both at one moment. */
struct clock_pair {
	uint64_t theirs, ours;
	uint64_t half;		/* ns, half of what the reading took */
};

/* Reads a pair now: any number of callers at a time. False: CUPTI does not say. */
bool cupti_clock_read(cupti_get_timestamp get, struct clock_pair *pair);
void cupti_clock_add(const struct clock_pair *pair);

/* CUPTI has another clock from now on; pairs so far still serve what they lie around. */
void cupti_clock_changed(void);

/* ns CLOCK_MONOTONIC; *error in ns. 0: there is no pair yet. */
uint64_t cupti_clock_convert(uint64_t timestamp, uint64_t *error);

/* ns */
uint64_t cupti_clock_now(void);

#endif

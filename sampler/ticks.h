/* SPDX-License-Identifier: MIT */
/*
 * The time-stamp counter from outside: what a box calls `since` in ticks becomes ns
 * CLOCK_MONOTONIC by a pair taken at start and one taken now, whose distance only grows.
 */
#ifndef DLT_SAMPLER_TICKS_H
#define DLT_SAMPLER_TICKS_H

#include <stdint.h>

void ticks_init(void);

/* The counter; 0 where there is none. */
uint64_t ticks_now(void);

/* ns CLOCK_MONOTONIC of a past tick; 0: not known. */
uint64_t ticks_to_ns(uint64_t tick);

/* The counter at a moment shortly before; 0: not known. */
uint64_t ticks_from_ns(uint64_t ns);

/* ns. */
uint64_t ticks_monotonic(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Durations by the time-stamp counter where the kernel's own clock is the TSC (11 ns against
 * 28 ns for clock_gettime), else by clock_gettime. Ticks are converted by (ticks, ns) pairs.
 */
#ifndef DLT_INTERPOSE_CLOCK_H
#define DLT_INTERPOSE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* True once dlt_clock_init found a TSC that the kernel trusts. */
extern bool dlt_clock_is_tsc;
/* ns = ticks * mult >> 32; for differences below 2^32 * 1000 ns exact to 1e-9. */
extern uint64_t dlt_clock_mult;
#define DLT_CLOCK_SHIFT 32

/*
 * ns of one of the kernel's clocks (CLOCK_BOOTTIME, ...), 0 where it has none of that name; of the kernel itself: what
 * is called clock_gettime may be another preload's that makes up times (libfaketime), and that allocates as it first
 * does, while our first hook waits for it.
 */
uint64_t dlt_clock_of(clockid_t clock);

/* ns CLOCK_MONOTONIC, the clock of all time stamps. */
static inline uint64_t dlt_clock_ns(void)
{
	return dlt_clock_of(CLOCK_MONOTONIC);
}

/* A moment, for differences only. */
static inline uint64_t dlt_clock_ticks(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(dlt_clock_is_tsc, 1))
		return __rdtsc();
#endif
	return dlt_clock_ns();
}

static inline uint64_t dlt_clock_elapsed_ns(uint64_t ticks)
{
	if (!dlt_clock_is_tsc)
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * dlt_clock_mult >> DLT_CLOCK_SHIFT);
}

/* Two moments, in ticks and in ns CLOCK_MONOTONIC, as far apart as possible; 0 without a TSC. */
extern struct dlt_clock_pairs {
	uint64_t tsc[2], mono[2];
} dlt_clock_pairs;

/* As early as possible: reads the kernel's clock source, takes the first pair. */
void dlt_clock_begin(void);
/* Takes the second pair; from now on ticks are the TSC's. */
void dlt_clock_init(void);
/* Takes a better second pair when twice the time has passed; true when it did. Cheap otherwise. */
bool dlt_clock_refine(void);

#endif

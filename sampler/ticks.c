/* SPDX-License-Identifier: MIT */
/* Converts time-stamp counter values of other processes. */
#include "ticks.h"

#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static uint64_t first_tick, first_ns;

uint64_t ticks_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t ticks_now(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return 0;
#endif
}

void ticks_init(void)
{
	if (first_ns)
		return;
	first_ns = ticks_monotonic();
	first_tick = ticks_now();
}

uint64_t ticks_to_ns(uint64_t tick)
{
	uint64_t now = ticks_now(), ns = ticks_monotonic();
	double rate;

	/* Less than 10 ms do not give a rate that is worth using. */
	if (!first_ns || ns - first_ns < 10000000 || now <= first_tick || tick > now)
		return 0;
	rate = (double)(ns - first_ns) / (double)(now - first_tick);
	return ns - (uint64_t)((double)(now - tick) * rate);
}

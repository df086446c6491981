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

/* ns per tick at this moment; 0: less than 10 ms do not give a rate that is worth using. */
static double rate_at(uint64_t tick, uint64_t ns)
{
	if (!first_ns || ns - first_ns < 10000000 || tick <= first_tick)
		return 0;
	return (double)(ns - first_ns) / (double)(tick - first_tick);
}

uint64_t ticks_to_ns(uint64_t tick)
{
	uint64_t now = ticks_now(), ns = ticks_monotonic();
	double rate = rate_at(now, ns);

	if (rate <= 0 || tick > now)
		return 0;
	return ns - (uint64_t)((double)(now - tick) * rate);
}

uint64_t ticks_from_ns(uint64_t past)
{
	uint64_t now = ticks_now(), ns = ticks_monotonic();
	double rate = rate_at(now, ns);

	if (rate <= 0 || past > ns)
		return 0;
	return now - (uint64_t)((double)(ns - past) / rate);
}

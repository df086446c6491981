/* SPDX-License-Identifier: MIT */
/* Calibration of the time-stamp counter against CLOCK_MONOTONIC. */
#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool dlt_clock_is_tsc;
uint64_t dlt_clock_mult;

struct pair {
	uint64_t ticks, ns;
};

static struct pair first;

#if defined(__x86_64__)
/* The reading with the least time between two TSC reads of eight is off by the fewest ns. */
static struct pair take_pair(void)
{
	struct pair best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = __rdtsc(), ns = dlt_clock_ns(), after = __rdtsc();

		if (after - before < least) {
			least = after - before;
			best = (struct pair){ before + (after - before) / 2, ns };
		}
	}
	return best;
}

static void set_rate(struct pair a, struct pair b)
{
	dlt_clock_mult = (uint64_t)(((unsigned __int128)(b.ns - a.ns) << DLT_CLOCK_SHIFT) / (b.ticks - a.ticks));
}

static bool kernel_uses_tsc(void)
{
	char name[16] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	close(fd);
	return strncmp(name, "tsc", 3) == 0;
}

void dlt_clock_init(void)
{
	if (!kernel_uses_tsc())
		return;
	first = take_pair();
	/* 200 us give the rate to 1e-4 at once; each refinement makes it better by its distance. */
	while (dlt_clock_ns() - first.ns < 200000)
		;
	set_rate(first, take_pair());
	dlt_clock_is_tsc = true;
}

void dlt_clock_refine(void)
{
	if (dlt_clock_is_tsc)
		set_rate(first, take_pair());
}
#else
void dlt_clock_init(void)
{
}

void dlt_clock_refine(void)
{
}
#endif

/* SPDX-License-Identifier: MIT */
/* CUPTI's clock: as STUB_CUPTI_CLOCK says, or the client's own. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cupti_records.h"

static uint64_t (*own_clock)(void);

uint64_t cupti_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/*
 * A rate that is WOBBLE too high in even seconds and as much too low in odd ones. To the nanosecond:
 * a double does not hold a time in the tens of years.
 */
static uint64_t cupti_time(uint64_t mono)
{
	static long long offset;
	static double ppm, wobble;
	static int read_it;
	double turn = (double)(mono % 2000000000) / 1e9;
	const char *text = read_it ? NULL : getenv("STUB_CUPTI_CLOCK");

	if (text)
		sscanf(text, "%lld:%lf:%lf", &offset, &ppm, &wobble);
	read_it = 1;
	turn = turn < 1 ? turn : 2 - turn;
	return mono + (uint64_t)offset + (uint64_t)(int64_t)((double)mono * ppm / 1e6 + turn * wobble * 1000);
}

/*
 * With a clock of the client's there is no telling what it said then: the difference is now's, by the
 * closest of some readings, between whose two the machine may have done something else.
 */
uint64_t cupti_stamp(uint64_t mono)
{
	uint64_t least = UINT64_MAX, difference = 0;

	if (!own_clock)
		return cupti_time(mono);
	for (int i = 0; i < 8; i++) {
		uint64_t before = cupti_mono(), theirs = own_clock(), took = cupti_mono() - before;

		if (took < least) {
			least = took;
			difference = theirs - before - took / 2;
		}
	}
	return mono + difference;
}

uint64_t cupti_now(void)
{
	return own_clock ? own_clock() : cupti_time(cupti_mono());
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*function)(void));
int cuptiActivityRegisterTimestampCallback(uint64_t (*function)(void))
{
	if (!function)
		return INVALID_PARAMETER;
	own_clock = function;
	return OK;
}

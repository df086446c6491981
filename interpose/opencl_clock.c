/* SPDX-License-Identifier: MIT */
/* For each device the two between which the difference of the clocks lies, and when that was known. */
#include "opencl_clock.h"

#include <stdbool.h>

/*
 * ns by which two clocks may drift apart in a second. Both are crystals that a kernel may steer: some
 * ten millionths in practice.
 */
#define DRIFT 100000u

/* CLOCK_MONOTONIC less the device's clock. */
struct difference {
	int64_t low, high;	/* ns */
	uint64_t at;		/* ns CLOCK_MONOTONIC; 0: nothing is known */
};

static struct difference differences[DLT_CL_CLOCKS];
static bool busy;

static int64_t drift(uint64_t from, uint64_t to)
{
	uint64_t ns = from > to ? from - to : to - from;

	return (int64_t)(ns / 1000000000u * DRIFT + ns % 1000000000u * DRIFT / 1000000000u);
}

/* By this command alone. */
static struct difference own(const struct dlt_cl_times *t)
{
	struct difference d = {
		.low = (int64_t)(t->called - t->queued), .high = (int64_t)(t->returned - t->queued), .at = t->returned,
	};
	int64_t by_end = (int64_t)(t->seen - t->ended) + drift(t->seen, t->returned);

	if (t->seen && by_end < d.high && by_end >= d.low)
		d.high = by_end;
	return d;
}

/* What both say; where they contradict each other a clock was set, and the command is right. */
static struct difference both(const struct difference *known, const struct difference *mine)
{
	int64_t off = drift(known->at, mine->at);
	struct difference d = { known->low - off, known->high + off, mine->at };

	if (!known->at || d.low > mine->high || d.high < mine->low)
		return *mine;
	d.low = d.low > mine->low ? d.low : mine->low;
	d.high = d.high < mine->high ? d.high : mine->high;
	return d;
}

static struct difference of_command(unsigned device, const struct dlt_cl_times *t, bool keep)
{
	struct difference mine = own(t), d;

	if (device >= DLT_CL_CLOCKS || __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
		return mine;
	d = both(&differences[device], &mine);
	if (keep)
		differences[device] = d;
	__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
	return d;
}

void dlt_cl_clock_learn(unsigned device, const struct dlt_cl_times *t)
{
	of_command(device, t, true);
}

uint64_t dlt_cl_clock_begin(unsigned device, const struct dlt_cl_times *t, uint64_t *error)
{
	struct difference d = of_command(device, t, false);
	uint64_t half = (uint64_t)(d.high - d.low) / 2;
	uint64_t begin = t->started + (uint64_t)d.low + half;

	*error = half + 1 + (uint64_t)drift(begin, d.at);
	return begin;
}

void dlt_cl_clock_after_fork(void)
{
	busy = false;
}

/* SPDX-License-Identifier: MIT */
/* Pairs of CUPTI's clock and CLOCK_MONOTONIC, and conversion by the pairs around a time. */
#include "clock.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "interpose/sys.h"

#define PAIRS 1024	/* a power of 2; with one each quarter of a second the last four minutes */
#define READINGS 8
#define SHORTEST 20000000	/* ns */
#define SOON 60000000000	/* ns */
#define LONG_AGO 86400000000000	/* ns: a day */

/* The last PAIRS of one clock; the oldest is first. */
struct clock {
	struct clock_pair pairs[PAIRS];
	uint64_t count;
};

/*
 * CUPTI's own clock is the first: once a profiler has registered another one for the second time, some records
 * still come with times of that (PyTorch's issue 192021).
 */
enum { PRESENT, BEFORE, FIRST, CLOCKS };
static struct clock clocks[CLOCKS];

uint64_t cupti_clock_now(void)
{
	struct timespec ts;

	/* Not libfaketime's: it is compared with times that are not. */
	dlt_sys(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&ts, 0, 0, 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static const struct clock_pair *pair_at(const struct clock *c, uint64_t index)
{
	return &c->pairs[index % PAIRS];
}

static uint64_t first_of(const struct clock *c)
{
	return c->count > PAIRS ? c->count - PAIRS : 0;
}

bool cupti_clock_read(cupti_get_timestamp get, struct clock_pair *pair)
{
	pair->half = UINT64_MAX;
	for (int i = 0; i < READINGS; i++) {
		uint64_t theirs, before = cupti_clock_now(), after;

		if (get(&theirs) != 0)
			return false;
		after = cupti_clock_now();
		if ((after - before) / 2 < pair->half)
			*pair = (struct clock_pair){ theirs, before + (after - before) / 2,
						     (after - before) / 2 + 1 };
	}
	return true;
}

void cupti_clock_add(const struct clock_pair *pair)
{
	struct clock *c = &clocks[PRESENT];
	const struct clock_pair *last = c->count ? pair_at(c, c->count - 1) : NULL;

	/* Another thread was quicker. */
	if (last && pair->ours <= last->ours)
		return;
	/* A clock that stands still or runs back would divide by zero, or worse. */
	if (last && pair->theirs <= last->theirs)
		cupti_clock_changed();
	/* Stretches shorter than that would say little of the rate: the last one is drawn out. */
	if (c->count - first_of(c) >= 2 && last->ours - pair_at(c, c->count - 2)->ours < SHORTEST)
		c->count--;
	c->pairs[c->count++ % PAIRS] = *pair;
}

void cupti_clock_changed(void)
{
	if (!clocks[PRESENT].count)
		return;
	clocks[BEFORE] = clocks[PRESENT];
	if (!clocks[FIRST].count)
		clocks[FIRST] = clocks[PRESENT];
	clocks[PRESENT].count = 0;
}

/* ours by theirs between a and b,. */
static double rate(const struct clock_pair *a, const struct clock_pair *b)
{
	return (double)(b->ours - a->ours) / (double)(b->theirs - a->theirs);
}

/* The pair that ends the stretch that holds the timestamp; the last one's for what comes later. */
static uint64_t stretch(const struct clock *c, uint64_t timestamp)
{
	uint64_t low = first_of(c) + 1, high = c->count - 1;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (pair_at(c, middle)->theirs < timestamp)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of time that passes equally in both clocks: all that one pair can say, and so what is said of it. */
static uint64_t by_one(const struct clock_pair *p, uint64_t timestamp, uint64_t *error)
{
	*error = p->half + (timestamp > p->theirs ? timestamp - p->theirs : p->theirs - timestamp);
	return p->ours + (timestamp - p->theirs);
}

/*
 * Between a and b their own errors, and what the rate has changed from the stretch beside. Outside,
 * the change goes on, and the errors of both make one of the rate.
 */
static uint64_t error_of(const struct clock_pair *a, const struct clock_pair *b, uint64_t timestamp,
			 double bend)
{
	double length = (double)(b->theirs - a->theirs), outside = 0;

	if (timestamp > b->theirs)
		outside = (double)(timestamp - b->theirs);
	else if (timestamp < a->theirs)
		outside = (double)(a->theirs - timestamp);
	return (a->half > b->half ? a->half : b->half) + 1 +
	       (uint64_t)((bend < 0 ? -bend : bend) * (length + outside) +
			  (double)(a->half + b->half) * outside / length);
}

static uint64_t convert(const struct clock *c, uint64_t timestamp, uint64_t *error)
{
	const struct clock_pair *a, *b;
	uint64_t i;
	double slope, bend = 0;

	if (c->count - first_of(c) < 2)
		return by_one(pair_at(c, c->count - 1), timestamp, error);
	i = stretch(c, timestamp);
	a = pair_at(c, i - 1);
	b = pair_at(c, i);
	slope = rate(a, b);
	if (i - 1 > first_of(c))
		bend = slope - rate(pair_at(c, i - 2), a);
	else if (i + 1 < c->count)
		bend = rate(b, pair_at(c, i + 1)) - slope;
	*error = error_of(a, b, timestamp, bend);
	if (timestamp >= a->theirs)
		return a->ours + (uint64_t)((double)(timestamp - a->theirs) * slope);
	return a->ours - (uint64_t)((double)(a->theirs - timestamp) * slope);
}

/* Before the present clock's first pair by more than its pairs reach: the former clock's. */
static const struct clock *clock_of(uint64_t timestamp)
{
	const struct clock *now = &clocks[PRESENT], *before = &clocks[BEFORE];
	const struct clock_pair *last;

	if (!before->count)
		return now;
	if (!now->count)
		return before;
	last = pair_at(before, before->count - 1);
	if (timestamp >= pair_at(now, first_of(now))->theirs &&
	    timestamp <= pair_at(now, now->count - 1)->theirs)
		return now;
	return timestamp <= last->theirs && timestamp >= pair_at(before, first_of(before))->theirs ?
		before : now;
}

/* Buffers come within seconds of what they tell, a record of a long kernel within its time. */
static bool is_possible(uint64_t ours)
{
	const struct clock *c = &clocks[clocks[PRESENT].count ? PRESENT : BEFORE];
	int64_t ago = (int64_t)(pair_at(c, c->count - 1)->ours - ours);

	return ours && ours <= INT64_MAX && ago > -SOON && ago < LONG_AGO;
}

uint64_t cupti_clock_convert(uint64_t timestamp, uint64_t *error)
{
	const struct clock *c = clock_of(timestamp);
	uint64_t ours;

	*error = 0;
	if (!c->count)
		return 0;
	ours = convert(c, timestamp, error);
	for (size_t i = 0; i < CLOCKS && !is_possible(ours); i++)
		ours = clocks[i].count ? convert(&clocks[i], timestamp, error) : 0;
	return is_possible(ours) ? ours : 0;
}

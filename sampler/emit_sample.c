/* SPDX-License-Identifier: MIT */
/*
 * What the sampler gives to LTTng. All that all processes say passes through the buffers of the one CPU that the
 * sampler runs on, and on a busy machine the consumer daemon may not run for 100 ms: who waits loses nothing.
 */
#include "emit_sample.h"

#include "ticks.h"

#define TRIES	2		/* in a row: a process that was stopped for a while has waited for long, too */
#define REST	1000000000ull	/* ns */

static struct sample_counts own_counts;
struct sample_counts *sample_counts = &own_counts;

static bool *wrote_event;	/* NULL: LTTng does not say it */

static struct {
	uint64_t longest;	/* ns; 0: events that find no room are lost at once */
	unsigned in_vain;	/* the last so many ... */
	uint64_t since;		/* ... from then on, ns CLOCK_MONOTONIC */
	uint64_t stuck;		/* ns, times that are over */
	uint64_t again_at;	/* ns CLOCK_MONOTONIC */
	bool hurried;		/* sample_try_now was heard */
} waiting;

void sample_tell_written(bool *wrote)
{
	wrote_event = wrote;
}

void sample_wait_for_room(uint64_t longest)
{
	waiting.longest = longest;
}

void sample_try_now(void)
{
	if (!waiting.hurried)
		waiting.again_at = 0;
	waiting.hurried = true;
}

bool sample_has_room(void)
{
	return !waiting.again_at || ticks_monotonic() >= waiting.again_at;
}

uint64_t sample_stuck(void)
{
	return waiting.stuck + (waiting.in_vain == TRIES ? ticks_monotonic() - waiting.since : 0);
}

static void has_waited(uint64_t begin)
{
	uint64_t end = ticks_monotonic();

	if (end - begin < waiting.longest) {
		waiting.stuck = sample_stuck();
		waiting.in_vain = 0;
		waiting.hurried = false;
	} else if (waiting.in_vain < TRIES && !waiting.in_vain++) {
		waiting.since = begin;
	}
	waiting.again_at = waiting.in_vain == TRIES ? end + REST : 0;
}

bool sample_write(enum dlt_event event, const void *data)
{
	uint64_t begin = waiting.longest ? ticks_monotonic() : 0;

	if (begin < waiting.again_at)
		return false;
	dlt_bridge_emitters[event](data);
	if (waiting.longest)
		has_waited(begin);
	return true;
}

bool sample_emit(enum dlt_event event, const void *data)
{
	bool wrote;

	if (!sample_enabled(event))
		return false;
	if (wrote_event)
		*wrote_event = false;
	if (!sample_write(event, data)) {
		sample_counts->unsaid++;
		return false;
	}
	wrote = !wrote_event || *wrote_event;
	sample_counts->emitted += wrote;
	return wrote;
}

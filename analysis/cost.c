/* SPDX-License-Identifier: MIT */
/* What tracing cost: a price for each kind of operation, times how many the trace counts. */
#include "analysis/cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/breakdown.h"
#include "batch.h"

/*
 * ns on Debian 12, 2 cores of a server, over the same operation without dltrace. `hot` is of runs of
 * `make bench` (parts malloc, cuda, driver), where nothing else happens between two operations.
 * `cold`: of events it was measured with 2 MiB of other work before each, so that it finds nothing of
 * itself in the caches, as in a training between large computations; of heap and counted calls and of
 * boxed events it is an estimate, a multiple of `hot` as with the others. Where a machine's caches are
 * larger, or it is simply faster, `cold` is too much.
 *
 * heap     half of a malloc and free pair at `calls`: last in, first out; and two threads at once
 * noted    an event that goes out in a batch (events.tbl, batch=), its part of the batch included
 * boxed    an event that only goes into the black box, from where dltrace-sampler takes it: part driver, a call
 *          that asks for memory under dltrace-record, over the same where nobody listens
 * single   an event of LTTng's own
 * wrapped  a call that is counted and timed and becomes no event: stub CUDA at the level summary
 * stack    a call stack of 60 frames, most of which are those of the one before (part stacks); all of it anew, an
 *          estimate as above
 * samples  one process read once by dltrace-sampler, beside the programs: its CPU time over 200 samples
 *          of a process of 4 threads; of 100
 */
/* clang-format off */
static const struct price {
	const char *what;
	double hot, cold;
} prices[COST_KINDS] = {
	[COST_HEAP] = { "heap calls", 2, 5 },
	[COST_NOTED] = { "noted events", 30, 100 },
	[COST_BOXED] = { "events by the black box", 65, 190 },
	[COST_SINGLE] = { "events", 125, 370 },
	[COST_WRAPPED] = { "counted calls", 30, 80 },
	[COST_UNTIMED] = { "calls counted without the clock", 4, 20 },
	[COST_STACKS] = { "call stacks", 150, 3000 },
	[COST_SAMPLES] = { "samples", 300e3, 750e3 },
};
/* clang-format on */

/* What the recorder emits costs no program anything. */
static bool is_recorders(int event)
{
	return (event >= DLT_EV_SAMPLE_PROCESS && event <= DLT_EV_SAMPLE_MACHINE) ||
	       (event >= DLT_EV_RECORD_NOTE && event <= DLT_EV_RECORD_ENERGY);
}

static void count_process(struct cost *c, const struct process *p)
{
	c->count[COST_HEAP] += p->sample.allocations + p->sample.frees;
	c->cpu += (double)p->sample.user + (double)p->sample.system;
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		uint64_t timed = f->exact ? f->exact->calls - f->exact->untimed : 0;

		if (!f->exact || !f->timed)
			continue;
		c->count[COST_UNTIMED] += f->exact->untimed;
		if (timed > f->events.calls)
			c->count[COST_WRAPPED] += timed - f->events.calls;
	}
}

struct cost trace_cost(const struct trace *t)
{
	struct cost c = {
		.count = {
			[COST_STACKS] = t->by_type[DLT_EV_FULL_STACK_ALLOC],
			[COST_SAMPLES] = t->by_type[DLT_EV_SAMPLE_PROCESS],
		},
	};

	for (int e = 0; e < DLT_EVENTS; e++)
		if (!is_recorders(e))
			c.count[DLT_EVENTS_BATCHED >> e & 1 ? COST_NOTED : COST_SINGLE] +=
				t->by_type[e];
	c.count[COST_SINGLE] += trace_lost(t);
	if (t->boxed_events) {
		c.count[COST_BOXED] = c.count[COST_SINGLE];
		c.count[COST_SINGLE] = 0;
	}
	for (size_t i = 0; i < t->process_count; i++)
		if (!process_foreign(t->processes[i]))
			count_process(&c, t->processes[i]);
	/* Of a part of the time profiles lack the events outside, which are none of these. */
	c.count[COST_WRAPPED] -= t->filtered_timed < c.count[COST_WRAPPED] ? t->filtered_timed : c.count[COST_WRAPPED];
	for (int i = 0; i < COST_KINDS; i++) {
		/* In a session of one's own a thread of the program takes the samples. */
		bool beside = i == COST_SAMPLES && t->recorded;

		*(beside ? &c.beside_low : &c.low) += (double)c.count[i] * prices[i].hot;
		*(beside ? &c.beside_high : &c.high) += (double)c.count[i] * prices[i].cold;
	}
	return c;
}

const char *cost_share(const struct cost *c, char *text, size_t size)
{
	/* Two digits are more than the estimate is worth. */
	snprintf(text, size, "%s to %s %%", REAL_TEXT(100 * c->low / c->cpu, 2), REAL_TEXT(100 * c->high / c->cpu, 2));
	return text;
}

const char *cost_text(const struct cost *c, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (int i = 0; i < COST_KINDS; i++) {
		char hot[32], cold[32], count[32];

		if (!c->count[i] || length >= size)
			continue;
		length += (size_t)snprintf(text + length, size - length,
					   "%s%s %s of %s to %s", length ? ", " : "",
					   count_text(count, sizeof(count), (double)c->count[i]), prices[i].what,
					   time_text(hot, sizeof(hot), prices[i].hot),
					   time_text(cold, sizeof(cold), prices[i].cold));
	}
	return text;
}

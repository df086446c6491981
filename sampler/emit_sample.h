/* SPDX-License-Identifier: MIT */
/* Emitting from the sampler: only where somebody listens. */
#ifndef DLT_SAMPLER_EMIT_SAMPLE_H
#define DLT_SAMPLER_EMIT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge.h"

struct sample_counts {
	uint64_t emitted;	/* events so far, without those that LTTng has not written where that is known */
	uint64_t unsaid;	/* events that the sampler kept to itself, as LTTng takes nothing */
};

/* This process's own, unless a program says where else they are; never NULL. */
extern struct sample_counts *sample_counts;

/* For a program whose LTTng says when it has written: `wrote` is its dlt_bridge_wrote. */
void sample_tell_written(bool *wrote);

/*
 * For an application that LTTng makes wait for room in a full buffer (LTTNG_UST_ALLOW_BLOCKING), at most `longest`
 * ns for an event. When two events in a row have waited that long for nothing, the consumer daemon is stuck: for
 * 1 s nothing is emitted then, before one event tries again.
 */
void sample_wait_for_room(uint64_t longest);

/* What follows is worth a try before that is over: once, until the daemon is seen to be at work. */
void sample_try_now(void);

/* False: it is stuck. */
bool sample_has_room(void);

/* ns for which it was stuck so far. */
uint64_t sample_stuck(void);

static inline bool sample_enabled(enum dlt_event event)
{
	return dlt_bridge_states[event] && *(const volatile int *)dlt_bridge_states[event];
}

/* Of an event that somebody listens to. False: it was not, LTTng being stuck. */
bool sample_write(enum dlt_event event, const void *data);

/* True: LTTng has written it, or nobody knows. */
bool sample_emit(enum dlt_event event, const void *data);

#endif

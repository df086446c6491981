/* SPDX-License-Identifier: MIT */
/* Emitting from the sampler: only where somebody listens. */
#ifndef DLT_SAMPLER_EMIT_SAMPLE_H
#define DLT_SAMPLER_EMIT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge.h"

/* Events that this process's sampler emitted so far. */
extern uint64_t sample_emitted;

static inline bool sample_enabled(enum dlt_event event)
{
	return dlt_bridge_states[event] && *(const volatile int *)dlt_bridge_states[event];
}

static inline void sample_emit(enum dlt_event event, const void *data)
{
	if (!sample_enabled(event))
		return;
	sample_emitted++;
	dlt_bridge_emitters[event](data);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Frequent events are noted in a ring of the thread's, in the black box, and go out many in one
 * dltrace_batch:records: when the ring is full, when its first event is older than 100 ms, and
 * whenever the thread, a fork, an exec or the process ends. In a training an event of LTTng's
 * finds nothing of itself in the caches and costs 600 ns; a noted one a tenth of that.
 *
 * The owner alone writes. A sampler takes over what an idle thread leaves behind: it sets
 * `taken`, and by its next look, 100 ms later, the owner has seen that (its events go out one by
 * one meanwhile) or says by `writing` that it is at work. What a killed process has noted, the
 * recorder finds in the box.
 */
#ifndef DLT_INTERPOSE_RINGS_H
#define DLT_INTERPOSE_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/*
 * Notes an event of those in DLT_EVENTS_BATCHED that happened at `ticks`. The caller has the guard
 * up. False: it must be emitted at once (nobody reads batches, no ring, taken); or, where what is
 * noted already may not be emitted now, that there was no room.
 */
bool dlt_ring_put(struct dlt_thread *t, enum dlt_event event, const void *data, uint64_t ticks,
		  bool may_emit);

/* Emits what the calling thread has noted. */
void dlt_ring_flush(struct dlt_thread *t);

/* The thread is no more where it was, in the middle of the ring's business (guard.c). */
void dlt_ring_abandon(struct dlt_thread *t);

/* Everybody's, at the process's end; last: nothing is noted any more. */
void dlt_rings_flush_all(bool last);

/* The process goes on after all. */
void dlt_rings_reopen(void);

/* Events that have gone out of the ring of `slot`'s owner. */
uint64_t dlt_ring_events(const struct dlt_box_slot *slot);

/* The same with what is still in it, when a sampler has taken the ring and will emit that. */
uint64_t dlt_ring_noted(const struct dlt_box_slot *slot);

/* A new owner takes the slot: what went out before counts as everybody's. */
void dlt_ring_new_owner(struct dlt_box_slot *slot);

/* Child side of fork, when the new box is in place. */
void dlt_rings_after_fork(void);

#pragma GCC visibility pop

#endif

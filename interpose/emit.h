/* SPDX-License-Identifier: MIT */
/*
 * Emitting events from hooks: a test of the event's state, and the way into the black box (outbox.h) or to
 * LTTng, by a call into libdltrace-ust.so.
 *
 * Until one of them is open (or for ever, without LTTng) all states point to one zero, so a
 * hook that has nothing to say costs two loads and a predicted branch.
 */
#ifndef DLT_INTERPOSE_EMIT_H
#define DLT_INTERPOSE_EMIT_H

#include <stdbool.h>

#include "bridge.h"
#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/*
 * On the way of a call that is recorded: side by side in the file. Between two such calls the
 * application fills all caches, and each page and line of code costs more than what it does.
 */
#define DLT_HOT __attribute__((hot))

extern const int *dlt_states[DLT_EVENTS];

static inline bool dlt_enabled(enum dlt_event event)
{
	return __builtin_expect(*dlt_states[event], 0);
}

/*
 * Emits an event whose state was tested. Guards the emission (what LTTng allocates is not
 * traced), keeps errno, counts the event for its thread. Does nothing while the thread's guard
 * is up, in a vfork child, and in a process that is only counted.
 */
void dlt_emit(struct dlt_thread *t, enum dlt_event event, const void *data);

/*
 * The same for what happened at `ticks` and need not be written at once: events that are marked
 * `batch` in events.tbl are noted in the thread's ring (rings.h) while somebody reads batches.
 */
void dlt_emit_at(struct dlt_thread *t, enum dlt_event event, const void *data, uint64_t ticks);

/* The same where nothing may be emitted: what does not fit into the ring is lost. */
void dlt_emit_later(struct dlt_thread *t, enum dlt_event event, const void *data, uint64_t ticks);

/* No test, no guard, no count: for those who have done that. */
void dlt_emit_now(enum dlt_event event, const void *data);

/*
 * The same from a helper, or while the guard is up, of an event that names no thread: what others
 * tell us, and not what this thread does; or of the process's end. again: a name that was said before,
 * as samplers say them, which is not counted.
 */
void dlt_emit_aside(struct dlt_thread *t, enum dlt_event event, const void *data, bool again);

/*
 * From now on events of dltrace_gpu can be emitted: opens libdltrace-gpu.so, unless they go into the outbox,
 * which takes all. Under the guard; may wait for the loader. False: they cannot.
 */
bool dlt_emit_gpu(void);

/*
 * Before the process ends or replaces itself behind LTTng's back: from now on only the caller
 * emits, and whoever is in the middle of an event finishes it (100 ms at most). A thread killed
 * there would stop the recording on its CPU for everybody who shares the buffers. False when
 * another thread has closed before; then that one's end is waited for as long.
 */
bool dlt_emit_close(struct dlt_thread *t);

/*
 * The last event has been emitted. What comes now (destructors) is only in the black box: where nobody reads that any
 * more, no total would have it.
 */
void dlt_emit_end(void);

/* The process goes on after all. */
void dlt_emit_reopen(void);

/*
 * Under dltrace-record events go into the black box (outbox.h). Else opens libdltrace-ust.so beside this
 * library; silent when that fails.
 */
void dlt_emit_init(void);

/* Child side of fork, when the new box is in place. */
void dlt_emit_after_fork(void);

/* The bridge, or NULL. */
const struct dlt_bridge *dlt_emit_bridge(void);

#pragma GCC visibility pop

#endif

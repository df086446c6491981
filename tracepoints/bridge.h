/* SPDX-License-Identifier: MIT */
/*
 * How code that must not depend on LTTng emits events: two arrays by enum dlt_event.
 *
 * libdltrace.so finds `dlt_bridge` in libdltrace-ust.so by dlsym and copies the pointers; until
 * then (and for ever, where LTTng is missing) every state points to a zero. dltrace-record and
 * libdltrace-ust.so link the arrays directly. An event is emitted only if its state is set:
 *
 *	if (dlt_enabled(DLT_EV_HEAP_ALLOC))
 *		dlt_emit(DLT_EV_HEAP_ALLOC, &event);
 */
#ifndef DLT_TRACEPOINTS_BRIDGE_H
#define DLT_TRACEPOINTS_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

#define DLT_BRIDGE_VERSION 2

typedef void (*dlt_emit_fn)(const void *event);

/* As dl_iterate_phdr, which must not be called beside a fork (interpose/walk.h); in a child it may look at nothing. */
struct dl_phdr_info;
typedef int (*dlt_walk_fn)(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data);

/* NULL for events that this program does not carry (recorder-only ones in the application). */
extern const int *const dlt_bridge_states[DLT_EVENTS];
extern dlt_emit_fn const dlt_bridge_emitters[DLT_EVENTS];

/*
 * Only in the recorder's programs: true once LTTng has written an event. One that finds no room is not, nor one
 * between its state's being set and its session's start (LTTng-UST 2.13: lttng_session_enable), which may take
 * milliseconds: LTTng counts the former as discarded and is silent about the latter.
 */
extern bool dlt_bridge_wrote;

/* What libdltrace-ust.so hands to libdltrace.so, as the exported object `dlt_bridge`. */
struct dlt_bridge {
	unsigned version;
	unsigned events;		/* DLT_EVENTS of that library; refused when it differs */
	const int *const *states;
	dlt_emit_fn const *emitters;
	/* Allocates UST's TLS of the calling thread now rather than in a hook. */
	void (*thread_init)(void);
	/* fork, around it (atfork handlers): all signals are blocked in between. */
	void (*before_fork)(void *sigset);
	void (*after_fork_parent)(void *sigset);
	void (*after_fork_child)(void *sigset);
	/*
	 * The hidden sampling thread, for processes without a recorder: samples `box` (this
	 * process's own) while any sample event is enabled; `walk` as dl_iterate_phdr. start: 0 or
	 * -errno.
	 */
	int (*sampler_start)(void *box, uint64_t size, dlt_walk_fn walk);
	void (*sampler_stop)(void);
};

#endif

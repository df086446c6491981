/* SPDX-License-Identifier: MIT */
/*
 * The other way out for events: into the black box, from where dltrace-record passes them on (tracepoints/box.h
 * has the layout and the protocol, sampler/outbox.c the other side). The process then needs nothing of LTTng's:
 * no thread that listens, no descriptors, no 7 ms to register, and one of a single thread stays one.
 *
 * Taken where dltrace-record has left a file `wanted` in the folder of boxes, and the box is a file.
 */
#ifndef DLT_INTERPOSE_OUTBOX_H
#define DLT_INTERPOSE_OUTBOX_H

#include <stdbool.h>

#include "events.h"
#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

extern bool dlt_outbox_on;	/* events go this way */

/* `folder`: of boxes, "" none. True: from now on they do; their states are *states, by enum dlt_event. */
bool dlt_outbox_init(const char *folder, const int **states);

/* Puts an event there, or counts it as lost where there is no room. Takes no lock and never waits. */
void dlt_outbox_put_event(enum dlt_event event, const void *data);

/* The thread is no more where it was: a message that it was filling is passed over, and lost (guard.c). */
void dlt_outbox_abandon(struct dlt_thread *t);

/* Child side of fork, when the new box is in place. False: it is no file, and nobody would read it. */
bool dlt_outbox_after_fork(void);

#pragma GCC visibility pop

#endif

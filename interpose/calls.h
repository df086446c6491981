/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions.tbl: what the generated wrappers do around the real function.
 *
 * A wrapper asks dlt_call_real for the real function of this call site. If nobody listens it
 * calls that and is done. Otherwise it puts a frame on its thread's stack of calls, times the
 * call, adds it to the totals of (thread, function, library) in the black box, and emits the
 * family's event when the call was outermost and long enough.
 *
 * Calls in flight stand in a small array of the thread's own, not on the C stack: a frame whose
 * call was left by an exception, longjmp or pthread_exit is recognised by its stack address and
 * dropped, without looking at memory that is gone.
 */
#ifndef DLT_INTERPOSE_CALLS_H
#define DLT_INTERPOSE_CALLS_H

#include "thread.h"

/* The thread has ended: its totals may go to the next thread. Called once, before its slot goes. */
void dlt_calls_thread_end(struct dlt_thread *t);

/* Child side of fork, after the new box is in place: sites and totals begin anew. */
void dlt_calls_after_fork(void);

#endif

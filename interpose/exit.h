/* SPDX-License-Identifier: MIT */
/*
 * The end of the process: said in the black box and as dltrace_proc:exit, as late as possible.
 *
 *   exit, return from main   an on_exit handler that is registered before main learns the status;
 *                            the event follows in this library's destructor, after the
 *                            application's handlers and before LTTng's
 *   _exit, _Exit             wrapped: other threads finish their event first (emit.h)
 *   quick_exit               the status from a wrapper, the event in the last handler
 *   abort, raise, kill of itself with a signal that ends it: as _exit; the action must be the
 *                            default one, or be SIGABRT's after abort
 *   exec                     as _exit, and taken back if it fails
 *   other signals            nothing is installed for them, so that sigaction, /proc, core dumps
 *                            and faulthandler show what they show without: the black box stays
 *                            in state alive, which after its process's end means a signal; which
 *                            one is known to whoever waits for it (the recorder for its command,
 *                            a traced parent for its children)
 */
#ifndef DLT_INTERPOSE_EXIT_H
#define DLT_INTERPOSE_EXIT_H

/* `how` of dltrace_proc:exit. */
enum dlt_exit_how { DLT_EXIT_EXIT, DLT_EXIT_AT_ONCE, DLT_EXIT_QUICK, DLT_EXIT_ABORT,
		    DLT_EXIT_SIGNAL, DLT_EXIT_EXEC };

/* The process is about to end: black box, event, and nobody emits any more. `code`: or signal. */
void dlt_exit_begin(enum dlt_exit_how how, int code);

/* It did not: an exec failed, or a signal had no effect. */
void dlt_exit_undo(enum dlt_exit_how how);

#endif

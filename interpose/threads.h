/* SPDX-License-Identifier: MIT */
/*
 * Threads by name: who created them, what they run, how they ended. (threads.c)
 *
 * pthread_create goes through a trampoline; threads that come another way (clone, thrd_create)
 * get their record at their first hook, from thread.c, and have no creator.
 */
#ifndef DLT_INTERPOSE_THREADS_H
#define DLT_INTERPOSE_THREADS_H

#include "thread.h"

/* `reason` of dltrace_proc:thread. */
enum dlt_threads_reason { DLT_THREAD_START, DLT_THREAD_FORK, DLT_THREAD_NAMED };

/* `how` of dltrace_proc:thread_end. */
enum dlt_threads_how { DLT_END_RETURN, DLT_END_EXIT, DLT_END_CANCEL, DLT_END_PROCESS };

/*
 * Emits dltrace_proc:thread for `t` from its slot; `name` NULL: the calling thread's own, as the
 * kernel has it. Does nothing for helpers.
 */
void dlt_threads_announce(struct dlt_thread *t, enum dlt_threads_reason reason, const char *name);

/* Was one created that has not begun yet? */
bool dlt_threads_starting(void);

/* The program calls the thread of this id of the kernel's by a name that the kernel is not told. */
void dlt_threads_named(uint32_t tid, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The modules that the constructor starts, and the moments at which it tells them something.
 *
 * Each has an empty weak default in init.c, so a module exists by being linked in.
 */
#ifndef DLT_INTERPOSE_INIT_H
#define DLT_INTERPOSE_INIT_H

#include <stdint.h>

struct dlt_thread;

void dlt_calls_init(void);		/* functions.tbl: CUDA, BLAS, OpenMP */
void dlt_threads_init(void);		/* pthread_create and names */
void dlt_children_init(void);		/* vfork, posix_spawn, exec */
void dlt_descriptors_init(void);	/* close and its kin */
void dlt_exit_init(void);		/* exit, _exit, quick_exit, abort, fatal signals */
void dlt_heap_init(void);		/* malloc and its kin */
void dlt_fork_init(void);		/* fork handlers */

/* LTTng has told a new process (or a fork's child) which events are wanted: see whether each call is. */
void dlt_heap_started(void);

/*
 * The hidden sampling thread, where no recorder reads the box and LTTng has found a session daemon:
 * without one nobody can listen, and a thread more would cost each short process 0.3 to 2 ms (it
 * has to get a CPU once more to end).
 */
void dlt_sampler_start(void);		/* the process is ready: at its start, in a fork's child */
void dlt_sampler_useful(void);		/* LTTng is connected; any thread, at any time */
void dlt_sampler_stop(void);		/* before the process ends: a last sample */
void dlt_sampler_after_fork(void);	/* in the child: there is none, and LTTng will connect anew */

/*
 * The thread is about to give up its record: the last round of its thread-specific data's
 * destructors. Events are still possible.
 */
void dlt_threads_ended(struct dlt_thread *t);
void dlt_last_thread(struct dlt_thread *t);	/* the first of these: it may end the process (last_thread.c) */
void dlt_last_thread_after_fork(void);
void dlt_heap_thread_ended(struct dlt_thread *t);
void dlt_calls_thread_end(struct dlt_thread *t);
void dlt_ledger_thread_end(const struct dlt_thread *t);
void dlt_marks_thread_end(struct dlt_thread *t);

/* What libdltrace-cupti.so must hear of (cupti.c). */
void dlt_cupti_end(void);		/* the process ends: before events are closed */
void dlt_cupti_thread_ended(struct dlt_thread *t);
void dlt_cupti_after_fork(void);	/* in the child */

/* The library of the innermost call of functions.tbl in flight; 0: none. (calls.c) */
uint16_t dlt_calls_library(struct dlt_thread *t);

/* The thread is about to emit (before `event`) and was not announced yet. */
void dlt_threads_first_event(struct dlt_thread *t, int event);

/* In a forked child, after identity, box and thread record are its own. */
void dlt_threads_after_fork(void);
void dlt_calls_after_fork(void);
void dlt_ledger_after_fork(void);
void dlt_heap_after_fork(void);
void dlt_marks_after_fork(void);
void dlt_map_after_fork(void);		/* when the new box is in place, before it is published */

/* The process ends: what the caller's totals still lack. Hook-safe. */
void dlt_calls_exit(void);

/* The process ends, and only the caller emits: ranges that it leaves open. */
void dlt_marks_exit(void);

/*
 * Whether this process shall be traced or only counted. `policy` is DLTRACE_CHILDREN ("" when
 * unset), `argv` the program's arguments. Asked once, at the first call of any hook.
 */
_Bool dlt_children_traced(const char *policy, char **argv);

#endif

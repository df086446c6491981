/* SPDX-License-Identifier: MIT */
/* What the table `failures` and the rules on failures have in common. */
#ifndef DLT_ANALYSIS_FAILURES_H
#define DLT_ANALYSIS_FAILURES_H

#include <stdbool.h>

#include "analysis/model/model.h"

/* The error by which it says that there is no GPU, or no driver for one: an answer, no failure. NULL: it does not. */
const struct error *call_finds_no_gpu(const struct process *p, const struct profile *c);
/* Is this error of c, which are events, what went wrong? The ledger tells of refused GPU memory. */
bool call_failed(const struct process *p, const struct profile *c, const struct error *e);
/*
 * Failed calls that are in the totals but no events, as all are at the level summary: neither code nor time is known.
 * Only outermost ones: what fails inside another call is that one's to judge. What is only asked may be answered by
 * an error, as looking for a GPU is where there is none.
 */
uint64_t call_failed_untold(const struct process *p, const struct profile *c);
/* By a signal or a status that says so; not one that its maker lets go or ends. */
bool process_ended_badly(const struct process *p);
/* Was a call of it in flight when its process ended badly? The one in which a thread ended its process is no hang. */
bool thread_was_held(const struct process *p, const struct thread *thread);
/* Allocations of the heap that failed, those that are no events included. */
uint64_t heap_failed(const struct process *p);

/*
 * The command ended badly, as its recorder saw, and of its process nothing is in the trace: it is static, or died
 * before it had begun. False: not so; else `text` says it.
 */
bool trace_unseen_end(const struct trace *t, char *text, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A function's own time: of its calls, less the calls in them that are traced too. All own times of a process add up
 * to its outermost calls.
 *
 * By phase they are known of the outermost calls alone, which are events. Such an event says for how long others ran
 * inside, not which; the totals say which did in all. So the time of nested calls is shared out: in each phase first
 * to those of the outermost call's kind, what is left to all. Where that leaves a choice, `error` is how far it may be
 * off. Outermost calls that are no events, and what ran in them, are in no phase.
 */
#ifndef DLT_ANALYSIS_SELF_TIME_H
#define DLT_ANALYSIS_SELF_TIME_H

#include "analysis/model/model.h"
#include "analysis/phases.h"

/* Of one profile, ns; whole: the sum of phase[] and of elsewhere, where there are phases. */
struct self_time {
	uint64_t whole;
	uint64_t phase[PHASES_MAX];
	uint64_t error[PHASES_MAX];
	uint64_t elsewhere;		/* no phase is known of it */
};

/* One for each of the process's profiles, before any filter, nothing where it has no durations; the caller's. */
struct self_time *self_times(const struct process *p);

#endif

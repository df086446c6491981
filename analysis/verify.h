/* SPDX-License-Identifier: MIT */
/*
 * What a report must fulfil, whatever was recorded. A check is a function and one line of `checks`
 * in verify.c; it looks at one trace and says by how much it is off. A check that finds nothing to
 * compare does not apply: it never passes by having looked at nothing.
 */
#ifndef DLT_ANALYSIS_VERIFY_H
#define DLT_ANALYSIS_VERIFY_H

#include "analysis/analyses.h"

enum check_state { CHECK_NOT_APPLICABLE, CHECK_PASSED, CHECK_FAILED };

struct check_result {
	enum check_state state;
	uint64_t compared;	/* how many of what the check's text names */
	double off;		/* in the check's unit */
	char text[400];
};

struct check {
	const char *name;	/* for scripts */
	const char *title;	/* what holds when it passes */
	const char *unit;	/* of `off` */
	void (*run)(const struct trace *t, const struct report *r, struct check_result *result);
	bool whole;		/* only of a recording that has ended: what was counted may not be written before */
};

/* off: 0 passes; nothing compared: it does not apply. */
void check_verdict(struct check_result *c, uint64_t compared, double off, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Why there is nothing to check. */
void check_not_applicable(struct check_result *c, const char *why);

/*
 * A process of which all is in the trace, from its first event to its last reading, and nothing
 * was lost: only there must counts agree exactly.
 */
bool process_whole(const struct process *p);

/* Calls `each` for the trace's processes that are shown and announced. */
#define each_checked(p, t) \
	for (size_t each_i = 0; each_i < (t)->process_count; each_i++) \
		for (const struct process *p = (t)->processes[each_i]; \
		     p && process_shown(p) && p->announced; p = NULL)

/* verify_events.c */
void check_readable(const struct trace *t, const struct report *r, struct check_result *c);
void check_emitted(const struct trace *t, const struct report *r, struct check_result *c);
void check_totals(const struct trace *t, const struct report *r, struct check_result *c);
void check_named(const struct trace *t, const struct report *r, struct check_result *c);
void check_ended(const struct trace *t, const struct report *r, struct check_result *c);
/* verify_memory.c */
void check_heap(const struct trace *t, const struct report *r, struct check_result *c);
void check_heap_peak(const struct trace *t, const struct report *r, struct check_result *c);
void check_heap_events(const struct trace *t, const struct report *r, struct check_result *c);
void check_gpu_ledger(const struct trace *t, const struct report *r, struct check_result *c);
void check_gpu_memory_events(const struct trace *t, const struct report *r, struct check_result *c);
/* verify_time.c */
void check_shares(const struct trace *t, const struct report *r, struct check_result *c);
void check_phases(const struct trace *t, const struct report *r, struct check_result *c);
void check_nesting(const struct trace *t, const struct report *r, struct check_result *c);
void check_clocks(const struct trace *t, const struct report *r, struct check_result *c);
void check_clock_rate(const struct trace *t, const struct report *r, struct check_result *c);
/* verify_gpu.c */
void check_gpu_kernels(const struct trace *t, const struct report *r, struct check_result *c);
void check_gpu_copies(const struct trace *t, const struct report *r, struct check_result *c);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Ranges and moments that programs name themselves (dltrace_mark:range), summed up by name. Times are ns since the
 * trace's begin.
 *
 * What TSL (XLA, TensorFlow) says of a range in its name ("XlaPass:#name=dce,module=jit_step,program_id=3#") tells no
 * ranges apart but by `name`: "XlaPass: dce". A process keeps MARKS_KEPT names; what comes after that is summed up
 * under one, MARK_OTHER. An epoch or a step lasts from its beginning to the next one's, or to the end of its process.
 * Of single moments, for ticks, so many a kind and trace are kept.
 */
#ifndef DLT_ANALYSIS_MODEL_MARKS_H
#define DLT_ANALYSIS_MODEL_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/idmap.h"
#include "analysis/model/pace.h"
#include "analysis/model/sums.h"

struct process;
struct trace;

enum mark_kind {
	MARK_PUSHED = 1, MARK_STARTED, MARK_MOMENT, MARK_EPOCH, MARK_STEP, MARK_KINDS,
	MARK_SAID = MARK_KINDS,		/* no mark of its own making: in struct said alone */
};

/* Kinds of calls, as in `inside` of dltrace_mark:range; there is no 0. */
#define MARK_CALLS	8

#define MARKS_KEPT	4096
#define MOMENTS_KEPT	4000
#define SAID_KEPT	4096
#define MARK_OTHER	"(other names)"

/* All ranges of one name in one process. */
struct mark {
	const char *domain, *name;
	uint8_t kind;			/* enum mark_kind */
	bool threads;			/* several threads had it */
	uint32_t thread;		/* the one that began the first */
	uint64_t nested;		/* those that lay in another range of their thread */
	uint64_t open;			/* those that never ended */
	int64_t begin, end;		/* of the first, of the last */
	struct sums sums;
	struct pace *pace;		/* owned; of MARK_STEP, else NULL */
	struct {
		uint64_t calls, ns;
	} inside[MARK_CALLS];		/* outermost calls of its thread during them, by kind */
};

/* A line of its standard output or error says in which epoch it is. */
struct said {
	int64_t at;
	uint64_t number;
	bool error;			/* standard error */
};

/* Of one process; NULL while there is none. */
struct marks {
	struct mark **list;		/* owned; by first sight */
	size_t count, capacity;
	struct idmap by_name;		/* hash: index + 1 */
	struct {
		int64_t begin;		/* UNKNOWN: none is open */
		int64_t number;
		uint32_t thread;
	} open[MARK_KINDS];		/* the epoch and the step that it is in */
	struct said *said;		/* owned; in the order of the trace; SAID_KEPT of them at most */
	size_t said_count, said_capacity;
	bool said_more;			/* than are kept */
};

struct moment {
	int64_t t;
	const struct process *process;	/* borrowed */
	const char *name;
	int64_t number;
	uint8_t kind;
};

/* All moments of a trace, in the order of the trace. */
struct moments {
	struct moment *list;		/* owned */
	size_t count, capacity;
	size_t by_kind[MARK_KINDS];	/* seen; of each MOMENTS_KEPT at most are in the list */
};

/* NULL is fine. */
void marks_free(struct marks *m);
/* What an unannounced thread named belongs to a process after all. */
void marks_adopt(struct process *to, struct process *orphan);
/* The trace has been read: epochs and steps that are open end with their process. */
void marks_end(struct trace *t);

#endif

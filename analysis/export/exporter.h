/* SPDX-License-Identifier: MIT */
/*
 * Formats of single events: timelines for other tools. A format is one file here, and one line of
 * analysis/report/writers.tbl.
 *
 * What an exporter gets is made of the trace's events by spans.c, beside the model, one trace after
 * another: calls, named ranges, work of GPUs as spans, moments, heap calls; each once, with its begin
 * and end. Events come in the order of their ends; those of batches up to half a second late, work of
 * GPUs a second. When the traces have been read, tables.c adds what only the report knows: lives of
 * processes, phases, iterations, failures, and every curve as values. Nobody holds the trace.
 *
 * Times are ns, never negative: CLOCK_MONOTONIC of the traced machine; of several, or of one that was booted in
 * between, the one that began first. Spans of one track nest or lie apart.
 */
#ifndef DLT_ANALYSIS_EXPORT_EXPORTER_H
#define DLT_ANALYSIS_EXPORT_EXPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/model.h"
#include "analysis/report/table.h"

enum track_kind {
	TRACK_THREAD,		/* outermost calls of a thread */
	TRACK_BESIDE,		/* of a thread too, by name: its ranges */
	TRACK_PROCESS,		/* of a process, by name: a GPU's stream, epochs, its life */
	TRACK_RUN,		/* of a trace as a whole, by name */
	TRACK_VALUES,		/* a curve, of a process or (NULL) of the run */
};

/* Where something is shown. Owned by spans.c, kept to the end. */
struct track {
	enum track_kind kind;
	uint64_t id;			/* not 0 */
	uint64_t zero;			/* of all times, ns since 1970 */
	const struct trace *trace;	/* borrowed, as all here */
	const struct process *process;	/* NULL: the run */
	const struct thread *thread;
	const char *name, *unit;	/* of the model's pool, or static; unit: of values */
	const char *thread_name;	/* as it was said last */
	unsigned said;			/* a bit an exporter: it has told its file of the track */
};

/* A detail: text, or a number where that is NULL. */
struct export_arg {
	const char *name;		/* static */
	const char *text;
	uint64_t number;
	bool negative;			/* the number is an int64_t, below 0 */
};

#define EXPORT_ARGS 8

/* EXPORT_OPEN: a long call is in flight since `begin`; its span comes when it ends, if ever. */
enum export_kind { EXPORT_SPAN, EXPORT_MOMENT, EXPORT_VALUE, EXPORT_HEAP, EXPORT_OPEN };

#define EXPORT_LONG 500000000	/* ns */

struct export_event {
	enum export_kind kind;
	struct track *track;
	int64_t begin, end;		/* a moment's are the same */
	const char *name;		/* not NULL */
	bool kept;			/* the name is static or of the model's pool: equal is the same pointer */
	const char *category;		/* layer, or ""; kept */
	uint64_t flow;			/* what led to what has the same; 0: nothing known */
	bool flow_ends;			/* this is what it led to */
	double value;
	uint64_t ptr, size;		/* EXPORT_HEAP; `name` is the function */
	uint8_t operation;		/* EXPORT_HEAP: 1 allocated, 2 freed, 3 failed */
	uint64_t caller;		/* address of the calling library; 0: not known */
	struct export_arg args[EXPORT_ARGS];
	size_t arg_count;
};

struct exporter {
	const char *name;		/* of its line in `writers` */
	/* Begins the output `path` (a file; "-": standard output). 0 or a negative errno. */
	int (*begin)(void **state, const char *path);
	/* `bit` is the exporter's in track->said. */
	void (*event)(void *state, const struct export_event *e, unsigned bit);
	/*
	 * Completes the output and frees the state; without `keep` what was there before stays.
	 * 0 or a negative errno.
	 */
	int (*end)(void *state, bool keep);
};

extern const struct exporter exporters[];
extern const size_t exporter_count;

#define WRITER(name, ending, pages, package)
#define EXPORTER(name, ending, folder) \
	int name##_begin(void **state, const char *path); \
	void name##_event(void *state, const struct export_event *e, unsigned bit); \
	int name##_end(void *state, bool keep);
#include "analysis/report/writers.tbl"
#undef WRITER
#undef EXPORTER

const struct exporter *exporter_by_name(const char *name);

/*
 * Process ids for other tools, which take equal ones for the same process: to the kernel's is added
 * 10,000,000 for each other one of the report that had it before.
 */
struct export_pids {
	struct idmap by_pid, by_process;	/* processes that had it; what was added */
};

void export_pids_release(struct export_pids *p);
uint32_t export_pid(struct export_pids *p, const struct process *process);
uint32_t export_tid(struct export_pids *p, const struct thread *thread);

/* Ids for what a format has to name, the same in each run. */
uint64_t export_key(uint64_t key, uint64_t value);
uint64_t export_process_key(const struct process *p);
uint64_t export_thread_key(const struct thread *thread);

/* Its own, or its program's. Borrowed from the model. */
const char *export_thread_name(const struct thread *thread);
/* "python3", "trace 2: python3" where it is not the first. Into `text`, which it returns. */
const char *export_process_name(const struct process *p, char *text, size_t size);

#endif

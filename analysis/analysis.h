/* SPDX-License-Identifier: MIT */
/*
 * From traces to a report, as main.c drives it:
 *
 *	struct model_options options = MODEL_OPTIONS_INIT;	(then the command line)
 *	struct model *m = model_new(&options);
 *	for each trace: model_read(m, reader, path);
 *	struct report *r = report_new();
 *	analyses_run(m, r);
 *
 * The model reads events into processes, threads, profiles and reduced curves; its memory grows
 * with those, never with the number of events. Analyses look at it and fill tables; each is one
 * file in analysis/ and one line in analysis/analyses.tbl.
 *
 * Tables (analysis/report/table.h), always all of them, possibly empty, in this order:
 *	traces machines processes threads libraries coverage breakdown shares communication heap
 *	gpu_memory gpu memory_stacks memory_stack_sums gpu_work phases phase_functions phase_kernels phase_memory
 *	phase_communication phase_gpu_work iterations epochs slow_iterations ranges range_calls marks
 *	failures findings limits kinds phase_kinds phase_layers phase_libraries phase_shares runs
 *	study comparison changes scaling clocks exactness checks
 * `breakdown` is complete (data formats); `shares` is what people look at (figure 3): by
 * framework and layer over the whole run, functions of at least `min_share`, the rest as one row
 * whose function is "other".
 *
 * Series: with a process, what that process did; without (-1), the run or the machine:
 *	threads           sum over the run's processes
 *	cpu_percent       the run's, of the machine (0 to 100); missing when the machine is not known
 *	cpu_cores         the run's, in cores        cpu_limit_percent   of the cgroup's limit
 *	rss_bytes         the run's anonymous and shared memory, shared pages once
 *	ram_percent       of the machine: total less available, by everybody
 *	run_ram_percent   rss_bytes of the machine's memory
 *	heap_bytes mapped_bytes gpu_reserved_bytes pinned_bytes
 *	gpu_library_bytes one for each library (struct series, library); gpu_device_bytes, gpu_async_bytes
 *	                  and so on by kind; gpu_nvml_bytes what NVML says: only with a process
 * What a series means in full stands in its title.
 */
#ifndef DLT_ANALYSIS_ANALYSIS_H
#define DLT_ANALYSIS_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

struct model;
struct reader;
struct reader_event;
struct report;
struct team;
struct trace;

struct time_range {
	int64_t from, to;
};

/* Patterns are shell globs; NULL matches everything. Strings are borrowed. */
struct model_options {
	const char *process;	/* a pid, or a pattern on the program's name */
	const char *rank;	/* ranks and ranges of them: "0,4-7" */
	const char *host;
	const char *framework;	/* by name, case ignored: "pytorch" */
	const char *function;
	const char *layer;	/* "runtime", "blas", ... */
	const char *phase;	/* only what happened in it: `ranges` says when that was */
	int64_t from, to;	/* ns since the trace's begin: only events in [from, to) */
	const struct time_range *ranges;	/* the same by trace; borrowed; NULL: all of it */
	double min_share;	/* fraction; smaller ones become "other" in `shares` */
	const char *const *labels;	/* [GLOB:]KEY=VALUE, for traces whose path matches */
	size_t label_count;
	size_t baselines;	/* so many of the first traces are what others are compared with */
	size_t points;		/* at most about so many points a series */
	/* Called every 64K events or so with the number read of this trace, to be shown; NULL is fine. */
	void (*progress)(uint64_t events);
	/*
	 * For exporters: every event in the reader's order, from one process, when the model has
	 * taken it already. NULL is fine, and then the reader may be split.
	 */
	void (*event)(void *data, const struct trace *t, int64_t at, const struct reader_event *e);
	void *event_data;
	/*
	 * Called whenever it got somewhere, so that one who waits does not take it for stuck: while a trace is read, in
	 * processes that read a part of it, too, and between the steps of the analyses. NULL is fine.
	 */
	void (*alive)(void);
	unsigned jobs;		/* processes that decode a trace; 0: as many as there are cores */
	struct team *team;	/* they are those of mpirun (model/team.h); NULL: forked ones */
};

#define MODEL_OPTIONS_INIT { .from = INT64_MIN, .to = INT64_MAX, .min_share = 0.01, .points = 1024 }

/* Copies the options (not the strings). Owned by the caller. Stops the program without memory. */
struct model *model_new(const struct model_options *options);
/* NULL is fine. */
void model_free(struct model *m);

/*
 * Reads one trace to its end. 0; or the negative errno at which the reader gave up: what was read
 * until then stays and is reported, with the reason among the limits. The reader may be closed
 * afterwards.
 */
int model_read(struct model *m, struct reader *r, const char *path);

/* A trace that could not be opened at all: reported among the limits. */
void model_unreadable(struct model *m, const char *path, const char *why);

struct analysis {
	const char *name;
	void (*run)(const struct model *m, struct report *r);
};

extern const struct analysis analyses[];
extern const size_t analysis_count;

/* All of them, in order. */
void analyses_run(const struct model *m, struct report *r);

#endif

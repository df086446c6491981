/* SPDX-License-Identifier: MIT */
/*
 * What analyses share: the functions that analyses.c lists, walking over processes, small words
 * for texts. Analyses only read the model; a later one may read the tables of an earlier one.
 */
#ifndef DLT_ANALYSIS_ANALYSES_H
#define DLT_ANALYSIS_ANALYSES_H

#include "analysis/analysis.h"
#include "analysis/model/model.h"
#include "analysis/report/table.h"

#define COLUMNS(array) array, sizeof(array) / sizeof(*(array))

void run_traces(const struct model *m, struct report *r);
void run_machines(const struct model *m, struct report *r);
void run_processes(const struct model *m, struct report *r);
void run_threads_table(const struct model *m, struct report *r);
void run_libraries(const struct model *m, struct report *r);
void run_coverage(const struct model *m, struct report *r);
void run_breakdown(const struct model *m, struct report *r);
void run_shares(const struct model *m, struct report *r);
void run_kernels(const struct model *m, struct report *r);
void run_graphs(const struct model *m, struct report *r);
void run_communication(const struct model *m, struct report *r);
void run_heap(const struct model *m, struct report *r);
void run_gpu_memory(const struct model *m, struct report *r);
void run_gpu_work(const struct model *m, struct report *r);
void run_phases(const struct model *m, struct report *r);
void run_phase_functions(const struct model *m, struct report *r);
void run_phase_kernels(const struct model *m, struct report *r);
void run_phase_communication(const struct model *m, struct report *r);
void run_phase_gpu_work(const struct model *m, struct report *r);
void run_phase_memory(const struct model *m, struct report *r);
void run_iterations(const struct model *m, struct report *r);
void run_epochs(const struct model *m, struct report *r);
void run_slow_iterations(const struct model *m, struct report *r);
void run_ranges(const struct model *m, struct report *r);
void run_range_calls(const struct model *m, struct report *r);
void run_marks(const struct model *m, struct report *r);
void run_curves(const struct model *m, struct report *r);
void run_failures(const struct model *m, struct report *r);
void run_findings(const struct model *m, struct report *r);
void run_limits(const struct model *m, struct report *r);
void run_regroupings(const struct model *m, struct report *r);
void run_scaling(const struct model *m, struct report *r);
void run_clocks(const struct model *m, struct report *r);
void run_comparison(const struct model *m, struct report *r);
void run_exactness(const struct model *m, struct report *r);
void run_checks(const struct model *m, struct report *r);

/* Calls `each` for every process that is shown, trace by trace, by first sight. */
void each_process(const struct model *m, struct table *table,
		  void (*each)(const struct process *p, struct table *table));

/* Sets the cell, or leaves it null: an unknown time, an empty text. */
void set_time(struct table *t, const char *column, int64_t time);
void set_text(struct table *t, const char *column, const char *text);

/* Arguments separated by 0x1f as a JSON list; a new reference. */
json_t *command_list(const char *command);
/* A name from the trace, as text that is valid; null where there is none. */
json_t *json_name(const char *name);
/* {"status": n}, {"signal": n}, {"unknown": true}, or NULL for one that runs on. */
json_t *exit_object(const struct process *p);

/* How it ended, what is known from the recorder included. */
struct process_end {
	enum ending ending;
	int code;
	bool killed;	/* gone without a word of its own */
	const struct process *sender;	/* of the signal; NULL: not known */
	bool let_go;	/* by the one that made it, as pools do, in a run that went well: no failure */
};
struct process_end process_end(const struct process *p);

/* Events emitted and not read, over all processes, or what LTTng or the recorder says if that is more. */
uint64_t trace_lost(const struct trace *t);
/* Those among them that only the recorder has counted. */
uint64_t trace_lost_unattributed(const struct trace *t);
/* The last part of its path, and so much before it as tells it from the others. The caller's. */
char *trace_name(const struct trace *t);

/* The process that the trace's command became: the first one; NULL without any. */
const struct process *trace_root(const struct trace *t);

/* "python3.11 (pid 4711)"; valid until the next call. */
const char *process_who(const struct process *p);
/* Bytes for people, "1.5 GiB"; in a buffer of at least 32 characters, which it returns. */
char *bytes_text(char *buffer, size_t size, double bytes);
/* Times for people, "1.5 s". */
char *time_text(char *buffer, size_t size, double ns);
/* "SIGSEGV"; "signal 40" when it has no name. */
const char *signal_name(int number, char *buffer, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What analyses share: walking over processes, small words for texts; and their functions, by analyses.tbl.
 * Analyses only read the model.
 */
#ifndef DLT_ANALYSIS_ANALYSES_H
#define DLT_ANALYSIS_ANALYSES_H

#include "analysis/analysis.h"
#include "analysis/model/model.h"
#include "analysis/report/table.h"

#define COLUMNS(array) array, sizeof(array) / sizeof(*(array))

#define ANALYSIS(name) void run_##name(const struct model *m, struct report *r);
#include "analysis/analyses.tbl"
#undef ANALYSIS

/* Calls `each` for every process that is shown, trace by trace, by first sight. */
void each_process(const struct model *m, struct table *table,
		  void (*each)(const struct process *p, struct table *table));
/* The same of one trace. */
void trace_each_process(const struct trace *t, struct table *table,
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
	bool out_of_memory;	/* by the kernel, for lack of memory */
	const struct process *sender;	/* of the signal; NULL: not known */
	bool let_go;	/* by the one that made it, as pools do, in a run that went well: no failure */
};
/* What the reader says of events that another build of dltrace has packed; NULL: there are none. */
const struct note *trace_other_layout(const struct trace *t);
struct process_end process_end(const struct process *p);
#define KILLED_FOR_MEMORY ": the kernel has killed it, as memory ran out"

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
char *count_text(char *buffer, size_t size, double count);	/* "49,140"; not below 0 */
char *real_text(char *buffer, size_t size, double value, int digits);	/* of so many: "18,000", "0.25"; not below 0 */
/* The same for one argument of a call: valid to the end of the block. */
#define COUNT_TEXT(n) count_text((char[32]){ 0 }, 32, (double)(n))
#define REAL_TEXT(value, digits) real_text((char[32]){ 0 }, 32, value, digits)
/* "SIGSEGV"; "signal 40" when it has no name. */
const char *signal_name(int number, char *buffer, size_t size);

#endif

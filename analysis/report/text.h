/* SPDX-License-Identifier: MIT */
/* What the files of the text writer share, and what names things for figures too. */
#ifndef DLT_ANALYSIS_REPORT_TEXT_H
#define DLT_ANALYSIS_REPORT_TEXT_H

#include "analysis/report/grid.h"
#include "analysis/report/writer.h"

#define TEXT_ROWS 12		/* of a section, at most; others by --table */
#define TEXT_ROWS_OF_TRACE 4	/* of each trace, where there are several and a section sums by trace */

struct text {
	const struct report *r;
	FILE *out;
	const struct writer_options *o;
};

/* Of a section, the remark as far as there is room for it; without and with an empty line before it. */
void text_title(const struct text *t, const char *title, const char *remark);
void text_heading(const struct text *t, const char *title, const char *remark);
/* "python3 (1234)" of a process's id: the caller's, or into the grid; "and 5 more" below a table. */
char *text_process(const struct text *t, const struct cell *id);
void text_process_name(const struct text *t, struct grid *g, const struct cell *id);
/* Where there are several traces, which one: column, then cell. */
void text_trace_column(const struct text *t, struct grid *g);
void text_trace_cell(const struct text *t, struct grid *g, double trace);
/* A process with its trace before it: columns, then cells. */
void text_whose_column(const struct text *t, struct grid *g);
void text_whose(const struct text *t, struct grid *g, const struct cell *id);
/* The rows of a table that has one process each, with these of its columns. */
struct text_column {
	const char *column, *title;
	enum unit unit;
	int optional;
};
/* At most `most` of them, those with the largest of a column, in the table's order. */
void text_by_process(const struct text *t, const char *table, const char *largest, const struct text_column *columns,
		     size_t count, size_t most);
/* A kernel's name, short unless the report is verbose. */
void text_kernel_name(const struct text *t, struct grid *g, const char *name, enum style style);
void text_more(const struct text *t, size_t rows, size_t shown, const char *table);
const char *text_dot(const struct text *t);	/* between the parts of a line */

/* Cleaned text in lines of the page's width, all beginning at column `indent`. */
void text_wrapped(const struct text *t, const char *clean, int indent);
/* One point of a list: a coloured mark, then wrapped text. */
void text_item(const struct text *t, const char *mark, enum style style, const char *text);

size_t text_rows(const struct table *t);	/* NULL has none */
bool text_any(const struct table *t, const char *column);	/* Is there a row that has something in it? */
bool text_several(const struct text *t);	/* traces: then it is told of which one a row is */
double text_trace(const struct report *r, const struct cell *process);	/* its index; 0: not known */

/* What comes after the last slash; borrowed. */
const char *text_base_name(const char *path);

/* A command line as one would type it; an exit as "exit 0", "SIGSEGV" or NULL. The caller's. */
char *text_command(const struct cell *c);
char *text_exit(const struct cell *c);

/* The frameworks of a trace's processes, each once: "PyTorch 1.13.1, Horovod". The caller's. */
char *text_frameworks(const struct report *r, uint64_t trace);

/* A layer as people call it ("CUDA runtime"), or as it is. Borrowed. */
const char *text_layer(const char *layer);

/* Sections, of the files text_*.c. */
void text_comparison(const struct text *t);
void text_curves(const struct text *t);
void text_head(const struct text *t);
void text_iterations(const struct text *t);
void text_phases(const struct text *t);
void text_ranges(const struct text *t);
void text_functions(const struct text *t);
void text_libraries(const struct text *t);
void text_kernels(const struct text *t);
void text_scaling(const struct text *t);
void text_communication(const struct text *t);
void text_processes(const struct text *t);
void text_threads(const struct text *t);
void text_heap(const struct text *t);
void text_gpu_memory(const struct text *t);
void text_memory_stacks(const struct text *t);
/* Checks that failed; the certificate, which is all that a report of --verify holds. */
void text_failed_checks(const struct text *t);
void text_certificate(const struct text *t);

/*
 * Lines with a tick for each epoch, step and mark under curves of so many columns that last until
 * `end`; `title`: columns before them.
 */
void text_ticks(const struct text *t, size_t trace, int64_t begin, int64_t end, int title, int columns);

/* One table with all its columns, or "series". -ENOENT when there is none. */
int text_page(const struct text *t, const char *page);

#endif

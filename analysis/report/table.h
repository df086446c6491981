/* SPDX-License-Identifier: MIT */
/*
 * What analyses produce and writers write: typed tables and series, nothing else.
 *
 * A report owns its tables and series; an analysis adds them, a writer only reads them. Cells
 * carry plain numbers in base units (ns, bytes, fractions): how they are shown is the writer's
 * business. Column names are those of the JSON interface (analysis/report/schema.json).
 */
#ifndef DLT_ANALYSIS_REPORT_TABLE_H
#define DLT_ANALYSIS_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

enum unit {
	UNIT_TEXT,
	UNIT_ID,		/* an integer that names something */
	UNIT_COUNT,
	UNIT_NS,		/* a duration */
	UNIT_TIME,		/* ns since the trace's begin */
	UNIT_BYTES,
	UNIT_FRACTION,		/* 0 to 1, shown as a percentage */
	UNIT_PERCENT,		/* 0 to 100 */
	UNIT_REAL,
	UNIT_ROW,		/* as the row's column `unit` says: "ns", "bytes", "count", "fraction" */
	UNIT_TREE,		/* a JSON value: list or object */
};

struct column {
	const char *name;	/* as in JSON, CSV, SQLite */
	const char *title;	/* for people */
	enum unit unit;
	const char *help;	/* one sentence: what it means, the denominator of a share */
};

enum cell_type { CELL_NULL, CELL_INT, CELL_UINT, CELL_REAL, CELL_TEXT, CELL_TREE };

struct cell {
	enum cell_type type;
	union {
		int64_t i;
		uint64_t u;
		double r;
		char *text;	/* owned */
		json_t *tree;	/* owned: one reference */
	};
};

struct table {
	const char *name;	/* "breakdown", "processes", ...: borrowed, static */
	const char *title;
	const struct column *columns;	/* borrowed, static */
	size_t column_count;
	struct cell *cells;	/* owned: row_count * column_count */
	size_t row_count, row_capacity;
	size_t next_column;	/* behind the one that was set last */
};

struct point {
	int64_t t;		/* ns since the trace's begin */
	double value;
};

struct series {
	const char *name;	/* "threads", "cpu_percent", "rss_bytes", ... */
	const char *title;
	const char *unit;	/* "count", "percent", "bytes", ... */
	uint32_t trace;		/* index into the table `traces` */
	int64_t process;	/* the report's process id; -1: the machine */
	int64_t of;		/* the one process that a curve of the run is of; -1: of all */
	char *host;		/* owned */
	char *library;		/* owned; whose part of it this is, "": all */
	char *device;		/* owned; "GPU 3", "package-0", what of several it is about; "": no device */
	double mean;		/* over time; NAN: of its points, each until the next */
	struct point *points;	/* owned, by time */
	size_t point_count, point_capacity;
};

struct report {
	struct table **tables;	/* owned */
	size_t table_count;
	struct series **series;	/* owned */
	size_t series_count;
	struct shown_traces *shown;	/* owned, one block: what figure_names.c found; NULL: not asked for yet */
};

struct report *report_new(void);
void report_free(struct report *r);
/* Drops all series and all tables but these. */
void report_keep(struct report *r, const char *const *names, size_t count);

/* Adds an empty table; borrowed from the report. */
struct table *report_add_table(struct report *r, const char *name, const char *title,
			       const struct column *columns, size_t column_count);
/* NULL when there is none. */
struct table *report_table(const struct report *r, const char *name);

struct series *report_add_series(struct report *r, const char *name, const char *title,
				 const char *unit, uint32_t trace, int64_t process,
				 const char *host);
void series_of_library(struct series *s, const char *library);	/* copied */
void series_of_device(struct series *s, const char *device);	/* copied */
void series_add(struct series *s, int64_t t, double value);

/* Starts a row of nulls; the cells are set by column name, which must exist. */
void table_add_row(struct table *t);
void table_set_int(struct table *t, const char *column, int64_t value);
void table_set_uint(struct table *t, const char *column, uint64_t value);
void table_set_real(struct table *t, const char *column, double value);
void table_set_text(struct table *t, const char *column, const char *value);	/* copied */
void table_set_tree(struct table *t, const char *column, json_t *value);	/* takes the reference */

/* Cells of a row by column name; a null cell when the column is missing. */
const struct cell *table_get(const struct table *t, size_t row, const char *column);
/* The same of the process's row in the table `processes`, whose ids rise; a null cell when there is no such row. */
const struct cell *report_process(const struct report *r, const struct cell *process, const char *column);
/* As a number (0 for null and text), as text ("" for all else). */
double cell_real(const struct cell *c);
uint64_t cell_uint(const struct cell *c);
const char *cell_text(const struct cell *c);

/* Sorts rows by a numeric column; equal ones keep their order. */
void table_sort_falling(struct table *t, const char *column);
/* ... those from row `first` on; nulls come last. */
void table_sort_rising(struct table *t, const char *column, size_t first);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A report as a document of headings and tables: what to write, for the formats that say how.
 *
 * Cells come as text for people, not yet escaped: valid UTF-8 without control characters. Columns in
 * which no row has a value are left out.
 */
#ifndef DLT_ANALYSIS_REPORT_DOCUMENT_H
#define DLT_ANALYSIS_REPORT_DOCUMENT_H

#include "analysis/report/writer.h"

struct sheet {
	const char *title;
	char **cells;		/* owned; the titles of the columns, then row by row */
	const bool *numeric;	/* owned; by column: to the right */
	size_t columns, rows;	/* rows without that of the titles */
	size_t left_out;	/* rows of the table that are not in it */
};

struct document {
	FILE *out;
	bool whole;		/* the whole report; false: one table, to be put into something else */
	void (*begin)(const struct document *d);
	void (*heading)(const struct document *d, int level, const char *text);
	void (*paragraph)(const struct document *d, const char *text);
	void (*sheet)(const struct document *d, const struct sheet *s);
	void (*end)(const struct document *d);
	size_t rows;		/* of a table, at most, in the whole; 0: all */
};

/* 0; -ENOENT when there is no such page. NULL: the whole. */
int document_write(struct document *d, const struct report *r, const char *page);

#endif

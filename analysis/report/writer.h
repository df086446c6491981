/* SPDX-License-Identifier: MIT */
/*
 * The formats of a report. A format is one file and one line of writers.tbl.
 *
 * A writer writes a report, or one page of it, to an open file. Pages are tables or figures;
 * they become the files of a folder when the output's name ends in "/".
 */
#ifndef DLT_ANALYSIS_REPORT_WRITER_H
#define DLT_ANALYSIS_REPORT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/report/looks.h"
#include "analysis/report/table.h"

struct writer_options {
	const char *table;	/* only this one; NULL: all (borrowed) */
	const char *figure;
	bool unicode;		/* the reader's locale shows it */
	bool color;		/* SGR sequences are welcome */
	bool verbose;		/* text: everything, with its evidence */
	int width;		/* columns of text */
	struct looks looks;	/* of figures */
	void (*alive)(void);	/* called between the pages of a folder; NULL is fine */
};

enum writer_pages {
	PAGES_NONE,
	PAGES_TABLES,		/* every table, and "series" */
	PAGES_FIGURES,		/* every figure that shows something */
	PAGES_EVENTS,		/* none: made of single events by analysis/export/ */
};

struct writer {
	const char *name;	/* for -f */
	const char *ending;	/* of the file's name */
	enum writer_pages pages;	/* what a folder of this format holds */
	const char *package;	/* Debian's without which it is not built; NULL: it needs none */
	/*
	 * Writes `page`, or what a single file holds when that is NULL. 0 or a negative errno;
	 * errors of the file itself may be left for the caller's ferror().
	 * NULL: PAGES_EVENTS, or not built in.
	 */
	int (*write)(const struct report *r, const char *page, FILE *out,
		     const struct writer_options *options);
	bool folder;		/* PAGES_EVENTS: a folder of its own, never a file */
};

extern const struct writer writers[];
extern const size_t writer_count;

/* ".txt .md ..."; the caller's. */
char *writer_endings(void);

/* By name, or by the ending of a path ("a.csv", "a.csv/"); NULL when there is none. */
const struct writer *writer_by_name(const char *name);
const struct writer *writer_by_path(const char *path);

/* Name of page i; NULL after the last. Borrowed from the report. */
const char *writer_page(const struct writer *w, const struct report *r, size_t i);
/* Likewise of pages that another report may have had: figures that show nothing of this one. Tables need no rows. */
const char *writer_empty_page(const struct writer *w, const struct report *r, size_t i);
bool writer_has_page(enum writer_pages pages, const struct report *r, const char *page);

#define WRITER(name, ending, pages, package) \
	int write_##name(const struct report *r, const char *page, FILE *out, const struct writer_options *o);
#define EXPORTER(name, ending, folder)
#include "analysis/report/writers.tbl"
#undef WRITER
#undef EXPORTER

#endif

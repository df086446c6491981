/* SPDX-License-Identifier: MIT */
/*
 * A table for people on a terminal: columns as wide as they need, cut or left out where the line
 * is too short, aligned, with colours if wanted.
 *
 *	struct grid *g = grid_new(options);
 *	grid_column(g, "calls", GRID_RIGHT, 0);
 *	grid_row(g); grid_text(g, name, STYLE_PLAIN); grid_cell(g, UNIT_COUNT, cell) ...
 *	grid_print(g, out, indent);
 *	grid_free(g);
 *
 * Text is cleaned here (escape.h): callers hand over what the trace says.
 */
#ifndef DLT_ANALYSIS_REPORT_GRID_H
#define DLT_ANALYSIS_REPORT_GRID_H

#include "analysis/report/writer.h"

enum style {
	STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_WARNING, STYLE_PROBLEM, STYLE_BAR,
};

enum grid_flags {
	GRID_RIGHT = 1,		/* numbers */
	GRID_STRETCH = 2,	/* may be cut, down to about 12 columns */
	GRID_MIDDLE = 4,	/* cut in the middle: paths */
	GRID_NAME = 8,		/* cut below about 36 columns only where nothing optional is left; as GRID_DISTINCT */
	GRID_WRAP = 16,		/* sentences: in several lines rather than cut; not narrower than 26 columns, as long as
				   others can be left out */
	GRID_DISTINCT = 32,	/* where it is cut as few rows as possible look the same */
};

struct grid;

struct grid *grid_new(const struct writer_options *options);
void grid_free(struct grid *g);

/*
 * Adds a column; all of them before the first row. Where the line is too short, the columns with
 * the highest `optional` go first; 0 stays, unless even then there is no room, which is said. The title is borrowed.
 */
void grid_column(struct grid *g, const char *title, int flags, int optional);

/* Starts a row; cells that are not given stay empty. */
void grid_row(struct grid *g);
void grid_text(struct grid *g, const char *text, enum style style);
void grid_cell(struct grid *g, enum unit unit, const struct cell *c);
void grid_number(struct grid *g, enum unit unit, double value);
/* A bar for a value from 0 to 1, of the width in columns (at least 1). */
void grid_bar(struct grid *g, double value, int width, enum style style);

/* The titles of the optional columns for which there is no room, NULL behind the last; valid until the next call. */
const char *const *grid_left_out(struct grid *g, int indent);

/* Titles are left out when all are empty. */
void grid_print(struct grid *g, FILE *out, int indent);

/* Styles for text outside of grids: both print nothing without colours. */
void style_begin(FILE *out, const struct writer_options *o, enum style style);
void style_end(FILE *out, const struct writer_options *o, enum style style);

/* One cleaned text of at most so many columns, cut at the end (or middle), with an ellipsis. */
void put_cut(FILE *out, const struct writer_options *o, const char *clean, int columns, int flags);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Curves over time in panels: a row is a quantity, with one scale in all its columns; a column is
 * a trace, all with one scale of time. Columns that do not fit beside each other stand below.
 *
 *	struct plot *p = plot_new(rows, columns);
 *	plot_row(p, 0, "Threads"); plot_column(p, 0, "PyTorch", NULL, trace);
 *	plot_add(p, 0, 0, series, color, label) ...
 *	return plot_finish(p, r, canvas, "curves");
 */
#ifndef DLT_ANALYSIS_REPORT_PLOT_H
#define DLT_ANALYSIS_REPORT_PLOT_H

#include "analysis/report/canvas.h"
#include "analysis/report/table.h"

struct plot;

struct plot *plot_new(size_t rows, size_t columns);

/* The title of its y axis, without unit; borrowed. */
void plot_row(struct plot *p, size_t row, const char *title);
/*
 * What stands above a column, and in grey below that; copied, either may be NULL. Epochs and
 * iterations of `trace` are marked in it; none where that is negative.
 */
void plot_column(struct plot *p, size_t column, const char *title, const char *remark,
		 int64_t trace);
/* A curve; a NULL series is none. With a label (copied) it is in the legend, each label once. */
void plot_add(struct plot *p, size_t row, size_t column, const struct series *s, int color,
	      const char *label);
/* The same, `shift` ns later. */
void plot_add_later(struct plot *p, size_t row, size_t column, const struct series *s, int color,
		    const char *label, int64_t shift);

/*
 * How the curve that was added last is drawn: dashed, and so much wider than others, for what others lie upon. The
 * first one is on top.
 */
void plot_style(struct plot *p, size_t row, size_t column, double wider, bool dashed);
/* A line in grey below the legend; copied. */
void plot_remark(struct plot *p, const char *remark);

/* Draws it, under the heading of the figure of that name, and frees it; returns the height. */
double plot_finish(struct plot *p, const struct report *r, struct canvas *c, const char *figure);

#endif

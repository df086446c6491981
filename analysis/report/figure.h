/* SPDX-License-Identifier: MIT */
/*
 * Figures as in a paper: lengths in points (1/72 inch). A figure is a file with a function, and
 * one line of figures.tbl. It is drawn on a canvas (canvas.h): twice or more, first
 * without a surface to learn its height.
 */
#ifndef DLT_ANALYSIS_REPORT_FIGURE_H
#define DLT_ANALYSIS_REPORT_FIGURE_H

#include <stddef.h>

#include "analysis/report/canvas.h"
#include "analysis/report/table.h"
#include "analysis/report/writer.h"

struct figure {
	const char *name;	/* of the file in a folder, for --figure */
	const char *title;
	/* Draws from (0, 0) on, c->width wide; returns the height it takes. */
	double (*draw)(const struct report *r, struct canvas *c);
	/* Whether it shows something. Those that do not are in no folder and no document. */
	bool (*any)(const struct report *r);
};

extern const struct figure figures[];
extern const size_t figure_count;

/* NULL when there is none. */
const struct figure *figure_by_name(const char *name);
/* The i-th one that shows something; NULL after the last. */
const struct figure *figure_with_data(const struct report *r, size_t i);
/* "curves, functions, ..."; the caller's. */
char *figure_names(void);

/* ---- for writers ---- */

struct figure_page {
	double width, height;	/* in points of 1/72 inch */
	double scale, stretch;	/* for the canvas */
};

/* So that the figure has the size that is asked for, or the height that it needs. */
struct figure_page figure_page(const struct figure *f, const struct report *r,
			       const struct writer_options *o, bool many);
/* Onto the surface, or as elements of SVG when that is NULL. 0 or a negative errno. */
int figure_draw(const struct figure *f, const struct report *r, const struct writer_options *o,
		bool many, const struct figure_page *page, cairo_surface_t *surface, FILE *svg);

/* ---- for figures ---- */

/* The title, or what --title has in its place; returns where the rest begins. */
double figure_title(struct canvas *c, const char *title);

/*
 * The traces that are shown: all of them, or, where there are many and some repeat each other, the
 * first good run of each group. How many, and the i-th one.
 */
size_t figure_traces(const struct report *r);
size_t figure_trace(const struct report *r, size_t i);
bool figure_shows(const struct report *r, size_t trace);

/*
 * What to call a trace beside others: "PyTorch 1.13.1", its folder's name, or both, whatever tells
 * it from them; alone "PyTorch 1.13.1: python3 train.py". The caller's.
 */
char *figure_trace_label(const struct report *r, size_t trace);
/* The same in two lines; *remark is NULL when one is enough. Both are the caller's. */
void figure_trace_lines(const struct report *r, size_t trace, char **title, char **remark);
/* Whether what ran does not tell the traces apart. */
bool figure_places_needed(const struct report *r);
/* Of a figure: the trace's label when it is alone, else its name and what they have in common. */
char *figure_heading(const struct report *r, const char *figure);

/* "no calls seen: NAMES" in grey, in a few lines from y on; returns their height: 0 where there are no names. */
double figure_silent(struct canvas *c, double x, double y, const char *names);

#define FIGURE(function, name, title) \
	double figure_##function(const struct report *r, struct canvas *c); \
	bool figure_##function##_any(const struct report *r);
#include "analysis/report/figures.tbl"
#undef FIGURE

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What figures are drawn on. Paths are built with cairo's own calls on canvas->c, then stroked or
 * filled here; text is measured, so that nothing overlaps. Behind it is a surface of cairo's (PDF,
 * PNG), or a file of SVG, or nothing: a figure is drawn twice, first to learn its height.
 * Lengths are in points, before the style's scale.
 */
#ifndef DLT_ANALYSIS_REPORT_CANVAS_H
#define DLT_ANALYSIS_REPORT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cairo.h>

#include "analysis/report/figure_style.h"

#define CANVAS_TICK	6.5	/* font sizes */
#define CANVAS_LABEL	7.0
#define CANVAS_TITLE	8.0
#define CANVAS_BOLD	1.12	/* so much wider than the same text in plain letters, at most */

struct canvas {
	cairo_t *c;		/* paths and the measure of text; owned */
	FILE *svg;		/* not NULL: elements go there (borrowed) */
	bool dry;		/* nothing is drawn */
	const struct figure_style *style;	/* borrowed */
	double width;		/* there is no more room than that */
	double stretch;		/* factor on what may be higher or lower: panels, bars */
	const char *title;	/* in place of the figure's own; "": none; NULL: its own (borrowed) */
	bool many;		/* it is the title of several figures: followed by their own */
	bool dashed;		/* what is stroked from now on, whatever its colour */
};

/* On a surface (borrowed), or measuring only when it is NULL. Close it before the surface. */
void canvas_open(struct canvas *c, cairo_surface_t *surface, const struct figure_style *style);
cairo_status_t canvas_close(struct canvas *c);

/* Colour i of the style, the palette again beyond its end; INK and so on beside it. */
#define CANVAS_INK	(-1)
#define CANVAS_GREY	(-2)
#define CANVAS_PALE	(-3)
#define CANVAS_PAPER	(-4)

/* Both end the path. Curves of a plain style are dashed by their colour. */
void canvas_stroke(struct canvas *c, int color, double width);
void canvas_fill(struct canvas *c, int color, double alpha);	/* as bars are */
void canvas_shade(struct canvas *c, int color, double alpha);	/* as curves are */

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, int color,
		 double width);
/* A filled rectangle, with an edge where the style wants one. */
void canvas_bar(struct canvas *c, double x, double y, double width, double height, int color);

enum canvas_align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

/* Text from a trace may be given as it is. y is the base line. */
void canvas_text(struct canvas *c, double x, double y, double size, enum canvas_align align,
		 const char *text);
void canvas_remark(struct canvas *c, double x, double y, double size, enum canvas_align align,
		   const char *text);	/* in grey */
void canvas_bold(struct canvas *c, double x, double y, double size, const char *text);
/* From bottom to top, its middle at y. */
void canvas_upwards(struct canvas *c, double x, double y, double size, const char *text);
double canvas_width(struct canvas *c, double size, const char *text);
/* Cut in the middle with an ellipsis so that it fits; the caller's. */
char *canvas_cut(struct canvas *c, double size, double width, const char *text);
/*
 * Words in at most so many lines (the caller's texts), and their number, 1 at least. Words that find no room
 * in the last line are left out, with an ellipsis for them; a path that is too long for a line goes on behind a
 * slash, and what has none is cut in the middle.
 */
size_t canvas_wrap(struct canvas *c, double size, double width, const char *text, char **lines, size_t most);

struct legend_entry {
	const char *text;
	int color;
	bool dashed;
};

/* Entries from left to right, in as many lines as needed; returns the height used. */
double canvas_legend(struct canvas *c, double x, double y, double width,
		     const struct legend_entry *entries, size_t count, bool bars);
/* What an entry of lines takes. */
double canvas_legend_width(struct canvas *c, const char *text);

#endif

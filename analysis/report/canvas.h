/* SPDX-License-Identifier: MIT */
/*
 * What figures are drawn with: text that is measured, a palette that colour-blind people can tell
 * apart (Okabe and Ito), axes with round ticks, legends. Lengths in points.
 */
#ifndef DLT_ANALYSIS_REPORT_CANVAS_H
#define DLT_ANALYSIS_REPORT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include <cairo.h>

#define CANVAS_TICK	6.5	/* font sizes */
#define CANVAS_LABEL	7.0
#define CANVAS_TITLE	8.0

enum canvas_align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

/* Colour i of the palette, again and again beyond its end; INK and GREY beside it. */
#define CANVAS_COLORS	7
#define CANVAS_INK	(-1)
#define CANVAS_GREY	(-2)
#define CANVAS_PALE	(-3)
void canvas_color(cairo_t *c, int i, double alpha);

/* Text from a trace may be given as it is. y is the base line. */
void canvas_text(cairo_t *c, double x, double y, double size, enum canvas_align align,
		 const char *text);
void canvas_bold(cairo_t *c, double x, double y, double size, const char *text);
void canvas_text_upwards(cairo_t *c, double x, double y, double size, const char *text);
double canvas_width(cairo_t *c, double size, const char *text);
/* Cut with an ellipsis so that it fits; the caller's. */
char *canvas_cut(cairo_t *c, double size, double width, const char *text);

/* An axis from 0 to hi, with a tick every `step`; values are shown divided by `factor`. */
struct axis {
	double hi, step, factor;
	int decimals;
	const char *unit;	/* "s", "MiB", "%", "" */
};

/* So that `max` (in base units) fits, with about `ticks` ticks. */
struct axis axis_count(double max, int ticks);
struct axis axis_percent(double max, int ticks);
struct axis axis_bytes(double max, int ticks);
struct axis axis_time(double ns, int ticks);
/* The label of a tick: buf holds 32 bytes. */
const char *axis_label(const struct axis *a, double value, char *buf);

struct legend_entry {
	const char *text;
	int color;
};

/* Entries from left to right, in as many lines as needed; returns the height used. */
double canvas_legend(cairo_t *c, double x, double y, double width,
		     const struct legend_entry *entries, size_t count);

#endif

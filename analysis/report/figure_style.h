/* SPDX-License-Identifier: MIT */
/*
 * How figures look (--style): a style is a row of the table in figure_style.c. Sizes and lengths in
 * points of 1/72 inch.
 */
#ifndef DLT_ANALYSIS_REPORT_FIGURE_STYLE_H
#define DLT_ANALYSIS_REPORT_FIGURE_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#define STYLE_COLORS 7

struct figure_style {
	const char *name;		/* for --style */
	const char *help;
	double width;			/* of a figure, unless --size says otherwise */
	double scale;			/* of everything in it: text, lines, gaps */
	double dpi;			/* of a PNG */
	unsigned paper, ink, grey, pale;	/* RGB: behind all, text, remarks, grid lines */
	const unsigned *lines, *fills;	/* STYLE_COLORS each: of curves, of bars */
	bool plain;			/* colours alone do not tell: dashes, and edges around bars */
};

extern const struct figure_style figure_styles[];	/* the first one is the default */
extern const size_t figure_style_count;

/* NULL when there is none. */
const struct figure_style *figure_style_by_name(const char *name);

/* RGB of colour i; beyond the last one again from the first, but paler. */
unsigned figure_color(const struct figure_style *s, const unsigned *colors, int i);

#endif

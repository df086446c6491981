/* SPDX-License-Identifier: MIT */
/* What the command line says about how figures look: --title, --size, --dpi, --style. */
#ifndef DLT_ANALYSIS_REPORT_LOOKS_H
#define DLT_ANALYSIS_REPORT_LOOKS_H

#include <stdbool.h>

#include "analysis/report/figure_style.h"

struct looks {
	const char *title;		/* in place of a figure's own; borrowed; NULL: its own */
	double width, height;		/* points of 1/72 inch; 0: the style's; as high as needed */
	double dpi;			/* of a PNG; 0: the style's */
	const struct figure_style *style;	/* NULL: the first one */
	bool pixels;			/* width and height are pixels until looks_finish() */
};

/* "85mm", "8.5cm", "3.3in", "240pt", "600x400px". False when it is no size, or out of bounds. */
bool looks_size(struct looks *l, const char *text);
/* "300" dots per inch. */
bool looks_dpi(struct looks *l, const char *text);
bool looks_style(struct looks *l, const char *name);

/* When all of it is known. */
void looks_finish(struct looks *l);

#endif

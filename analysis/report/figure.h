/* SPDX-License-Identifier: MIT */
/*
 * Figures as in a paper, drawn with cairo: lengths in points (1/72 inch). A figure is a function
 * and one line of `figures` in figure.c; it is drawn twice, first without a surface to learn its
 * size.
 */
#ifndef DLT_ANALYSIS_REPORT_FIGURE_H
#define DLT_ANALYSIS_REPORT_FIGURE_H

#include <stddef.h>

#include <cairo.h>

#include "analysis/report/table.h"

#define FIGURE_WIDTH 241.0	/* 8.5 cm: the column of a journal */

struct figure {
	const char *name;	/* of the file in a folder, for --figure */
	const char *title;
	/* Draws from (0, 0) on, FIGURE_WIDTH wide; returns the height it takes. */
	double (*draw)(const struct report *r, cairo_t *c);
};

extern const struct figure figures[];
extern const size_t figure_count;

/* NULL when there is none. */
const struct figure *figure_by_name(const char *name);

/* "PyTorch 1.13.1: python3 train.py"; of several "PyTorch 1.13.1 (folder)". The caller's. */
char *figure_trace_label(const struct report *r, size_t trace);

double figure_curves(const struct report *r, cairo_t *c);
double figure_functions(const struct report *r, cairo_t *c);
double figure_heap(const struct report *r, cairo_t *c);
double figure_gpu_memory(const struct report *r, cairo_t *c);

#endif

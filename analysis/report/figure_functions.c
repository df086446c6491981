/* SPDX-License-Identifier: MIT */
/*
 * The study's figure 3: share of time by function, a panel for each framework and layer, all on
 * one scale. Colours tell the kind of work.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/canvas.h"
#include "analysis/report/figure.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

#define MARGIN		4.0
#define BAR		6.6	/* thickness */
#define LINE		9.6	/* from bar to bar */
#define NAMES_WIDTH	104.0	/* room for names */
#define VALUE_WIDTH	30.0	/* room for "100.0 %" */

/* Kinds of functions.tbl, in the order of the palette. */
static const char *const bar_kinds[] = {
	"compute", "launch", "copy", "allocate", "synchronise", "initialise", "other",
};
#define KINDS (sizeof(bar_kinds) / sizeof(bar_kinds[0]))

static int kind_color(const char *kind)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(bar_kinds[i], kind))
			return (int)i;
	return !strcmp(kind, "wait") ? 4 : KINDS - 1;	/* waiting is what synchronising does */
}

static bool same_text(const struct table *s, size_t a, size_t b, const char *column)
{
	return !strcmp(cell_text(table_get(s, a, column)), cell_text(table_get(s, b, column)));
}

static bool same_panel(const struct table *s, size_t a, size_t b)
{
	return cell_real(table_get(s, a, "trace")) == cell_real(table_get(s, b, "trace")) &&
	       same_text(s, a, b, "framework") && same_text(s, a, b, "layer");
}

struct layout {
	double names;		/* width of the widest name */
	double bars;		/* width for the whole scale */
	struct axis axis;
};

static struct layout measure(const struct table *s, cairo_t *c)
{
	struct layout l = { .names = 20 };
	double largest = 0;

	for (size_t row = 0; row < s->row_count; row++) {
		const char *name = cell_text(table_get(s, row, "function"));

		largest = fmax(largest, cell_real(table_get(s, row, "share")));
		l.names = fmax(l.names, canvas_width(c, CANVAS_TICK, name));
	}
	l.names = fmin(l.names, NAMES_WIDTH);
	l.bars = FIGURE_WIDTH - 2 * MARGIN - l.names - 4 - VALUE_WIDTH;
	l.axis = axis_percent(fmin(largest, 1) * 100, 5);
	return l;
}

static void draw_bar(cairo_t *c, const struct layout *l, const struct table *s, size_t row,
		     double y)
{
	double share = fmin(fmax(cell_real(table_get(s, row, "share")), 0), 1) * 100;
	double x = MARGIN + l->names + 4, width = l->bars * fmin(share / l->axis.hi, 1);
	char *name = canvas_cut(c, CANVAS_TICK, l->names, cell_text(table_get(s, row, "function")));
	char buf[FORMAT_SIZE];

	canvas_color(c, CANVAS_INK, 1);
	canvas_text(c, x - 4, y + BAR - 1.2, CANVAS_TICK, ALIGN_RIGHT, name);
	free(name);
	canvas_color(c, kind_color(cell_text(table_get(s, row, "kind"))), 0.9);
	cairo_rectangle(c, x, y, width, BAR);
	cairo_fill(c);
	canvas_color(c, CANVAS_INK, 1);
	canvas_text(c, x + width + 2.5, y + BAR - 1.2, CANVAS_TICK, ALIGN_LEFT,
		    format_percent(buf, share));
}

static double draw_heading(const struct report *r, cairo_t *c, const struct table *s, size_t row,
			   double total, double y)
{
	const char *framework = cell_text(table_get(s, row, "framework"));
	const char *layer = text_layer(cell_text(table_get(s, row, "layer")));
	const struct table *traces = report_table(r, "traces");
	char *title = NULL, *cut, *trace = NULL;
	char buf[FORMAT_SIZE];
	int n;

	if (traces && traces->row_count > 1)
		trace = figure_trace_label(r, (size_t)cell_uint(table_get(s, row, "trace")));
	n = asprintf(&title, "%s%s%s: %s", trace ? trace : framework,
		     trace || *framework ? ", " : "", layer, format_ns(buf, total, true));
	free(trace);
	if (n < 0)
		return y;
	cut = canvas_cut(c, CANVAS_LABEL * 1.1, FIGURE_WIDTH - 2 * MARGIN, title);
	canvas_color(c, CANVAS_INK, 1);
	canvas_bold(c, MARGIN, y + 8, CANVAS_LABEL, cut);
	free(cut);
	free(title);
	return y + 12;
}

static void draw_lines(cairo_t *c, const struct layout *l, double top, double bottom)
{
	double x = MARGIN + l->names + 4;

	for (double v = 0; v <= l->axis.hi * (1 + 1e-9); v += l->axis.step) {
		double at = x + l->bars * v / l->axis.hi;

		canvas_color(c, v > 0 ? CANVAS_PALE : CANVAS_INK, 1);
		cairo_set_line_width(c, v > 0 ? 0.4 : 0.6);
		cairo_move_to(c, at, top);
		cairo_line_to(c, at, bottom);
		cairo_stroke(c);
	}
}

static void draw_scale(cairo_t *c, const struct layout *l, double y)
{
	double x = MARGIN + l->names + 4;
	char buf[32];

	canvas_color(c, CANVAS_INK, 1);
	for (double v = 0; v <= l->axis.hi * (1 + 1e-9); v += l->axis.step)
		canvas_text(c, x + l->bars * v / l->axis.hi, y + 8, CANVAS_TICK, ALIGN_CENTER,
			    axis_label(&l->axis, v, buf));
	canvas_text(c, x + l->bars / 2, y + 17, CANVAS_LABEL, ALIGN_CENTER,
		    "Share of the time in this layer (%)");
}

static double draw_kinds(cairo_t *c, const struct table *s, double y)
{
	struct legend_entry entries[KINDS];
	size_t n = 0;

	for (size_t k = 0; k < KINDS; k++) {
		bool used = false;

		for (size_t row = 0; row < s->row_count && !used; row++)
			used = kind_color(cell_text(table_get(s, row, "kind"))) == (int)k;
		if (used)
			entries[n++] = (struct legend_entry){ bar_kinds[k], (int)k };
	}
	return y + canvas_legend(c, MARGIN, y, FIGURE_WIDTH - 2 * MARGIN, entries, n);
}

static double draw_nothing(cairo_t *c)
{
	canvas_color(c, CANVAS_INK, 1);
	canvas_bold(c, MARGIN, 11, CANVAS_TITLE, figure_by_name("functions")->title);
	canvas_color(c, CANVAS_GREY, 1);
	canvas_text(c, FIGURE_WIDTH / 2, 40, CANVAS_LABEL, ALIGN_CENTER, "no calls were recorded");
	return 60;
}

double figure_functions(const struct report *r, cairo_t *c)
{
	const struct table *s = report_table(r, "shares");
	struct layout l;
	double y = 2;

	if (!s || !s->row_count)
		return draw_nothing(c);
	l = measure(s, c);
	for (size_t row = 0, end; row < s->row_count; row = end) {
		double total = 0, top;

		for (end = row; end < s->row_count && same_panel(s, row, end); end++)
			total += cell_real(table_get(s, end, "total_ns"));
		top = draw_heading(r, c, s, row, total, y);
		draw_lines(c, &l, top, top + (double)(end - row) * LINE + 1);
		for (y = top; row < end; row++, y += LINE)
			draw_bar(c, &l, s, row, y + 2);
		y += 3;
	}
	draw_scale(c, &l, y);
	return draw_kinds(c, s, y + 22) + 3;
}

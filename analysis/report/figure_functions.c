/* SPDX-License-Identifier: MIT */
/*
 * The study's figure 3: share of time by function. A block for each layer, in it a panel for each
 * trace and framework, all with the same functions in the same order, colours and scale.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/axis.h"
#include "analysis/report/figure.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/short_name.h"
#include "analysis/report/text.h"

#define MARGIN		4.0
#define BAR		6.6	/* thickness */
#define BAR_STEP	9.6	/* from bar to bar */
#define BAR_STEP_LEAST	7.6	/* what a name needs */
#define NAMES_MOST	104.0	/* room for names */
#define NAMES_GAP	4.0
#define VALUE_WIDTH	27.0	/* room for "61.2 %" */
#define BARS_LEAST	30.0	/* narrower panels go below */
#define PANELS_GAP	5.0
#define BLOCKS_GAP	6.0
#define HEADING		19.0	/* of a block */
#define HEADING_LINE	8.5
#define NUMBERS		11.0	/* of the scale */
#define NAME_SIZE	256

/* Rows of `shares` of one trace, framework and layer. */
struct share_group {
	size_t begin, end;
};

struct share_block {
	const struct table *s;
	const char *layer;
	struct share_group *groups;	/* owned: its panels */
	size_t group_count;
	const char **functions;		/* owned; each that one of its panels has */
	size_t function_count;
};

static const char *share_text(const struct table *s, size_t row, const char *column)
{
	return cell_text(table_get(s, row, column));
}

static double share_value(const struct table *s, size_t row)
{
	return fmin(fmax(cell_real(table_get(s, row, "share")), 0), 1);
}

/* ---- blocks ---- */

static bool same_panel(const struct table *s, size_t a, size_t b)
{
	return cell_real(table_get(s, a, "trace")) == cell_real(table_get(s, b, "trace")) &&
	       !strcmp(share_text(s, a, "framework"), share_text(s, b, "framework")) &&
	       !strcmp(share_text(s, a, "layer"), share_text(s, b, "layer"));
}

static void add_function(struct share_block *b, const char *function)
{
	for (size_t i = 0; i < b->function_count; i++)
		if (!strcmp(b->functions[i], function))
			return;
	b->functions = need(realloc(b->functions, (b->function_count + 1) * sizeof(*b->functions)));
	b->functions[b->function_count++] = function;
}

static double share_in(const struct share_block *b, const struct share_group *g,
		       const char *function)
{
	for (size_t row = g->begin; row < g->end; row++)
		if (!strcmp(share_text(b->s, row, "function"), function))
			return share_value(b->s, row);
	return NAN;
}

/* What a group calls too little to have a share of its own is not what it never called. */
static bool was_called(const struct share_block *b, const struct report *r, const struct share_group *g,
		       const char *function)
{
	const struct table *all = report_table(r, "breakdown");
	double trace = cell_real(table_get(b->s, g->begin, "trace"));

	for (size_t row = 0; row < text_rows(all); row++)
		if (!strcmp(share_text(all, row, "function"), function) &&
		    !strcmp(share_text(all, row, "layer"), b->layer) &&
		    !strcmp(share_text(all, row, "framework"), share_text(b->s, g->begin, "framework")) &&
		    text_trace(r, table_get(all, row, "process")) == trace)
			return true;
	return false;
}

static double sum_of_shares(const struct share_block *b, const char *function)
{
	double sum = 0;

	if (!strcmp(function, "other"))
		return -1;
	for (size_t i = 0; i < b->group_count; i++)
		sum += fmax(share_in(b, &b->groups[i], function), 0);
	return sum;
}

/* By the sum of their shares, falling; "other" last; equal ones keep their order. */
static void sort_functions(struct share_block *b)
{
	for (size_t i = 1; i < b->function_count; i++) {
		const char *function = b->functions[i];
		double sum = sum_of_shares(b, function);
		size_t k = i;

		for (; k > 0 && sum_of_shares(b, b->functions[k - 1]) < sum; k--)
			b->functions[k] = b->functions[k - 1];
		b->functions[k] = function;
	}
}

/* Of the layer that `row` is the first one of. */
static struct share_block make_block(const struct report *r, const struct table *s, size_t row)
{
	struct share_block b = { .s = s, .layer = share_text(s, row, "layer") };

	for (size_t end; row < s->row_count; row = end) {
		for (end = row + 1; end < s->row_count && same_panel(s, row, end);)
			end++;
		if (strcmp(share_text(s, row, "layer"), b.layer) ||
		    !figure_shows(r, (size_t)cell_uint(table_get(s, row, "trace"))))
			continue;
		b.groups = need(realloc(b.groups, (b.group_count + 1) * sizeof(*b.groups)));
		b.groups[b.group_count++] = (struct share_group){ row, end };
		for (; row < end; row++)
			add_function(&b, share_text(s, row, "function"));
	}
	sort_functions(&b);
	return b;
}

static void release_block(struct share_block *b)
{
	free(b->groups);
	free(b->functions);
}

static bool first_of_layer(const struct table *s, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(share_text(s, i, "layer"), share_text(s, row, "layer")))
			return false;
	return true;
}

/* ---- layout ---- */

struct bars {
	double names;		/* room for names */
	double width;		/* of a panel, values and all */
	double scale;		/* of it for the whole scale */
	double step, thick;	/* of bars */
	size_t beside;
	bool places;		/* where traces are stands in the panels' headings */
	struct axis axis;
};

/* As it stands beside its bar: kernels' names are long. */
static const char *bar_name(const char *layer, const char *function, char name[NAME_SIZE])
{
	return strcmp(layer, "gpu") ? function : short_name(function, name, NAME_SIZE);
}

static struct bars lay_out_bars(const struct report *r, const struct table *s, struct canvas *c)
{
	struct bars l = { .names = 30, .thick = BAR * c->stretch,
			  .places = figure_places_needed(r) };
	double largest = 0, room;
	size_t most = 1, blocks;
	char name[NAME_SIZE];

	for (size_t row = 0; row < s->row_count; row++) {
		largest = fmax(largest, share_value(s, row));
		l.names = fmax(l.names, canvas_width(c, CANVAS_TICK, bar_name(share_text(s, row, "layer"),
									      share_text(s, row, "function"), name)));
		if (first_of_layer(s, row)) {
			struct share_block b = make_block(r, s, row);

			most = b.group_count > most ? b.group_count : most;
			release_block(&b);
		}
	}
	l.names = fmin(l.names, fmax(NAMES_MOST, c->width * 0.3));
	l.step = fmax(BAR_STEP * c->stretch, BAR_STEP_LEAST);
	room = c->width - 2 * MARGIN - l.names - NAMES_GAP;
	l.beside = (size_t)fmax((room + PANELS_GAP) / (BARS_LEAST + VALUE_WIDTH + PANELS_GAP), 1);
	blocks = (most + l.beside - 1) / l.beside;
	l.beside = (most + blocks - 1) / blocks;
	l.width = (room - (double)(l.beside - 1) * PANELS_GAP) / (double)l.beside;
	l.scale = fmax(l.width - VALUE_WIDTH, 8);
	l.axis = axis_percent(fmax(largest, 0.01) * 100, (int)fmin(fmax(l.scale / 18, 1), 5));
	return l;
}

/* The palette without its last colour, which stands for all others. */
static int function_color(const struct share_block *b, size_t i)
{
	int first = STYLE_COLORS - 1;

	if (!strcmp(b->functions[i], "other"))
		return first;
	return (int)i < first ? (int)i : STYLE_COLORS + ((int)i - first) % first;
}

/* ---- panels ---- */

static void draw_cut(struct canvas *c, double x, double y, double width, const char *text,
		     bool remark)
{
	char *cut = canvas_cut(c, remark ? CANVAS_TICK : CANVAS_LABEL, width, text);

	if (remark)
		canvas_remark(c, x, y, CANVAS_TICK, ALIGN_LEFT, cut);
	else
		canvas_text(c, x, y, CANVAS_LABEL, ALIGN_LEFT, cut);
	free(cut);
}

/* What ran, in which trace where that does not tell, and how long its calls took. */
static void draw_panel_heading(const struct share_block *b, const struct report *r,
			       struct canvas *c, const struct bars *l,
			       const struct share_group *g, double x, double y)
{
	char *title = NULL, *remark = NULL, buf[FORMAT_SIZE];
	double total = 0;

	if (figure_traces(r) > 1)
		figure_trace_lines(r, (size_t)cell_uint(table_get(b->s, g->begin, "trace")), &title,
				   &remark);
	for (size_t row = g->begin; row < g->end; row++)
		total += cell_real(table_get(b->s, row, "total_ns"));
	draw_cut(c, x, y + 6, l->width, title ? title : share_text(b->s, g->begin, "framework"),
		 false);
	if (l->places)
		draw_cut(c, x, y + 14.5, l->width, remark ? remark : "", true);
	draw_cut(c, x, y + 14.5 + (l->places ? HEADING_LINE : 0), l->width,
		 format_ns(buf, total, true), true);
	free(title);
	free(remark);
}

static void draw_share_scale(struct canvas *c, const struct bars *l, double x, double top, double bottom)
{
	char buf[32];
	double v;

	for (int i = 0; axis_tick(&l->axis, i, &v); i++) {
		double at = x + l->scale * v / l->axis.hi;

		canvas_line(c, at, top, at, bottom, i ? CANVAS_PALE : CANVAS_INK, i ? 0.4 : 0.6);
		canvas_text(c, at, bottom + 7, CANVAS_TICK, ALIGN_CENTER,
			    axis_label(&l->axis, v, buf));
	}
}

static void draw_bars(const struct share_block *b, const struct report *r, struct canvas *c, const struct bars *l,
		      const struct share_group *g, double x, double y)
{
	char buf[FORMAT_SIZE];

	for (size_t i = 0; i < b->function_count; i++, y += l->step) {
		double share = share_in(b, g, b->functions[i]) * 100;
		double width = l->scale * fmin(share / l->axis.hi, 1);
		double base = y + l->step / 2 + 2.3;

		if (isnan(share)) {
			canvas_remark(c, x + 2.5, base, CANVAS_TICK, ALIGN_LEFT,
				      was_called(b, r, g, b->functions[i]) ? "in other" : "–");
			continue;
		}
		canvas_bar(c, x, y + (l->step - l->thick) / 2, width, l->thick, function_color(b, i));
		canvas_text(c, x + width + 2.5, base, CANVAS_TICK, ALIGN_LEFT,
			    format_percent(buf, share));
	}
}

static void draw_names(const struct share_block *b, struct canvas *c, const struct bars *l, double y)
{
	for (size_t i = 0; i < b->function_count; i++, y += l->step) {
		char name[NAME_SIZE];
		char *cut = canvas_cut(c, CANVAS_TICK, l->names, bar_name(b->layer, b->functions[i], name));

		canvas_text(c, MARGIN + l->names, y + l->step / 2 + 2.3, CANVAS_TICK, ALIGN_RIGHT, cut);
		free(cut);
	}
}

/* Panels [begin, end) of the block beside each other; returns the height. */
static double draw_layer_panels(const struct share_block *b, const struct report *r, struct canvas *c,
			  const struct bars *l, size_t begin, size_t end, double y)
{
	char *layer = canvas_cut(c, CANVAS_LABEL * CANVAS_BOLD, l->names, text_layer(b->layer));
	double top = y + HEADING + (l->places ? HEADING_LINE : 0);
	double bottom = top + (double)b->function_count * l->step + 1;

	canvas_bold(c, MARGIN, y + 6, CANVAS_LABEL, layer);
	free(layer);
	draw_names(b, c, l, top);
	for (size_t i = begin; i < end; i++) {
		double x = MARGIN + l->names + NAMES_GAP + (double)(i - begin) * (l->width + PANELS_GAP);

		draw_panel_heading(b, r, c, l, &b->groups[i], x, y);
		draw_share_scale(c, l, x, top, bottom);
		draw_bars(b, r, c, l, &b->groups[i], x, top);
	}
	return bottom + NUMBERS - y;
}

static double draw_layer(const struct share_block *b, const struct report *r, struct canvas *c,
			 const struct bars *l, double y)
{
	double top = y;

	for (size_t begin = 0; begin < b->group_count; begin += l->beside) {
		size_t end = begin + l->beside < b->group_count ? begin + l->beside : b->group_count;

		y += draw_layer_panels(b, r, c, l, begin, end, y) + BLOCKS_GAP;
	}
	return y - top;
}

/* Traces that are shown, none of whose calls are seen. The caller's. */
static char *silent_traces(const struct report *r, const struct table *s)
{
	char *names;
	size_t size;
	FILE *f = text_open(&names, &size);

	for (size_t i = 0, count = 0; i < figure_traces(r); i++) {
		size_t trace = figure_trace(r, i), row = 0;
		char *label;

		while (row < s->row_count && cell_uint(table_get(s, row, "trace")) != trace)
			row++;
		if (row < s->row_count)
			continue;
		label = figure_trace_label(r, trace);
		fprintf(f, "%s%s", count++ ? "; " : "", label);
		free(label);
	}
	return text_close(f, &names);
}

double figure_functions(const struct report *r, struct canvas *c)
{
	const struct table *s = report_table(r, "shares");
	char *heading = figure_heading(r, "functions"), *silent;
	double y = figure_title(c, heading);
	struct bars l;

	free(heading);
	if (!figure_functions_any(r)) {
		canvas_remark(c, c->width / 2, y + 20, CANVAS_LABEL, ALIGN_CENTER,
			      "no calls were recorded");
		return y + 40;
	}
	l = lay_out_bars(r, s, c);
	silent = silent_traces(r, s);
	y += figure_silent(c, MARGIN, y - 2, silent);
	free(silent);
	for (size_t row = 0; row < s->row_count; row++) {
		if (first_of_layer(s, row)) {
			struct share_block b = make_block(r, s, row);

			y += draw_layer(&b, r, c, &l, y);
			release_block(&b);
		}
	}
	canvas_text(c, MARGIN + l.names + NAMES_GAP + (c->width - 2 * MARGIN - l.names - NAMES_GAP) / 2,
		    y + 6, CANVAS_LABEL, ALIGN_CENTER, "Share of the time in the layer (%)");
	return y + 11;
}

bool figure_functions_any(const struct report *r)
{
	return text_rows(report_table(r, "shares")) > 0;
}

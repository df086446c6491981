/* SPDX-License-Identifier: MIT */
/* Panels of curves: their layout, scales, grids and legend. */
#include "analysis/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/figure.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/plot_curve.h"

#define RIGHT		8.0	/* half of the last number of the time axis */
#define PANEL_HEIGHT	62.0
#define ROW_GAP		9.0
#define COLUMN_GAP	11.0
#define COLUMN_LEAST	78.0	/* narrower ones go below */
#define BOTTOM		24.0	/* numbers and name of the time axis */
#define TITLE_LINE	9.0
#define BLOCK_GAP	6.0
#define NUMBER_ROOM	26.0	/* for a number of the time axis */
#define LEGEND_MARGIN	3.0	/* of the legend, at least */
#define LINE_ROOM	12.0	/* for a number of the other */
#define HEADROOM	1.02	/* so that a curve does not run along the edge */
#define NAME		8.0	/* base line of the name of the y axis */
#define NAME_GAP	4.0	/* between such names */

struct line {
	const struct series *series;	/* borrowed */
	char *label;			/* owned; NULL: in no legend */
	int color;
	int64_t shift;			/* ns */
	double wider;			/* than others */
	bool dashed;
};

struct panel {
	struct line *lines;	/* owned */
	size_t count;
};

struct above {
	char *title, *remark;	/* owned; NULL: none */
	int64_t trace;
};

struct plot {
	size_t row_count, column_count;
	const char **rows;	/* titles, borrowed; all arrays are owned */
	struct above *columns;
	struct panel *panels;	/* row after row */
	char *remark;		/* owned; NULL: none */
};

/* ---- what is to be drawn ---- */

struct plot *plot_new(size_t rows, size_t columns)
{
	struct plot *p = need(calloc(1, sizeof(*p)));

	p->row_count = rows;
	p->column_count = columns ? columns : 1;
	p->rows = need(calloc(rows + 1, sizeof(*p->rows)));
	p->columns = need(calloc(p->column_count, sizeof(*p->columns)));
	p->panels = need(calloc(rows * p->column_count + 1, sizeof(*p->panels)));
	for (size_t i = 0; i < p->column_count; i++)
		p->columns[i].trace = -1;
	return p;
}

static void panel_release(struct panel *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->lines[i].label);
	free(p->lines);
}

static void plot_free(struct plot *p)
{
	for (size_t i = 0; i < p->row_count * p->column_count; i++)
		panel_release(&p->panels[i]);
	for (size_t i = 0; i < p->column_count; i++) {
		free(p->columns[i].title);
		free(p->columns[i].remark);
	}
	free(p->rows);
	free(p->columns);
	free(p->panels);
	free(p->remark);
	free(p);
}

void plot_row(struct plot *p, size_t row, const char *title)
{
	p->rows[row] = title;
}

void plot_column(struct plot *p, size_t column, const char *title, const char *remark,
		 int64_t trace)
{
	p->columns[column] = (struct above){
		title ? need(strdup(title)) : NULL, remark ? need(strdup(remark)) : NULL, trace,
	};
}

static struct panel *panel_at(const struct plot *p, size_t row, size_t column)
{
	return &p->panels[row * p->column_count + column];
}

void plot_add(struct plot *p, size_t row, size_t column, const struct series *s, int color,
	      const char *label)
{
	plot_add_later(p, row, column, s, color, label, 0);
}

void plot_add_later(struct plot *p, size_t row, size_t column, const struct series *s, int color,
		    const char *label, int64_t shift)
{
	struct panel *panel = panel_at(p, row, column);

	if (!s)
		return;
	panel->lines = need(realloc(panel->lines, (panel->count + 1) * sizeof(*panel->lines)));
	panel->lines[panel->count++] = (struct line){
		s, label ? need(strdup(label)) : NULL, color, shift, 0, false,
	};
}

void plot_style(struct plot *p, size_t row, size_t column, double wider, bool dashed)
{
	struct panel *panel = panel_at(p, row, column);

	if (!panel->count)
		return;
	panel->lines[panel->count - 1].wider = wider;
	panel->lines[panel->count - 1].dashed = dashed;
}

void plot_remark(struct plot *p, const char *remark)
{
	free(p->remark);
	p->remark = need(strdup(remark));
}

/* ---- scales ---- */

/* From 0 to the data's end, or the part of the time that is looked at. */
static void line_time(const struct line *l, const struct report *r, double *begin, double *end)
{
	const struct table *traces = report_table(r, "traces");
	const struct cell *from = table_get(traces, l->series->trace, "from_ns");
	double shift = (double)l->shift;
	struct summary sum;

	if (from->type != CELL_NULL) {
		*begin = fmin(*begin, cell_real(from) + shift);
		*end = fmax(*end, cell_real(table_get(traces, l->series->trace, "to_ns")) + shift);
	} else if (series_summary(l->series, &sum)) {
		*begin = 0;
		*end = fmax(*end, (double)sum.end + shift);
	}
}

static struct axis time_axis(const struct plot *p, const struct report *r, int ticks)
{
	double begin = INFINITY, end = 0;

	for (size_t i = 0; i < p->row_count * p->column_count; i++)
		for (size_t l = 0; l < p->panels[i].count; l++)
			line_time(&p->panels[i].lines[l], r, &begin, &end);
	return axis_time(isfinite(begin) ? begin : 0, end, ticks);
}

static double row_max(const struct plot *p, size_t row, enum unit *unit)
{
	double max = 0;

	*unit = UNIT_COUNT;
	for (size_t column = p->column_count; column-- > 0; ) {
		const struct panel *panel = panel_at(p, row, column);

		for (size_t l = 0; l < panel->count; l++) {
			struct summary sum;

			if (series_summary(panel->lines[l].series, &sum))
				max = fmax(max, sum.max);
		}
		if (panel->count)
			*unit = format_unit(panel->lines[0].series->unit);
	}
	return max;
}

static struct axis row_axis(const struct plot *p, size_t row, double height)
{
	enum unit unit;
	double max = row_max(p, row, &unit);
	int ticks = (int)fmin(fmax(height / LINE_ROOM, 1), 10);

	return unit == UNIT_BYTES ? axis_bytes(max * HEADROOM, ticks) :
	       unit == UNIT_NS	  ? axis_duration(max * HEADROOM, ticks) :
	       unit == UNIT_PERCENT ? axis_percent(max, ticks) : axis_count(max * HEADROOM, ticks);
}

/* ---- layout ---- */

struct plot_layout {
	const struct plot *p;
	const struct report *r;
	double left, width, height;	/* room for the y axis; size of a panel */
	size_t beside;			/* columns of a block */
	struct axis t;
};

/* "RAM (%)" */
static void row_name(const struct plot *p, size_t row, const struct axis *a, char *name, size_t size)
{
	snprintf(name, size, *a->unit ? "%s (%s)" : "%s", p->rows[row], a->unit);
}

/* So high that names beside each other's panels do not meet. */
static double least_height(const struct plot *p, struct canvas *c)
{
	double widest = 0;
	char name[64];

	for (size_t row = 0; row < p->row_count; row++) {
		struct axis a = row_axis(p, row, PANEL_HEIGHT);

		row_name(p, row, &a, name, sizeof(name));
		widest = fmax(widest, canvas_width(c, CANVAS_LABEL, name));
	}
	return widest - ROW_GAP + NAME_GAP;
}

static double numbers_width(const struct plot *p, struct canvas *c, double height)
{
	double widest = 0, v;
	char buf[32];

	for (size_t row = 0; row < p->row_count; row++) {
		struct axis a = row_axis(p, row, height);

		for (int i = 0; axis_tick(&a, i, &v); i++)
			widest = fmax(widest, canvas_width(c, CANVAS_TICK, axis_label(&a, v, buf)));
	}
	return widest;
}

static struct plot_layout lay_out(const struct plot *p, const struct report *r, struct canvas *c)
{
	struct plot_layout l = { .p = p, .r = r,
				 .height = fmax(PANEL_HEIGHT * c->stretch, least_height(p, c)) };
	size_t blocks;
	double room;

	l.left = fmax(NAME + 3 + numbers_width(p, c, l.height) + 4, 30);
	room = c->width - l.left - RIGHT;
	l.beside = (size_t)fmax((room + COLUMN_GAP) / (COLUMN_LEAST + COLUMN_GAP), 1);
	blocks = (p->column_count + l.beside - 1) / l.beside;
	l.beside = (p->column_count + blocks - 1) / blocks;
	l.width = (room - (double)(l.beside - 1) * COLUMN_GAP) / (double)l.beside;
	l.t = time_axis(p, r, (int)fmax(fmin(l.width / NUMBER_ROOM, 12), 2));
	return l;
}

/* ---- one panel ---- */

static void draw_grid(struct canvas *c, const struct area *a, bool numbers)
{
	char buf[32];
	double v;

	for (int i = 0; axis_tick(&a->v, i, &v); i++) {
		double y = area_y(a, v);

		canvas_line(c, a->x, y, a->x + a->width, y, CANVAS_PALE, 0.4);
		if (numbers)
			canvas_text(c, a->x - 3.5, y + 2.3, CANVAS_TICK, ALIGN_RIGHT,
				    axis_label(&a->v, v, buf));
	}
}

static void draw_time_axis(struct canvas *c, const struct area *a, bool numbers)
{
	double bottom = a->y + a->height, t;
	char buf[32];

	cairo_move_to(c->c, a->x, a->y);
	cairo_line_to(c->c, a->x, bottom);
	cairo_line_to(c->c, a->x + a->width, bottom);
	canvas_stroke(c, CANVAS_INK, 0.6);
	for (int i = 0; axis_tick(&a->t, i, &t); i++) {
		double x = area_x(a, t);

		canvas_line(c, x, bottom, x, bottom + 2.5, CANVAS_INK, 0.6);
		if (numbers)
			canvas_text(c, x, bottom + 10, CANVAS_TICK, ALIGN_CENTER,
				    axis_label(&a->t, t, buf));
	}
}

static void draw_panel(const struct plot_layout *l, struct canvas *c, size_t row, size_t column,
		       const struct area *a)
{
	const struct panel *panel = panel_at(l->p, row, column);
	bool first = column % l->beside == 0, any = false;
	struct summary sum;
	char name[64];

	draw_grid(c, a, first);
	for (size_t i = panel->count; i-- > 0; ) {	/* the first one on top */
		const struct line *line = &panel->lines[i];
		struct area shifted = *a;

		shifted.shift = (double)line->shift;
		any |= series_summary(line->series, &sum);
		c->dashed = line->dashed;
		plot_curve(c, &shifted, line->series, line->color, CURVE_WIDTH + line->wider, panel->count == 1);
		c->dashed = false;
	}
	draw_time_axis(c, a, row + 1 == l->p->row_count);
	plot_ticks(c, a, l->r, l->p->columns[column].trace, row == 0);
	row_name(l->p, row, &a->v, name, sizeof(name));
	if (first)
		canvas_upwards(c, NAME, a->y + a->height / 2, CANVAS_LABEL, name);
	if (!any)
		canvas_remark(c, a->x + a->width / 2, a->y + a->height / 2 + 2, CANVAS_LABEL,
			      ALIGN_CENTER, "no data");
}

/* ---- blocks of columns ---- */

static double column_x(const struct plot_layout *l, size_t column)
{
	return l->left + (double)(column % l->beside) * (l->width + COLUMN_GAP);
}

/* Above the columns [begin, end); the height. */
static double draw_column_titles(const struct plot_layout *l, struct canvas *c, size_t begin, size_t end,
				 double y)
{
	bool titles = false, remarks = false;

	for (size_t i = begin; i < end; i++) {
		titles |= l->p->columns[i].title != NULL;
		remarks |= l->p->columns[i].remark != NULL;
	}
	for (size_t i = begin; i < end; i++) {
		const struct above *a = &l->p->columns[i];
		double x = column_x(l, i);
		char *title = canvas_cut(c, CANVAS_LABEL, l->width, a->title ? a->title : "");
		char *remark = canvas_cut(c, CANVAS_TICK, l->width, a->remark ? a->remark : "");

		canvas_text(c, x, y + 6, CANVAS_LABEL, ALIGN_LEFT, title);
		canvas_remark(c, x, y + 6 + TITLE_LINE * titles, CANVAS_TICK, ALIGN_LEFT, remark);
		free(title);
		free(remark);
	}
	return TITLE_LINE * (titles + remarks) + (titles || remarks ? 2 : 0);
}

static double draw_block(const struct plot_layout *l, struct canvas *c, size_t begin, size_t end,
			 double y)
{
	double top = y, right = column_x(l, end - 1) + l->width;
	char name[64];

	y += draw_column_titles(l, c, begin, end, y);
	for (size_t row = 0; row < l->p->row_count; row++) {
		struct area a = { .y = y, .width = l->width, .height = l->height, .t = l->t,
				  .v = row_axis(l->p, row, l->height) };

		for (size_t i = begin; i < end; i++) {
			a.x = column_x(l, i);
			draw_panel(l, c, row, i, &a);
		}
		y += l->height + ROW_GAP;
	}
	y -= ROW_GAP;
	snprintf(name, sizeof(name), "Time (%s)", l->t.unit);
	canvas_text(c, (l->left + right) / 2, y + 20, CANVAS_LABEL, ALIGN_CENTER, name);
	return y + BOTTOM - top;
}

/* Labels of all lines, each once. The caller's; borrows the labels. */
static struct legend_entry *collect_legend(const struct plot *p, size_t *count)
{
	struct legend_entry *entries = NULL;

	*count = 0;
	for (size_t i = 0; i < p->row_count * p->column_count; i++) {
		for (size_t k = 0; k < p->panels[i].count; k++) {
			const struct line *l = &p->panels[i].lines[k];
			size_t e = 0;

			while (l->label && e < *count && strcmp(entries[e].text, l->label))
				e++;
			if (!l->label || e < *count)
				continue;
			entries = need(realloc(entries, (e + 1) * sizeof(*entries)));
			entries[(*count)++] = (struct legend_entry){ l->label, l->color, l->dashed };
		}
	}
	return entries;
}

/* Above the panels, unless its words have no room there. */
static double legend_left(struct canvas *c, const struct plot_layout *l, const struct legend_entry *entries,
			  size_t count)
{
	double width = 0;

	for (size_t i = 0; i < count; i++)
		width = fmax(width, canvas_legend_width(c, entries[i].text));
	return fmax(fmin(l->left, c->width - LEGEND_MARGIN - width), LEGEND_MARGIN);
}

static double draw_plot(const struct plot *p, const struct report *r, struct canvas *c, const char *title)
{
	struct plot_layout l = lay_out(p, r, c);
	double y = figure_title(c, title), left;
	size_t count, end;
	struct legend_entry *entries = collect_legend(p, &count);

	left = legend_left(c, &l, entries, count);
	if (count)
		y += canvas_legend(c, left, y - 2, c->width - left - LEGEND_MARGIN, entries, count, false) + 2;
	free(entries);
	if (p->remark) {
		canvas_remark(c, l.left, y + 4, CANVAS_TICK, ALIGN_LEFT, p->remark);
		y += TITLE_LINE;
	}
	for (size_t begin = 0; begin < p->column_count; begin = end) {
		end = begin + l.beside < p->column_count ? begin + l.beside : p->column_count;
		y += begin ? BLOCK_GAP : 0;
		y += draw_block(&l, c, begin, end, y);
	}
	return y;
}

double plot_finish(struct plot *p, const struct report *r, struct canvas *c, const char *figure)
{
	char *heading = figure_heading(r, figure);
	double height = draw_plot(p, r, c, heading);

	free(heading);
	plot_free(p);
	return height;
}

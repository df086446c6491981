/* SPDX-License-Identifier: MIT */
/*
 * Where epochs and iterations begin, above the curves: as the table `epochs` says it, else as the
 * program's own marks do. Of several processes (ranks) the first one that has any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/memory.h"
#include "analysis/report/plot_curve.h"

#define NUMBER_GAP	4.0	/* between the numbers of epochs, at least */
#define TICK_GAP	1.5	/* closer ticks are a bar, so none are drawn */

struct begin {
	double t, number;
};

struct begins {
	struct begin *list;	/* owned */
	size_t count;
};

static void add_begin(struct begins *b, double t, double number)
{
	b->list = need(realloc(b->list, (b->count + 1) * sizeof(*b->list)));
	b->list[b->count++] = (struct begin){ t, number };
}

static bool process_in(const struct report *r, const struct cell *process, int64_t trace)
{
	const struct cell *own = report_process(r, process, "trace");

	return own->type != CELL_NULL && (int64_t)cell_uint(own) == trace;
}

static void epochs_found(const struct report *r, int64_t trace, struct begins *b)
{
	const struct table *t = report_table(r, "epochs");
	const struct cell *process = NULL;

	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *p = table_get(t, row, "process");

		if (!process && process_in(r, p, trace))
			process = p;
		if (process && cell_real(process) == cell_real(p))
			add_begin(b, cell_real(table_get(t, row, "begin_ns")),
				  cell_real(table_get(t, row, "epoch")));
	}
}

/* Rows of `marks` that begin an epoch or a step of the trace. */
static void marks_of(const struct report *r, int64_t trace, const char *kind, struct begins *b)
{
	const struct table *t = report_table(r, "marks");
	const struct cell *process = NULL;

	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *number = table_get(t, row, "number");
		const struct cell *p = table_get(t, row, "process");

		if ((int64_t)cell_uint(table_get(t, row, "trace")) != trace ||
		    strcmp(cell_text(table_get(t, row, "kind")), kind) ||
		    number->type == CELL_NULL || cell_real(number) < 0)
			continue;
		process = process ? process : p;
		if (cell_real(process) == cell_real(p))
			add_begin(b, cell_real(table_get(t, row, "t_ns")), cell_real(number));
	}
}

static void draw_tick(struct canvas *c, double x, double y, double height)
{
	canvas_line(c, x, y, x, y + height, CANVAS_GREY, 0.5);
}

static void draw_steps(struct canvas *c, const struct area *a, const struct begins *b)
{
	if ((double)b->count * TICK_GAP > a->width)
		return;
	for (size_t i = 0; i < b->count; i++)
		if (area_has(a, b->list[i].t))
			draw_tick(c, area_x(a, b->list[i].t), a->y, 3);
}

/* A curve may run right behind it. */
static void draw_number(struct canvas *c, double x, double y, double width, const char *text)
{
	cairo_rectangle(c->c, x - 0.5, y - CANVAS_TICK, width + 1, CANVAS_TICK + 1.5);
	canvas_shade(c, CANVAS_PAPER, 0.8);
	canvas_text(c, x, y, CANVAS_TICK, ALIGN_LEFT, text);
}

/* Until the next line, or the end of the area. */
static double room_behind(const struct area *a, const struct begins *b, size_t i)
{
	bool last = i + 1 == b->count || !area_has(a, b->list[i + 1].t);
	double end = last ? a->x + a->width : area_x(a, b->list[i + 1].t);

	return end - area_x(a, b->list[i].t) - 1.5;
}

/* The first that has room for the word before the next line; else there is none. */
static size_t find_worded(struct canvas *c, const struct area *a, const struct begins *b)
{
	char buf[32];

	for (size_t i = 0; i < b->count; i++) {
		snprintf(buf, sizeof(buf), "epoch %.0f", b->list[i].number);
		if (area_has(a, b->list[i].t) && canvas_width(c, CANVAS_TICK, buf) <= room_behind(a, b, i))
			return i;
	}
	return b->count;
}

/* Before the first line, where there is no room behind any. */
static bool draw_word_before(struct canvas *c, const struct area *a, double x, const char *text)
{
	double width = canvas_width(c, CANVAS_TICK, text);

	if (width + 3 >= x - a->x)
		return false;
	draw_number(c, x - width - 1.5, a->y + 8, width, text);
	return true;
}

static void draw_numbers(struct canvas *c, const struct area *a, const struct begins *b)
{
	size_t worded = find_worded(c, a, b);
	double free_from = 0;

	for (size_t i = 0; i < b->count; i++) {
		double x = area_x(a, b->list[i].t), width, at;
		char buf[32];

		if (!area_has(a, b->list[i].t))
			continue;
		snprintf(buf, sizeof(buf), "epoch %.0f", b->list[i].number);
		if (!i && worded == b->count && draw_word_before(c, a, x, buf))
			continue;
		if (i != worded)
			snprintf(buf, sizeof(buf), "%.0f", b->list[i].number);
		width = canvas_width(c, CANVAS_TICK, buf);
		/* Not across the next line, nor where the one with the word would lose its place. */
		if (i != worded && i + 1 < b->count && width > room_behind(a, b, i))
			continue;
		/* Near the end there may be room before it alone. */
		at = x + width + 1.5 > a->x + a->width ? x - width - 1.5 : x + 1.5;
		if (at < free_from || at < a->x)
			continue;
		draw_number(c, at, a->y + 8, width, buf);
		free_from = at + width + NUMBER_GAP - 1.5;
	}
}

static void draw_epochs(struct canvas *c, const struct area *a, const struct begins *b, bool numbers)
{
	if ((double)b->count * TICK_GAP * 2 > a->width)
		return;
	for (size_t i = 0; i < b->count; i++)
		if (area_has(a, b->list[i].t))
			draw_tick(c, area_x(a, b->list[i].t), a->y, a->height);
	if (numbers)
		draw_numbers(c, a, b);
}

void plot_ticks(struct canvas *c, const struct area *a, const struct report *r, int64_t trace,
		bool numbers)
{
	struct begins steps = { 0 }, epochs = { 0 };

	if (trace < 0)
		return;
	marks_of(r, trace, "step", &steps);
	epochs_found(r, trace, &epochs);
	if (!epochs.count)
		marks_of(r, trace, "epoch", &epochs);
	draw_steps(c, a, &steps);
	draw_epochs(c, a, &epochs, numbers);
	free(steps.list);
	free(epochs.list);
}

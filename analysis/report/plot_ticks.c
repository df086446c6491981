/* SPDX-License-Identifier: MIT */
/* Where epochs and iterations begin, above the curves. */
#include <stdio.h>
#include <string.h>

#include "analysis/report/plot_curve.h"

#define NUMBER_GAP	9.0	/* between the numbers of epochs, at least */
#define TICK_GAP	1.5	/* closer ticks are a bar, so none are drawn */

/* A row of `marks` that begins an epoch or a step of the trace. */
static bool is_mark(const struct table *marks, size_t row, int64_t trace, const char *kind)
{
	const struct cell *number = table_get(marks, row, "number");

	return (int64_t)cell_uint(table_get(marks, row, "trace")) == trace &&
	       !strcmp(cell_text(table_get(marks, row, "kind")), kind) &&
	       number->type != CELL_NULL && cell_real(number) >= 0;
}

static void draw_tick(struct canvas *c, double x, double y, double height)
{
	canvas_line(c, x, y, x, y + height, CANVAS_GREY, 0.5);
}

static void draw_steps(struct canvas *c, const struct area *a, const struct table *marks,
		       int64_t trace)
{
	size_t count = 0;

	for (size_t row = 0; row < marks->row_count; row++)
		count += is_mark(marks, row, trace, "step");
	if ((double)count * TICK_GAP > a->width)
		return;
	for (size_t row = 0; row < marks->row_count; row++)
		if (is_mark(marks, row, trace, "step"))
			draw_tick(c, area_x(a, cell_real(table_get(marks, row, "t_ns"))), a->y, 3);
}

static void draw_epochs(struct canvas *c, const struct area *a, const struct table *marks,
			int64_t trace, bool numbers)
{
	double free_from = 0;
	char buf[32];

	for (size_t row = 0; row < marks->row_count; row++) {
		double x = area_x(a, cell_real(table_get(marks, row, "t_ns")));

		if (!is_mark(marks, row, trace, "epoch"))
			continue;
		draw_tick(c, x, a->y, a->height);
		snprintf(buf, sizeof(buf), "%.0f", cell_real(table_get(marks, row, "number")));
		if (!numbers || x < free_from ||
		    x + canvas_width(c, CANVAS_TICK, buf) > a->x + a->width)
			continue;
		canvas_text(c, x + 1.5, a->y + 8, CANVAS_TICK, ALIGN_LEFT, buf);
		free_from = x + canvas_width(c, CANVAS_TICK, buf) + NUMBER_GAP;
	}
}

void plot_ticks(struct canvas *c, const struct area *a, const struct report *r, int64_t trace,
		bool numbers)
{
	const struct table *marks = report_table(r, "marks");

	if (!marks || trace < 0)
		return;
	draw_steps(c, a, marks, trace);
	draw_epochs(c, a, marks, trace, numbers);
}

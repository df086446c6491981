/* SPDX-License-Identifier: MIT */
/* The text report's section on where the time of each phase went: by layer, calling library and GPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/text.h"

#define PHASES_SHOWN	5
#define LINES_SHOWN	10
#define REMARKED	1e-3	/* of all that is in phases: less is not worth a line */

/* A line: what did it, and for how long in each phase. */
struct phase_line {
	size_t trace;
	const char *layer, *library;	/* borrowed from the table; NULL: what `gpu` says */
	unsigned gpu;			/* 1: work of the GPU, 2: the time in which it did any */
	double ns[PHASES_SHOWN], all;
};

struct phase_lines {
	struct phase_line *list;		/* owned */
	size_t count;
	const char *phases[PHASES_SHOWN];	/* borrowed, in their order */
	size_t phase_count;
};

/* The tables have them in their order, and none that no process has. */
static void phases_shown(const struct text *t, struct phase_lines *l)
{
	static const char *const order[PHASES_SHOWN] = { "start-up", "compilation", "warm-up", "steady", "end" };
	const struct table *p = report_table(t->r, "phases");

	for (size_t i = 0; i < PHASES_SHOWN; i++)
		for (size_t row = 0; row < text_rows(p); row++)
			if (!strcmp(cell_text(table_get(p, row, "phase")), order[i])) {
				l->phases[l->phase_count++] = order[i];
				break;
			}
}

static bool same_line(const struct phase_line *a, const struct phase_line *b)
{
	return a->trace == b->trace && a->gpu == b->gpu && !strcmp(a->layer, b->layer) &&
	       !strcmp(a->library, b->library);
}

static void phase_line_add(struct phase_lines *l, const struct phase_line *like, const char *phase, double ns)
{
	size_t i = 0, k = 0;

	while (i < l->count && !same_line(&l->list[i], like))
		i++;
	while (k < l->phase_count && strcmp(l->phases[k], phase))
		k++;
	if (k == l->phase_count)
		return;
	if (i == l->count)
		l->list[l->count++] = *like;
	l->list[i].ns[k] += ns;
	l->list[i].all += ns;
}

static void lines_of_libraries(const struct text *t, struct phase_lines *l)
{
	const struct table *b = report_table(t->r, "phase_libraries");

	for (size_t row = 0; row < text_rows(b); row++) {
		struct phase_line like = {
			.trace = (size_t)cell_uint(table_get(b, row, "trace")),
			.layer = cell_text(table_get(b, row, "layer")),
			.library = text_base_name(cell_text(table_get(b, row, "library"))),
		};

		like.gpu = !strcmp(like.layer, "gpu");
		phase_line_add(l, &like, cell_text(table_get(b, row, "phase")),
			       cell_real(table_get(b, row, "self_ns")));
	}
}

static void lines_of_gpus(const struct text *t, struct phase_lines *l)
{
	const struct table *g = report_table(t->r, "phase_gpu_work");

	for (size_t row = 0; row < text_rows(g); row++) {
		struct phase_line like = { .layer = "gpu", .library = "", .gpu = 2 };

		like.trace = (size_t)text_trace(t->r, table_get(g, row, "process"));
		phase_line_add(l, &like, cell_text(table_get(g, row, "phase")),
			       cell_real(table_get(g, row, "busy_ns")));
	}
}

/* What of it is in no phase, and which function's own time is least certain. */
static void put_remarks(const struct text *t, const struct phase_lines *l)
{
	const struct table *f = report_table(t->r, "phase_functions");
	char elsewhere[FORMAT_SIZE], off[FORMAT_SIZE], text[300];
	double all = 0, none = 0, worst = 0;

	for (size_t i = 0; i < l->count; i++)
		all += l->list[i].gpu ? 0 : l->list[i].all;
	for (size_t row = 0; row < text_rows(f); row++) {
		if (!*cell_text(table_get(f, row, "phase")) && strcmp(cell_text(table_get(f, row, "layer")), "gpu"))
			none += cell_real(table_get(f, row, "self_ns"));
		worst = fmax(worst, cell_real(table_get(f, row, "self_error_ns")));
	}
	if (none > all * REMARKED) {
		snprintf(text, sizeof(text), "%s more in calls that are no events, and so in no phase.",
			 format_ns(elsewhere, none, t->o->unicode));
		fputs("  ", t->out);
		text_wrapped(t, text, 2);
	}
	if (worst > all * REMARKED) {
		snprintf(text, sizeof(text), "Of nested calls only the sum is known by phase: up to %s of a "
			 "function's time may be another's (--table phase_functions).",
			 format_ns(off, worst, t->o->unicode));
		fputs("  ", t->out);
		text_wrapped(t, text, 2);
	}
}

/* By trace, the GPU last, most time first. */
static int line_by_time(const void *a, const void *b)
{
	const struct phase_line *x = a, *y = b;

	if (x->trace != y->trace)
		return (x->trace > y->trace) - (x->trace < y->trace);
	if (x->gpu != y->gpu)
		return (x->gpu > y->gpu) - (x->gpu < y->gpu);
	return (x->all < y->all) - (x->all > y->all);
}

static void put_lines(const struct text *t, const struct phase_lines *l)
{
	struct grid *g = grid_new(t->o);

	text_trace_column(t, g);
	grid_column(g, "library", GRID_STRETCH | GRID_MIDDLE, 0);
	grid_column(g, "layer", GRID_STRETCH, 0);
	for (size_t k = 0; k < l->phase_count; k++)
		grid_column(g, l->phases[k], GRID_RIGHT, 0);
	for (size_t i = 0; i < l->count && i < LINES_SHOWN; i++) {
		const struct phase_line *line = &l->list[i];

		grid_row(g);
		text_trace_cell(t, g, (double)line->trace);
		grid_text(g, line->gpu ? (line->gpu == 1 ? "(all streams)" : "(busy)") :
			     *line->library ? line->library : "(unknown)", STYLE_PLAIN);
		grid_text(g, text_layer(line->layer), STYLE_PLAIN);
		for (size_t k = 0; k < l->phase_count; k++)
			if (line->ns[k] > 0)
				grid_number(g, UNIT_NS, line->ns[k]);
			else
				grid_text(g, "", STYLE_PLAIN);
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, l->count, LINES_SHOWN, "phase_libraries");
}

void text_phases(const struct text *t)
{
	struct phase_lines l = { .count = 0 };

	l.list = calloc(text_rows(report_table(t->r, "phase_libraries")) +
			text_rows(report_table(t->r, "phase_gpu_work")) + 1, sizeof(*l.list));
	if (!l.list)
		return;
	phases_shown(t, &l);
	lines_of_libraries(t, &l);
	lines_of_gpus(t, &l);
	if (l.count) {
		qsort(l.list, l.count, sizeof(*l.list), line_by_time);
		text_heading(t, "Time by phase", "in calls, nested ones counted once, over all threads");
		put_lines(t, &l);
		put_remarks(t, &l);
	}
	free(l.list);
}

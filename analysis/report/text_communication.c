/* SPDX-License-Identifier: MIT */
/* The text report's section on communication: all ranks of a communicator and function together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/text.h"

struct group {
	const char *layer, *communicator, *function, *kind;	/* borrowed from the table */
	double trace, processes, calls, bytes, ns;
	double least, most;	/* of the processes' lives */
};

#define GROUPS_SHOWN 12

static void group_add(struct group *g, const struct table *c, size_t row)
{
	double share = cell_real(table_get(c, row, "share_of_wall"));

	g->least = g->processes ? fmin(g->least, share) : share;
	g->most = fmax(g->most, share);
	g->processes++;
	g->calls += cell_real(table_get(c, row, "calls"));
	g->bytes += cell_real(table_get(c, row, "bytes"));
	g->ns += cell_real(table_get(c, row, "total_ns"));
}

static size_t sum_groups(const struct text *t, const struct table *c, struct group *groups)
{
	size_t count = 0;

	for (size_t row = 0; row < c->row_count; row++) {
		struct group g = {
			.layer = cell_text(table_get(c, row, "layer")),
			.communicator = cell_text(table_get(c, row, "communicator")),
			.function = cell_text(table_get(c, row, "function")),
			.kind = cell_text(table_get(c, row, "kind")),
			.trace = text_trace(t->r, table_get(c, row, "process")),
		};
		size_t i = 0;

		while (i < count && (strcmp(groups[i].communicator, g.communicator) ||
				     strcmp(groups[i].function, g.function) || groups[i].trace != g.trace))
			i++;
		if (i == count)
			groups[count++] = g;
		group_add(&groups[i], c, row);
	}
	return count;
}

static int group_by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->trace != y->trace)
		return (x->trace > y->trace) - (x->trace < y->trace);
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void put_group(const struct text *t, struct grid *grid, const struct group *g)
{
	grid_row(grid);
	text_trace_cell(t, grid, g->trace);
	grid_text(grid, g->function, STYLE_PLAIN);
	grid_text(grid, g->communicator, *g->communicator ? STYLE_PLAIN : STYLE_DIM);
	grid_number(grid, UNIT_COUNT, g->processes);
	grid_number(grid, UNIT_COUNT, g->calls);
	if (g->bytes > 0)
		grid_number(grid, UNIT_BYTES, g->bytes);
	else
		grid_text(grid, "", STYLE_PLAIN);
	grid_number(grid, UNIT_NS, g->ns);
	grid_number(grid, UNIT_FRACTION, g->least);
	grid_number(grid, UNIT_FRACTION, g->most);
	if (g->bytes > 0 && g->ns > 0 && !strcmp(g->kind, "communicate"))
		grid_number(grid, UNIT_BYTES, 1e9 * g->bytes / g->ns);
	else
		grid_text(grid, "", STYLE_PLAIN);
}

void text_communication(const struct text *t)
{
	const struct table *c = report_table(t->r, "communication");
	struct group *groups = text_rows(c) ? calloc(c->row_count, sizeof(*groups)) : NULL;
	size_t count = groups ? sum_groups(t, c, groups) : 0;
	struct grid *grid;

	if (count) {
		qsort(groups, count, sizeof(*groups), group_by_time);
		text_heading(t, "Communication", "all calls, nested ones too; least and most: of a process's life");
		grid = grid_new(t->o);
		text_trace_column(t, grid);
		grid_column(grid, "function", GRID_STRETCH | GRID_MIDDLE, 0);
		grid_column(grid, "communicator", GRID_STRETCH, 2);
		grid_column(grid, "processes", GRID_RIGHT, 4);
		grid_column(grid, "calls", GRID_RIGHT, 0);
		grid_column(grid, "bytes", GRID_RIGHT, 0);
		grid_column(grid, "time", GRID_RIGHT, 0);
		grid_column(grid, "least", GRID_RIGHT, 1);
		grid_column(grid, "most", GRID_RIGHT, 1);
		grid_column(grid, "bytes/s", GRID_RIGHT, 3);
		for (size_t i = 0; i < count && i < GROUPS_SHOWN; i++)
			put_group(t, grid, &groups[i]);
		grid_print(grid, t->out, 2);
		grid_free(grid);
	}
	free(groups);
}

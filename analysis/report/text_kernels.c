/* SPDX-License-Identifier: MIT */
/* The section of the text report about GPU kernels, and how many of them graphs executed. */
#include <stdio.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/short_name.h"
#include "analysis/report/text.h"

#define KERNELS_SHOWN 12

static const struct text_column kernel_columns[] = {
	{ "library", "library", UNIT_TEXT, 5 },
	{ "launches", "launches", UNIT_COUNT, 0 },
	{ "captured", "captured", UNIT_COUNT, 4 },
	{ "grid", "grid", UNIT_TEXT, 3 },
	{ "block", "block", UNIT_TEXT, 3 },
	{ "total_ns", "in calls", UNIT_NS, 1 },
	{ "mean_ns", "a call", UNIT_NS, 2 },
	{ "gpu_total_ns", "on the GPU", UNIT_NS, 0 },
	{ "gpu_mean_ns", "a run", UNIT_NS, 1 },
};

#define KERNEL_COLUMNS (sizeof(kernel_columns) / sizeof(kernel_columns[0]))

static double sum(const struct table *t, const char *column, bool graphs)
{
	double all = 0;

	for (size_t row = 0; row < text_rows(t); row++)
		if ((table_get(t, row, "graph")->type == CELL_NULL) != graphs)
			all += cell_real(table_get(t, row, column));
	return all;
}

static bool any(const struct table *t, const char *column)
{
	for (size_t row = 0; row < text_rows(t); row++)
		if (cell_real(table_get(t, row, column)) > 0 || *cell_text(table_get(t, row, column)))
			return true;
	return false;
}

/* "1,234 executed: 34 one by one, 1,200 by 12 launches of graphs; 100 captured" */
static void heading(const struct text *t)
{
	const struct table *graphs = report_table(t->r, "graphs");
	double direct = sum(graphs, "executed", false), by_graphs = sum(graphs, "executed", true);
	char all[FORMAT_SIZE], one[FORMAT_SIZE], of[FORMAT_SIZE], by[FORMAT_SIZE], captured[FORMAT_SIZE];
	char remark[5 * FORMAT_SIZE + 80] = "launches that were events";

	if (text_rows(graphs))
		snprintf(remark, sizeof(remark), "%s executed: %s one by one, %s by %s launches of graphs; %s captured",
			 format_whole(all, direct + by_graphs), format_whole(one, direct),
			 format_whole(of, by_graphs), format_whole(by, sum(graphs, "launches", true)),
			 format_whole(captured, sum(graphs, "captured", false)));
	text_heading(t, "GPU kernels", remark);
}

void text_kernel_name(const struct text *t, struct grid *g, const char *name, enum style style)
{
	char text[512];

	grid_text(g, t->o->verbose ? name : short_name(name, text, sizeof(text)), style);
}

void text_kernels(const struct text *t)
{
	const struct table *kernels = report_table(t->r, "kernels");
	size_t rows = text_rows(kernels);
	struct grid *g;

	if (!rows && !text_rows(report_table(t->r, "graphs")))
		return;
	heading(t);
	g = grid_new(t->o);
	grid_column(g, "kernel", GRID_STRETCH | GRID_MIDDLE | GRID_NAME, 0);
	for (size_t i = 0; i < KERNEL_COLUMNS; i++)
		if (any(kernels, kernel_columns[i].column))
			grid_column(g, kernel_columns[i].title, kernel_columns[i].unit == UNIT_TEXT ? 0 : GRID_RIGHT,
				    kernel_columns[i].optional);
	for (size_t row = 0; row < rows && row < KERNELS_SHOWN; row++) {
		grid_row(g);
		text_kernel_name(t, g, cell_text(table_get(kernels, row, "kernel")), STYLE_PLAIN);
		for (size_t i = 0; i < KERNEL_COLUMNS; i++)
			if (any(kernels, kernel_columns[i].column))
				grid_cell(g, kernel_columns[i].unit, table_get(kernels, row, kernel_columns[i].column));
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, rows, KERNELS_SHOWN, "kernels");
}

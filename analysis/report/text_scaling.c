/* SPDX-License-Identifier: MIT */
/* The text report's sections on scaling and on the clocks of hosts; both only where there are ranks. */
#include "analysis/report/grid.h"
#include "analysis/report/text.h"

/* A column in which nothing stands is left out. */
static bool is_known(const struct table *t, const char *column)
{
	for (size_t row = 0; row < t->row_count; row++)
		if (table_get(t, row, column)->type != CELL_NULL)
			return true;
	return false;
}

static void put_table(const struct text *t, const char *name, const char *title, const char *remark,
		      const struct text_column *shown, size_t count)
{
	const struct table *table = report_table(t->r, name);
	struct grid *g;

	if (!text_rows(table))
		return;
	text_heading(t, title, remark);
	g = grid_new(t->o);
	for (size_t i = 0; i < count; i++)
		if (is_known(table, shown[i].column))
			grid_column(g, shown[i].title, shown[i].unit == UNIT_TEXT ? GRID_STRETCH : GRID_RIGHT,
				    shown[i].optional);
	for (size_t row = 0; row < table->row_count; row++) {
		grid_row(g);
		for (size_t i = 0; i < count; i++)
			if (is_known(table, shown[i].column))
				grid_cell(g, shown[i].unit, table_get(table, row, shown[i].column));
	}
	grid_print(g, t->out, 2);
	grid_free(g);
}

void text_scaling(const struct text *t)
{
	static const struct text_column scaling[] = {
		{ "job", "job", UNIT_ID, 0 }, { "name", "what", UNIT_TEXT, 3 }, { "ranks", "ranks", UNIT_COUNT, 0 },
		{ "hosts", "hosts", UNIT_COUNT, 3 }, { "iteration_ns", "iteration", UNIT_NS, 2 },
		{ "throughput", "iterations/s", UNIT_REAL, 0 },
		{ "examples_per_second", "examples/s", UNIT_REAL, 4 },
		{ "speedup", "speed-up", UNIT_REAL, 0 }, { "efficiency", "efficiency", UNIT_FRACTION, 0 },
		{ "communication", "communication", UNIT_FRACTION, 1 },
		{ "communication_bytes", "bytes a step", UNIT_BYTES, 4 },
		{ "straggler", "waited for", UNIT_ID, 1 },
	};
	static const struct text_column clocks[] = {
		{ "host", "host", UNIT_TEXT, 0 }, { "offset_ns", "ahead by", UNIT_NS, 0 },
		{ "spread_ns", "spread", UNIT_NS, 1 }, { "low_ns", "certainly from", UNIT_NS, 2 },
		{ "high_ns", "to", UNIT_NS, 2 }, { "drift_ppm", "drift (ppm)", UNIT_REAL, 3 },
		{ "calls", "calls", UNIT_COUNT, 4 },
	};

	put_table(t, "scaling", "Scaling", "of all ranks together; waited for: the rank that waits least itself",
		  scaling, sizeof(scaling) / sizeof(*scaling));
	put_table(t, "clocks", "Clocks of the hosts", "against the first host, by collectives", clocks,
		  sizeof(clocks) / sizeof(*clocks));
}

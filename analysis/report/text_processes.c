/* SPDX-License-Identifier: MIT */
/* Sections of the text report: processes, and their heaps. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"
#include "analysis/report/rows.h"

static void put_process(const struct text *t, struct grid *g, const struct table *p, size_t row, bool ranks, bool most)
{
	const struct cell *begin = table_get(p, row, "begin_ns"), *end = table_get(p, row, "end_ns");
	const struct cell *exit_cell = table_get(p, row, "exit");
	char *ending = text_exit(exit_cell), *command = text_command(table_get(p, row, "command"));
	bool bad = ending && strcmp(ending, "exit 0");

	grid_row(g);
	text_trace_cell(t, g, cell_real(table_get(p, row, "trace")));
	grid_cell(g, UNIT_ID, table_get(p, row, "pid"));
	grid_cell(g, UNIT_TEXT, table_get(p, row, "name"));
	if (ranks)
		grid_cell(g, UNIT_ID, table_get(p, row, "rank"));
	if (begin->type != CELL_NULL && end->type != CELL_NULL)
		grid_number(g, UNIT_NS, cell_real(end) - cell_real(begin));
	else
		grid_text(g, "", STYLE_PLAIN);
	grid_text(g, ending ? ending : "?", bad ? STYLE_PROBLEM : STYLE_PLAIN);
	grid_cell(g, UNIT_COUNT, table_get(p, row, "threads_peak"));
	grid_cell(g, UNIT_BYTES, table_get(p, row, "rss_peak_bytes"));
	if (most)
		grid_cell(g, UNIT_BYTES, table_get(p, row, "rss_most_bytes"));
	grid_cell(g, UNIT_BYTES, table_get(p, row, "heap_peak_bytes"));
	grid_text(g, command, STYLE_DIM);
	free(ending);
	free(command);
}

void text_processes(const struct text *t)
{
	const struct table *p = report_table(t->r, "processes");
	bool ranks = text_any(p, "rank"), most = text_any(p, "rss_most_bytes");
	bool *chosen;
	struct grid *g;

	if (!text_rows(p))
		return;
	text_heading(t, "Processes", text_rows(p) > TEXT_ROWS ? "those that used most CPU time" : NULL);
	g = grid_new(t->o);
	text_trace_column(t, g);
	grid_column(g, "pid", GRID_RIGHT, 0);
	grid_column(g, "name", GRID_STRETCH, 0);
	if (ranks)
		grid_column(g, "rank", GRID_RIGHT, 0);
	grid_column(g, "lived", GRID_RIGHT, 1);
	grid_column(g, "end", 0, 0);
	grid_column(g, "threads", GRID_RIGHT, 3);
	grid_column(g, "memory peak", GRID_RIGHT, 0);
	if (most)
		grid_column(g, "max RSS", GRID_RIGHT, 5);
	grid_column(g, "heap peak", GRID_RIGHT, 2);
	grid_column(g, "command", GRID_STRETCH, 4);
	chosen = rows_choose(p, (const char *[ROWS_KEYS]){ "cpu_ns" }, TEXT_ROWS);
	for (size_t row = 0; row < text_rows(p); row++)
		if (chosen[row])
			put_process(t, g, p, row, ranks, most);
	grid_print(g, t->out, 2);
	grid_free(g);
	free(chosen);
	text_more(t, text_rows(p), TEXT_ROWS, "processes");
}

void text_heap(const struct text *t)
{
	static const struct text_column shown[] = {
		{ "allocations", "allocations", UNIT_COUNT, 0 },
		{ "frees", "frees", UNIT_COUNT, 1 },
		{ "allocated_bytes", "allocated", UNIT_BYTES, 2 },
		{ "peak_bytes", "peak", UNIT_BYTES, 0 },
		{ "peak_error_bytes", "error", UNIT_BYTES, 3 },
		{ "live_bytes", "live at end", UNIT_BYTES, 0 },
	};

	if (!text_rows(report_table(t->r, "heap")))
		return;
	text_heading(t, "Heap", text_rows(report_table(t->r, "heap")) > TEXT_ROWS ?
		     "usable bytes, counted at every call; the highest peaks" : "usable bytes, counted at every call");
	text_by_process(t, "heap", "peak_bytes", shown, sizeof(shown) / sizeof(shown[0]), TEXT_ROWS);
}

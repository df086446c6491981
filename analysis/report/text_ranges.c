/* SPDX-License-Identifier: MIT */
/* The section of the text report about what the program named itself, and ticks under its curves. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/text.h"

#define RANGES_SHOWN 12

static const struct text_column range_columns[] = {
	{ "kind", "kind", UNIT_TEXT, 4 },
	{ "count", "count", UNIT_COUNT, 0 },
	{ "total_ns", "total", UNIT_NS, 0 },
	{ "mean_ns", "mean", UNIT_NS, 1 },
	{ "median_ns", "median", UNIT_NS, 5 },
	{ "min_ns", "min", UNIT_NS, 3 },
	{ "max_ns", "max", UNIT_NS, 3 },
	{ "share_of_wall", "of life", UNIT_FRACTION, 2 },
};

#define RANGE_COLUMNS (sizeof(range_columns) / sizeof(range_columns[0]))

/* "domain: name", without the one of dltrace.h. */
static void put_name(struct grid *g, const struct table *ranges, size_t row)
{
	const char *domain = cell_text(table_get(ranges, row, "domain"));
	const char *name = cell_text(table_get(ranges, row, "name"));
	char *text = NULL;

	if (!*domain || !strcmp(domain, "dltrace") || asprintf(&text, "%s: %s", domain, name) < 0)
		text = NULL;
	grid_text(g, text ? text : *name ? name : "(no name)", STYLE_PLAIN);
	free(text);
}

/* "launch 12 %, synchronise 8 %": what takes most of a range, two kinds at most. */
static void put_calls(const struct text *t, struct grid *g, const struct table *ranges, size_t row)
{
	static const char *const same[] = { "domain", "name", "kind" };
	const struct table *calls = report_table(t->r, "range_calls");
	char line[128] = "", share[FORMAT_SIZE];
	int shown = 0;

	for (size_t i = 0; i < text_rows(calls) && shown < 2; i++) {
		const struct cell *part = table_get(calls, i, "share");
		bool is = cell_uint(table_get(calls, i, "process")) ==
			  cell_uint(table_get(ranges, row, "process"));

		for (size_t k = 0; k < sizeof(same) / sizeof(same[0]); k++)
			is &= !strcmp(cell_text(table_get(calls, i, same[k])),
				      cell_text(table_get(ranges, row, same[k])));
		if (!is || cell_real(part) < 0.01)
			continue;
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s %s", shown ? ", " : "",
			 cell_text(table_get(calls, i, "calls_kind")),
			 format_cell(share, UNIT_FRACTION, part, t->o->unicode));
		shown++;
	}
	grid_text(g, line, STYLE_DIM);
}

/* Names alone would not tell the rows apart. */
static bool are_of_several(const struct table *ranges, size_t rows)
{
	for (size_t row = 1; row < rows; row++)
		if (cell_uint(table_get(ranges, row, "process")) != cell_uint(table_get(ranges, 0, "process")))
			return true;
	return false;
}

void text_ranges(const struct text *t)
{
	const struct table *ranges = report_table(t->r, "ranges");
	size_t rows = text_rows(ranges);
	char buf[FORMAT_SIZE];
	bool several = are_of_several(ranges, rows < RANGES_SHOWN ? rows : RANGES_SHOWN);
	struct grid *g;

	if (!rows)
		return;
	text_heading(t, "Named by the program", "time of nested ranges included");
	g = grid_new(t->o);
	grid_column(g, "range", GRID_STRETCH, 0);
	if (several)
		grid_column(g, "process", 0, 0);
	for (size_t i = 0; i < RANGE_COLUMNS; i++)
		grid_column(g, range_columns[i].title, range_columns[i].unit == UNIT_TEXT ? 0 : GRID_RIGHT,
			    range_columns[i].optional);
	if (text_rows(report_table(t->r, "range_calls")))
		grid_column(g, "calls inside", 0, 6);
	for (size_t row = 0; row < rows && row < RANGES_SHOWN; row++) {
		grid_row(g);
		put_name(g, ranges, row);
		if (several)
			text_process_name(t, g, table_get(ranges, row, "process"));
		for (size_t i = 0; i < RANGE_COLUMNS; i++)
			grid_cell(g, range_columns[i].unit, table_get(ranges, row, range_columns[i].column));
		if (text_rows(report_table(t->r, "range_calls")))
			put_calls(t, g, ranges, row);
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	if (rows <= RANGES_SHOWN)
		return;
	style_begin(t->out, t->o, STYLE_DIM);
	fprintf(t->out, "  and %s more (--table ranges)",
		format_whole(buf, (double)(rows - RANGES_SHOWN)));
	style_end(t->out, t->o, STYLE_DIM);
	fputc('\n', t->out);
}

/* ---- ticks ---- */

/* How many there are in how many columns of `line`; a column takes one. */
static size_t fill_ticks(const struct table *marks, size_t trace, const char *kind, int64_t begin,
			 int64_t end, char *line, int columns)
{
	size_t count = 0;

	memset(line, ' ', (size_t)columns);
	line[columns] = '\0';
	for (size_t row = 0; row < text_rows(marks); row++) {
		const struct cell *number = table_get(marks, row, "number");
		double since = cell_real(table_get(marks, row, "t_ns")) - (double)begin;
		double at = since / (double)(end - begin) * columns;

		if (cell_uint(table_get(marks, row, "trace")) != trace ||
		    strcmp(cell_text(table_get(marks, row, "kind")), kind) ||
		    (number->type != CELL_NULL && cell_real(number) < 0))
			continue;
		count++;
		line[at < 0 ? 0 : at < columns ? (int)at : columns - 1] = '|';
	}
	return count;
}

void text_ticks(const struct text *t, size_t trace, int64_t begin, int64_t end, int title, int columns)
{
	static const struct { const char *kind, *title; } lines[] = {
		{ "epoch", "epochs" }, { "step", "steps" }, { "mark", "marks" },
	};
	const struct table *marks = report_table(t->r, "marks");
	char *line = malloc((size_t)columns + 1);

	for (size_t i = 0; line && end > begin && i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t count = fill_ticks(marks, trace, lines[i].kind, begin, end, line, columns);

		/* More than every other column: a bar that says nothing. */
		if (count && count <= (size_t)columns / 2)
			fprintf(t->out, "  %-*s  %s\n", title, lines[i].title, line);
	}
	free(line);
}

/* SPDX-License-Identifier: MIT */
/* Whose a row of a section is: its trace, its process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"
#include "analysis/report/rows.h"

double text_trace(const struct report *r, const struct cell *process)
{
	return cell_real(report_process(r, process, "trace"));
}

char *text_process(const struct text *t, const struct cell *id)
{
	const struct cell *name = report_process(t->r, id, "name"), *pid = report_process(t->r, id, "pid");
	char *text;

	if (report_process(t->r, id, "process")->type == CELL_NULL)
		return need(strdup("?"));
	if (asprintf(&text, "%s (%.0f)", cell_text(name), cell_real(pid)) < 0)
		need(NULL);
	return text;
}

void text_trace_column(const struct text *t, struct grid *g)
{
	if (text_several(t))
		grid_column(g, "trace", GRID_RIGHT, 0);
}

void text_trace_cell(const struct text *t, struct grid *g, double trace)
{
	if (text_several(t))
		grid_number(g, UNIT_ID, trace);
}

void text_whose_column(const struct text *t, struct grid *g)
{
	text_trace_column(t, g);
	grid_column(g, "process", GRID_STRETCH | GRID_DISTINCT, 0);
}

void text_whose(const struct text *t, struct grid *g, const struct cell *id)
{
	text_trace_cell(t, g, text_trace(t->r, id));
	text_process_name(t, g, id);
}

void text_process_name(const struct text *t, struct grid *g, const struct cell *id)
{
	char *text = text_process(t, id);

	grid_text(g, text, STYLE_PLAIN);
	free(text);
}

void text_by_process(const struct text *t, const char *table, const char *largest, const struct text_column *columns,
		     size_t count, size_t most)
{
	const struct table *from = report_table(t->r, table);
	bool *chosen = rows_choose(from, (const char *[ROWS_KEYS]){ largest }, most);
	struct grid *g = grid_new(t->o);

	text_whose_column(t, g);
	for (size_t i = 0; i < count; i++)
		grid_column(g, columns[i].title, columns[i].unit == UNIT_TEXT ? GRID_STRETCH : GRID_RIGHT,
			    columns[i].optional);
	for (size_t row = 0; row < text_rows(from); row++) {
		if (!chosen[row])
			continue;
		grid_row(g);
		text_whose(t, g, table_get(from, row, "process"));
		for (size_t i = 0; i < count; i++)
			grid_cell(g, columns[i].unit, table_get(from, row, columns[i].column));
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	free(chosen);
	text_more(t, text_rows(from), most, table);
}

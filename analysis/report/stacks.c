/* SPDX-License-Identifier: MIT */
/* Rows of the breakdown as stacks. */
#include "analysis/report/stacks.h"

#include <stdio.h>

#include "analysis/report/escape.h"
#include "analysis/report/memory.h"

/* Several traces in one graph are told apart by a number in front, as in the table `traces`. */
static char *process_frame(const struct report *r, const struct table *processes, size_t row)
{
	char *name = text_clean(cell_text(table_get(processes, row, "name")), true), *text;
	bool several = report_table(r, "traces") && report_table(r, "traces")->row_count > 1;
	size_t size;
	FILE *f = text_open(&text, &size);

	if (several)
		fprintf(f, "trace %.0f: ", cell_real(table_get(processes, row, "trace")));
	fprintf(f, "%s (pid %.0f)", *name ? name : "unknown",
		cell_real(table_get(processes, row, "pid")));
	free(name);
	return text_close(f, &text);
}

static char *stack_frame(const struct table *breakdown, size_t row, const char *column,
		   const char *otherwise)
{
	const char *text = cell_text(table_get(breakdown, row, column));

	return text_clean(*text ? text : otherwise, true);
}

static void each_row(const struct table *breakdown, size_t row, struct stack *s,
		     void (*each)(const struct stack *s, void *data), void *data)
{
	s->weight = cell_uint(table_get(breakdown, row, "outer_ns"));
	if (!s->weight)
		return;
	s->frames[1] = stack_frame(breakdown, row, "framework", "no framework");
	s->frames[2] = stack_frame(breakdown, row, "layer", "unknown layer");
	s->frames[3] = stack_frame(breakdown, row, "library", "unknown library");
	s->frames[4] = stack_frame(breakdown, row, "function", "unknown function");
	each(s, data);
	for (int i = 1; i < STACK_DEPTH; i++)
		free(s->frames[i]);
}

void stacks_each(const struct report *r, void (*each)(const struct stack *s, void *data),
		 void *data)
{
	const struct table *processes = report_table(r, "processes");
	const struct table *breakdown = report_table(r, "breakdown");
	size_t rows = processes && breakdown ? processes->row_count : 0;

	for (size_t i = 0; i < rows; i++) {
		struct stack s = { .process = (int64_t)cell_uint(table_get(processes, i, "process")) };

		s.frames[0] = process_frame(r, processes, i);
		for (size_t row = 0; row < breakdown->row_count; row++)
			if (cell_uint(table_get(breakdown, row, "process")) == (uint64_t)s.process)
				each_row(breakdown, row, &s, each, data);
		free(s.frames[0]);
	}
}

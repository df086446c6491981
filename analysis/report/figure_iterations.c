/* SPDX-License-Identifier: MIT */
/* How long iterations took over the run: a column for each trace, its processes that iterate in it. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/plot.h"

#define ITERATION	"iteration_ns"
#define ITERATORS	6	/* of one trace: more cannot be told apart */

static const struct series *series_of_row(const struct report *r, const struct table *processes, size_t row)
{
	return report_series(r, (uint32_t)cell_uint(table_get(processes, row, "trace")),
			     (int64_t)cell_uint(table_get(processes, row, "process")), ITERATION);
}

/* "rank 3", else its name and number; the caller's. */
static char *iterator_label(const struct table *t, size_t row)
{
	const struct cell *rank = table_get(t, row, "rank");
	char *label = NULL;
	int n;

	if (rank->type != CELL_NULL)
		n = asprintf(&label, "rank %llu", (unsigned long long)cell_uint(rank));
	else
		n = asprintf(&label, "%s (%llu)", cell_text(table_get(t, row, "name")),
			     (unsigned long long)cell_uint(table_get(t, row, "pid")));
	return need(n < 0 ? NULL : label);
}

/* Those of several processes each; the caller adds the trace's own where there are none. */
static size_t add_iterators(const struct report *r, struct plot *p, size_t column)
{
	const struct table *t = report_table(r, "processes");
	size_t rows[ITERATORS], count = 0;

	for (size_t row = 0; t && row < t->row_count && count < ITERATORS; row++)
		if (cell_uint(table_get(t, row, "trace")) == figure_trace(r, column) && series_of_row(r, t, row))
			rows[count++] = row;
	for (size_t i = 0; count > 1 && i < count; i++) {
		char *label = iterator_label(t, rows[i]);

		plot_add(p, 0, column, series_of_row(r, t, rows[i]), (int)i, label);
		free(label);
	}
	return count;
}

double figure_iterations(const struct report *r, struct canvas *c)
{
	size_t traces = figure_traces(r);
	struct plot *p = plot_new(1, traces);

	plot_row(p, 0, "One iteration");
	for (size_t i = 0; i < traces; i++) {
		size_t trace = figure_trace(r, i);
		char *title, *remark;

		if (add_iterators(r, p, i) < 2)
			plot_add(p, 0, i, report_series(r, (uint32_t)trace, -1, ITERATION), 0, NULL);
		figure_trace_lines(r, trace, &title, &remark);
		plot_column(p, i, traces > 1 ? title : NULL, remark, (int64_t)trace);
		free(title);
		free(remark);
	}
	return plot_finish(p, r, c, "iterations");
}

bool figure_iterations_any(const struct report *r)
{
	for (size_t i = 0; i < figure_traces(r); i++)
		if (report_series(r, (uint32_t)figure_trace(r, i), -1, ITERATION))
			return true;
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * Memory over time: the heap with its largest processes, the GPU's with the libraries that asked
 * for most of it. Of several traces only the sums, in one panel.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/plot.h"

/* The sum over the processes of each trace; of one trace in the colour `alone`. */
static struct plot *plot_of_sums(const struct report *r, const char *title, const char *name, int alone)
{
	struct plot *p = plot_new(1, 1);
	size_t traces = figure_traces(r);

	plot_row(p, 0, title);
	plot_column(p, 0, NULL, NULL, traces == 1 ? (int64_t)figure_trace(r, 0) : -1);
	for (size_t i = 0; i < traces; i++) {
		size_t trace = figure_trace(r, i);
		char *label = traces > 1 ? figure_trace_label(r, trace) :
					   need(strdup("all processes"));

		plot_add(p, 0, 0, report_series(r, (uint32_t)trace, -1, name), traces > 1 ? (int)i : alone, label);
		free(label);
	}
	return p;
}

/* Whether a trace's sum was ever more than nothing. */
static bool any_sum(const struct report *r, const char *name)
{
	struct summary sum;

	for (size_t i = 0; i < figure_traces(r); i++) {
		const struct series *s = report_series(r, (uint32_t)figure_trace(r, i), -1, name);

		if (s && series_summary(s, &sum) && sum.max > 0)
			return true;
	}
	return false;
}

/* ---- the heap ---- */

#define PROCESSES 4	/* whose heap was largest, at most so many beside the sum */

/* The row with the largest peak after row `last`, whose peak is `limit`: equal ones by order. row_count: none. */
static size_t next_process(const struct table *processes, size_t trace, size_t last, double limit)
{
	size_t best = processes->row_count;
	double peak = 0;

	for (size_t row = 0; row < processes->row_count; row++) {
		double v = cell_real(table_get(processes, row, "heap_peak_bytes"));

		if (cell_uint(table_get(processes, row, "trace")) == trace && v > peak &&
		    (v < limit || (v <= limit && row > last))) {
			best = row;
			peak = v;
		}
	}
	return best;
}

/* Of the only trace; 0: there are several. */
static size_t heap_processes(const struct report *r)
{
	const struct table *t = report_table(r, "processes");
	size_t count = 0;

	for (size_t row = 0; figure_traces(r) == 1 && t && row < t->row_count; row++)
		count += cell_uint(table_get(t, row, "trace")) == figure_trace(r, 0) &&
			 cell_real(table_get(t, row, "heap_peak_bytes")) > 0;
	return count;
}

static void add_process(const struct report *r, struct plot *p, const struct table *t, size_t row, int i)
{
	char *label = NULL;

	if (asprintf(&label, "%s (%.0f)", cell_text(table_get(t, row, "name")),
		     cell_real(table_get(t, row, "pid"))) < 0)
		need(NULL);
	plot_add(p, 0, 0, report_series(r, (uint32_t)cell_uint(table_get(t, row, "trace")),
					(int64_t)cell_uint(table_get(t, row, "process")), "heap_bytes"), i, label);
	free(label);
}

#define ALIKE 0.97
#define WIDER 0.7	/* than the curve before it, where the two are alike and lie upon each other */

/* The sum goes dashed over them: where there is one large process it is nearly the same. */
static void add_processes(const struct report *r, struct plot *p, size_t all)
{
	const struct table *t = report_table(r, "processes");
	size_t trace = figure_trace(r, 0), row = SIZE_MAX;
	double limit = INFINITY, before, wider = 0;
	char remark[96];

	plot_style(p, 0, 0, -0.2, true);
	for (int i = 0; i < PROCESSES; i++) {
		row = next_process(t, trace, row, limit);
		if (row == t->row_count)
			return;
		before = limit;
		limit = cell_real(table_get(t, row, "heap_peak_bytes"));
		wider = i && limit > ALIKE * before ? wider + WIDER : 0;
		add_process(r, p, t, row, i);
		plot_style(p, 0, 0, wider, false);
	}
	if (all > PROCESSES) {
		snprintf(remark, sizeof(remark), "%d of %zu processes: those with the largest heaps", PROCESSES, all);
		plot_remark(p, remark);
	}
}

double figure_heap(const struct report *r, struct canvas *c)
{
	size_t processes = heap_processes(r);
	struct plot *p = plot_of_sums(r, "Live heap", "heap_bytes", processes > 1 ? CANVAS_INK : 0);

	if (processes > 1)
		add_processes(r, p, processes);
	return plot_finish(p, r, c, "heap");
}

bool figure_heap_any(const struct report *r)
{
	return any_sum(r, "heap_bytes");
}

/* ---- the GPU's memory ---- */

#define LIBRARIES 5	/* curves of one process; the largest */

/* Libraries by their largest value, falling; equal ones (of several processes) by order. */
static const struct series *next_library(const struct report *r, size_t trace, double *limit,
					 size_t *last)
{
	double largest = -1;
	size_t best = r->series_count;

	for (size_t i = 0; i < r->series_count; i++) {
		const struct series *s = r->series[i];
		struct summary sum;

		if (s->trace != trace || strcmp(s->name, "gpu_library_bytes") ||
		    !series_summary(s, &sum) || sum.max <= largest || sum.max > *limit ||
		    (sum.max >= *limit && i <= *last))
			continue;
		best = i;
		largest = sum.max;
	}
	*limit = largest;
	*last = best;
	return best < r->series_count ? r->series[best] : NULL;
}

double figure_gpu_memory(const struct report *r, struct canvas *c)
{
	struct plot *p = plot_of_sums(r, "Reserved", "gpu_reserved_bytes", 0);
	const struct series *s;
	double limit = INFINITY;
	size_t last = 0;

	for (int i = 0; figure_traces(r) == 1 && i < LIBRARIES; i++) {
		s = next_library(r, figure_trace(r, 0), &limit, &last);
		plot_add(p, 0, 0, s, 1 + i, s ? s->library : NULL);
	}
	return plot_finish(p, r, c, "gpu-memory");
}

bool figure_gpu_memory_any(const struct report *r)
{
	return any_sum(r, "gpu_reserved_bytes");
}

/* SPDX-License-Identifier: MIT */
/*
 * The study's figures 1 and 2: threads, CPU and memory over time. `curves` has a column for each
 * trace, `overlay` all of them in the same panels.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/plot.h"

/* The first series of a panel that exists is shown. */
static const struct curve_panel {
	const char *title, *series[3];
	const char *beside, *label, *beside_label;	/* a second curve, not in `overlay` */
	bool if_any;		/* only where a trace has it */
} curve_panels[] = {
	{ "Threads", { "threads" }, NULL, NULL, NULL, false },
	{ "CPU", { "cpu_percent", "cpu_cores" }, NULL, NULL, NULL, false },
	{ "RAM", { "run_ram_percent", "ram_percent", "rss_bytes" },
	  "ram_percent", "RAM: this run", "RAM: all programs", false },
	{ "GPU", { "gpu_percent" }, NULL, NULL, NULL, true },
	{ "GPU memory", { "gpu_reserved_bytes", "gpu_used_bytes" }, NULL, NULL, NULL, true },
};

#define PANELS (sizeof(curve_panels) / sizeof(curve_panels[0]))
#define BESIDE_COLOR 6

static const struct series *first_series(const struct report *r, size_t trace,
					 const struct curve_panel *panel)
{
	const struct series *s = NULL;

	for (size_t i = 0; i < 3 && !s && panel->series[i]; i++)
		s = report_series(r, (uint32_t)trace, -1, panel->series[i]);
	return s;
}

static bool has_panel(const struct report *r, const struct curve_panel *panel)
{
	struct summary sum;

	for (size_t i = 0; i < figure_traces(r); i++) {
		const struct series *s = first_series(r, figure_trace(r, i), panel);

		if (s && series_summary(s, &sum) && sum.max > 0)
			return true;
	}
	return !panel->if_any;
}

/* Those that the report has something for; returns how many. */
static size_t choose_panels(const struct report *r, const struct curve_panel **chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < PANELS; i++)
		if (has_panel(r, &curve_panels[i]))
			chosen[count++] = &curve_panels[i];
	return count;
}

/* ---- curves ---- */

/* "GPU 3, most of 8" for the one of several that is drawn; NULL: it is the only one. The caller's. */
static char *device_label(const struct report *r, const struct series *s)
{
	size_t count = series_alike(r, s);
	char *label = NULL;

	if (*s->device && count > 1 && asprintf(&label, "%s, most of %zu", s->device, count) < 0)
		need(NULL);
	return label;
}

static void fill_panel(struct plot *p, const struct report *r, size_t row, size_t column,
		       const struct curve_panel *panel)
{
	size_t trace = figure_trace(r, column);
	const struct series *s = first_series(r, trace, panel), *beside = NULL;
	char *of_several = s ? device_label(r, s) : NULL;

	if (s && panel->beside && strcmp(s->name, panel->beside) && !strcmp(s->unit, "percent"))
		beside = report_series(r, (uint32_t)trace, -1, panel->beside);
	plot_add(p, row, column, s, (int)(panel - curve_panels), beside ? panel->label : of_several);
	plot_add(p, row, column, beside, BESIDE_COLOR, panel->beside_label);
	free(of_several);
}

/* Empty panels say something as well. */
bool figure_curves_any(const struct report *r)
{
	(void)r;
	return true;
}

double figure_curves(const struct report *r, struct canvas *c)
{
	const struct curve_panel *panels[PANELS];
	size_t traces = figure_traces(r), count = choose_panels(r, panels);
	struct plot *p = plot_new(count, traces);

	for (size_t row = 0; row < count; row++) {
		plot_row(p, row, panels[row]->title);
		for (size_t i = 0; i < traces; i++)
			fill_panel(p, r, row, i, panels[row]);
	}
	for (size_t i = 0; i < traces; i++) {
		size_t trace = figure_trace(r, i);
		char *title, *remark;

		figure_trace_lines(r, trace, &title, &remark);
		plot_column(p, i, traces > 1 ? title : NULL, remark, (int64_t)trace);
		free(title);
		free(remark);
	}
	return plot_finish(p, r, c, "curves");
}

/* ---- overlay ---- */

/* ns by which a trace begins later than the first of its job that is shown, by one clock. */
static int64_t later(const struct report *r, size_t trace)
{
	const struct table *t = report_table(r, "traces");
	double own = cell_real(table_get(t, trace, "shift_ns")), first = own;

	for (size_t i = 0; i < figure_traces(r); i++) {
		size_t other = figure_trace(r, i);

		if (cell_real(table_get(t, other, "job")) == cell_real(table_get(t, trace, "job")))
			first = fmin(first, cell_real(table_get(t, other, "shift_ns")));
	}
	return (int64_t)(own - first);
}

double figure_overlay(const struct report *r, struct canvas *c)
{
	const struct curve_panel *panels[PANELS];
	size_t traces = figure_traces(r), count = choose_panels(r, panels);
	struct plot *p = plot_new(count, 1);

	for (size_t row = 0; row < count; row++)
		plot_row(p, row, panels[row]->title);
	for (size_t i = 0; i < traces; i++) {
		size_t trace = figure_trace(r, i);
		char *label = figure_trace_label(r, trace);

		for (size_t row = 0; row < count; row++)
			plot_add_later(p, row, 0, first_series(r, trace, panels[row]), (int)i,
				       traces > 1 ? label : NULL, later(r, trace));
		free(label);
	}
	plot_column(p, 0, NULL, NULL, traces == 1 ? (int64_t)figure_trace(r, 0) : -1);
	return plot_finish(p, r, c, "overlay");
}

/* Of one trace it would be `curves` again. */
bool figure_overlay_any(const struct report *r)
{
	return figure_traces(r) > 1;
}

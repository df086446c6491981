/* SPDX-License-Identifier: MIT */
/* Any one table in full as text, or the list of the series. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

static int page_series(const struct text *t)
{
	static const char *const titles[] = { "trace", "process", "name", "unit", "", "min", "mean",
					      "max" };
	struct grid *g = grid_new(t->o);
	struct summary sum;

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		grid_column(g, titles[i], i > 4 || i < 2 ? GRID_RIGHT : 0, i == 4);
	for (size_t i = 0; i < t->r->series_count; i++) {
		const struct series *s = t->r->series[i];
		enum unit unit = format_unit(s->unit);
		char *spark;

		if (!series_summary(s, &sum))
			continue;
		grid_row(g);
		grid_number(g, UNIT_ID, s->trace);
		if (s->process >= 0)
			grid_number(g, UNIT_ID, (double)s->process);
		else
			grid_text(g, "", STYLE_PLAIN);
		grid_text(g, s->name, STYLE_PLAIN);
		grid_text(g, s->unit, STYLE_PLAIN);
		spark = sparkline(s, sum.begin, sum.end, sum.max, 24, t->o->unicode);
		grid_text(g, spark, STYLE_BAR);
		free(spark);
		grid_number(g, unit, sum.min);
		grid_number(g, unit, sum.mean);
		grid_number(g, unit, sum.max);
	}
	grid_print(g, t->out, 0);
	grid_free(g);
	return 0;
}

#define SENTENCE	24	/* columns of the shortest text that is told in several lines rather than cut */
#define SENTENCE_BLANKS	3

/* Texts of a few words at least: they say nothing when they are cut. */
static bool is_sentences(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count && table->columns[column].unit == UNIT_TEXT; row++) {
		const char *text = cell_text(&table->cells[row * table->column_count + column]);
		size_t blanks = 0;

		for (const char *p = text; *p; p++)
			blanks += *p == ' ';
		if (blanks >= SENTENCE_BLANKS && strlen(text) > SENTENCE)
			return true;
	}
	return false;
}

/* What tables are asked for, by use, where that is not the order of their columns; the others go first. */
static const struct {
	const char *table, *columns[9];
} most_used[] = {
	{ "processes",
	  { "process", "pid", "name", "exit", "cpu_ns", "rss_peak_bytes", "threads_peak", "begin_ns", "end_ns" } },
	{ "threads", { "process", "tid", "name", "cpu_ns", "begin_ns", "end_ns", "creator_library" } },
	{ "exactness", { "numbers", "exactness", "text", "error", "unit" } },
	{ "traces", { "trace", "name", "duration_ns", "exit", "level", "events", "lost", "begin", "command" } },
	{ "breakdown", { "process", "function", "total_ns", "calls", "share", "mean_ns", "layer", "library",
			 "phase" } },
	{ "shares", { "function", "share", "total_ns", "calls", "trace", "layer", "framework", "mean_ns", "failed" } },
	{ "heap", { "process", "peak_bytes", "allocations", "frees", "allocated_bytes", "live_bytes",
		    "peak_error_bytes", "live_blocks" } },
	{ "phases", { "process", "phase", "duration_ns", "iterations", "cpu_cores", "cpu_ns", "share" } },
	{ "phase_functions", { "process", "phase", "function", "outer_ns", "calls", "share", "layer", "mean_ns" } },
	{ "phase_shares", { "phase", "function", "share", "outer_ns", "calls", "trace", "layer", "waiting_ns" } },
	{ "phase_libraries", { "phase", "library", "share", "self_ns", "calls", "layer", "trace", "waiting_ns" } },
	{ "runs", { "trace", "name", "total_ns", "failed", "iteration_ns", "cpu_ns", "rss_peak_bytes",
		    "heap_peak_bytes", "group" } },
	{ "checks", { "check", "result", "trace", "text", "off" } },
	{ "comparison", { "name", "quantity", "mean", "runs", "change", "p", "low", "high", "difference" } },
	{ "changes", { "name", "what", "difference_ns", "change", "before_ns", "after_ns", "p", "group" } },
	{ "communication", { "function", "communicator", "rank", "total_ns", "bytes", "calls", "bytes_per_second",
			     "share_of_wall", "process" } },
	{ "kernels", { "kernel", "launches", "total_ns", "mean_ns", "gpu_total_ns", "gpu_mean_ns", "process", "grid",
		       "block" } },
	{ "gpu_work", { "device", "name", "busy_share", "busy_ns", "kernels", "kernel_ns", "copies", "copy_ns",
			"process" } },
	{ "ranges", { "name", "count", "total_ns", "mean_ns", "share_of_wall", "process", "kind", "median_ns",
		      "max_ns" } },
	{ "scaling", { "name", "ranks", "speedup", "efficiency", "throughput", "iteration_ns", "communication",
		       "hosts", "job" } },
	{ "memory_stacks", { "process", "where", "peak_bytes", "live_bytes", "allocated_bytes", "memory", "function",
			     "allocations" } },
};

#define MOST_USED	(sizeof(most_used) / sizeof(most_used[0]))

/* When it goes, as grid_column has it. */
static int optional_of(const struct table *table, size_t column, bool sentences)
{
	const size_t most = sizeof(most_used[0].columns) / sizeof(most_used[0].columns[0]);
	size_t i = 0, k = 0;

	while (i < MOST_USED && strcmp(most_used[i].table, table->name))
		i++;
	if (i == MOST_USED)
		return sentences ? 0 : (int)column;
	while (k < most && most_used[i].columns[k] && strcmp(most_used[i].columns[k], table->columns[column].name))
		k++;
	if (k == most || !most_used[i].columns[k])
		return (int)(most + column);
	return sentences ? 0 : (int)k;
}

static void page_column(struct grid *g, const struct table *table, size_t i)
{
	enum unit unit = table->columns[i].unit;
	bool text = unit == UNIT_TEXT || unit == UNIT_TREE, sentences = is_sentences(table, i);

	grid_column(g, table->columns[i].title, sentences ? GRID_STRETCH | GRID_WRAP : text ? GRID_STRETCH : GRID_RIGHT,
		    optional_of(table, i, sentences));
}

/* More is there than the line holds. */
static void put_left_out(const struct text *t, struct grid *g)
{
	const char *const *titles = grid_left_out(g, 0);
	char *line;
	size_t size;
	FILE *f = text_open(&line, &size);

	for (size_t i = 0; titles[i]; i++)
		fprintf(f, "%s %s", i ? "," : "no room for", titles[i]);
	if (*titles)
		fputs(" (--width N, or -f csv)", f);
	if (*text_close(f, &line))
		text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, line);
	free(line);
}

int text_page(const struct text *t, const char *page)
{
	const struct table *table = report_table(t->r, page);
	bool *shown;
	struct grid *g;

	if (!strcmp(page, "series"))
		return page_series(t);
	if (!table)
		return -ENOENT;
	g = grid_new(t->o);
	shown = need(calloc(table->column_count + 1, sizeof(*shown)));
	for (size_t i = 0; i < table->column_count; i++) {
		shown[i] = !table->row_count || text_any(table, table->columns[i].name);
		if (shown[i])
			page_column(g, table, i);
	}
	for (size_t row = 0; row < table->row_count; row++) {
		grid_row(g);
		for (size_t i = 0; i < table->column_count; i++)
			if (shown[i])
				grid_cell(g, table_unit(table, row, i), &table->cells[row * table->column_count + i]);
	}
	grid_print(g, t->out, 0);
	put_left_out(t, g);
	grid_free(g);
	free(shown);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Sections of the text report: time by function, and by the library that called. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

/* ---- time by function ---- */

#define NESTED_SEEN 0.005	/* of a function's time: what is less does not show */

static const char *const group_columns[] = { "trace", "framework", "layer" };

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return !strcmp(cell_text(a), cell_text(b)) && cell_real(a) == cell_real(b);
}

static bool same_group(const struct table *s, size_t a, size_t b)
{
	for (size_t i = 0; i < sizeof(group_columns) / sizeof(group_columns[0]); i++)
		if (!same_cell(table_get(s, a, group_columns[i]), table_get(s, b, group_columns[i])))
			return false;
	return true;
}

/* What the layers of functions.tbl are called by people. */
const char *text_layer(const char *layer)
{
	static const struct { const char *layer, *title; } titles[] = {
		{ "runtime", "CUDA runtime" }, { "driver", "CUDA driver" }, { "gpu", "GPU" },
		{ "nccl", "NCCL" }, { "mpi", "MPI" }, { "gloo", "Gloo" }, { "network", "network sockets" },
		{ "blas", "BLAS" }, { "dnn", "oneDNN" }, { "openmp", "OpenMP" }, { "opencl", "OpenCL" },
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i].layer, layer))
			return titles[i].title;
	return layer;
}

/* Are there calls inside of others? Their time is the outer ones', and not in the total. */
static bool any_nested(const struct table *s, size_t begin, size_t end)
{
	for (size_t row = begin; row < end; row++)
		if (cell_real(table_get(s, row, "calls")) * cell_real(table_get(s, row, "mean_ns")) >
		    cell_real(table_get(s, row, "total_ns")) * (1 + NESTED_SEEN))
			return true;
	return false;
}

static void group_heading(const struct text *t, const struct table *s, size_t row, double total)
{
	const char *framework = cell_text(table_get(s, row, "framework"));
	const char *layer = text_layer(cell_text(table_get(s, row, "layer")));
	char *title = NULL, *remark = NULL;
	char buf[FORMAT_SIZE];
	int n;

	n = asprintf(&title, "Time in %s%s%s%s", *layer ? layer : "calls", *framework ? " (" : "",
		     framework, *framework ? ")" : "");
	if (n >= 0 && text_several(t))
		n = asprintf(&remark, "trace %.0f%s%s", cell_real(table_get(s, row, "trace")),
			     text_dot(t), format_ns(buf, total, t->o->unicode));
	else if (n >= 0)
		n = asprintf(&remark, "%s %s", format_ns(buf, total, t->o->unicode),
			     strcmp(cell_text(table_get(s, row, "layer")), "gpu") ?
			     "in all threads" : "on all streams, side by side too");
	if (n >= 0)
		text_heading(t, title, remark);
	free(title);
	free(remark);
}

static const struct {
	const char *column, *title;
	enum unit unit;
	int optional;
	bool if_any;		/* only where a row of the group has some */
} share_numbers[] = {
	{ "share", "share", UNIT_FRACTION, 0, false },
	{ "calls", "calls", UNIT_COUNT, 0, false },
	{ "total_ns", "total", UNIT_NS, 0, false },
	{ "mean_ns", "mean", UNIT_NS, 2, false },
	{ "p99_ns", "p99", UNIT_NS, 3, false },
	{ "bytes", "bytes", UNIT_BYTES, 5, true },
	{ "failed", "failed", UNIT_COUNT, 4, true },
};

#define SHARE_NUMBERS (sizeof(share_numbers) / sizeof(share_numbers[0]))

static double largest_of(const struct table *s, size_t begin, size_t end, const char *column)
{
	double largest = 0;

	for (size_t row = begin; row < end; row++)
		largest = fmax(largest, cell_real(table_get(s, row, column)));
	return largest;
}

static void put_shares(const struct text *t, const struct table *s, size_t begin, size_t end, bool nested)
{
	bool kernels = !strcmp(cell_text(table_get(s, begin, "layer")), "gpu");
	/* Kernels' names are long. */
	int bar = kernels ? 10 : t->o->width >= 120 ? 32 : t->o->width >= 100 ? 24 : 10;
	double largest = largest_of(s, begin, end, "share");
	struct grid *g = grid_new(t->o);
	bool shown[SHARE_NUMBERS];

	grid_column(g, "function", GRID_STRETCH | GRID_MIDDLE | GRID_NAME, 0);
	grid_column(g, "", 0, 1);
	for (size_t i = 0; i < SHARE_NUMBERS; i++) {
		shown[i] = !share_numbers[i].if_any ||
			   largest_of(s, begin, end, share_numbers[i].column) > 0;
		if (shown[i])
			grid_column(g, nested && !strcmp(share_numbers[i].column, "total_ns") ? "outermost" :
				    share_numbers[i].title, GRID_RIGHT, share_numbers[i].optional);
	}
	for (size_t row = begin; row < end; row++) {
		const char *function = cell_text(table_get(s, row, "function"));
		enum style style = strcmp(function, "other") ? STYLE_PLAIN : STYLE_DIM;
		double share = cell_real(table_get(s, row, "share"));

		grid_row(g);
		if (kernels)
			text_kernel_name(t, g, function, style);
		else
			grid_text(g, function, style);
		grid_bar(g, largest > 0 ? share / largest : 0, bar, STYLE_BAR);
		for (size_t i = 0; i < SHARE_NUMBERS; i++)
			if (shown[i])
				grid_cell(g, share_numbers[i].unit,
					  table_get(s, row, share_numbers[i].column));
	}
	grid_print(g, t->out, 2);
	grid_free(g);
}

static size_t put_share_group(const struct text *t, const struct table *s, size_t begin)
{
	double total = 0;
	size_t end = begin;
	bool nested;

	for (; end < s->row_count && same_group(s, begin, end); end++)
		total += cell_real(table_get(s, end, "total_ns"));
	nested = any_nested(s, begin, end);
	group_heading(t, s, begin, total);
	put_shares(t, s, begin, end, nested);
	if (nested) {
		fputs("  ", t->out);
		text_wrapped(t, "outermost: without calls that ran inside of others; calls and mean are of all", 2);
	}
	return end;
}

void text_functions(const struct text *t)
{
	const struct table *s = report_table(t->r, "shares");

	for (size_t row = 0; row < text_rows(s); )
		row = put_share_group(t, s, row);
}

/* ---- time by layer and library: self time, so that nothing is counted twice ---- */

struct part {
	const char *layer, *library;	/* borrowed from the table */
	double trace, self, calls, share;
};

static int by_self(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->trace != y->trace)
		return (x->trace > y->trace) - (x->trace < y->trace);
	return (x->self < y->self) - (x->self > y->self);
}

static struct part *sum_parts(const struct text *t, const struct table *b, size_t *count)
{
	struct part *parts = need(calloc(b->row_count + 1, sizeof(*parts)));

	*count = 0;
	for (size_t row = 0; row < b->row_count; row++) {
		const char *layer = cell_text(table_get(b, row, "layer"));
		const char *library = text_base_name(cell_text(table_get(b, row, "library")));
		double trace = text_trace(t->r, table_get(b, row, "process"));
		size_t i = 0;

		/* The GPU's own time runs beside the calls, whoever asked for it. */
		if (!strcmp(layer, "gpu"))
			continue;
		while (i < *count && (parts[i].trace != trace || strcmp(parts[i].layer, layer) ||
				      strcmp(parts[i].library, library)))
			i++;
		if (i == *count)
			parts[(*count)++] = (struct part){ layer, library, trace, 0, 0, 0 };
		parts[i].self += cell_real(table_get(b, row, "self_ns"));
		parts[i].calls += cell_real(table_get(b, row, "calls"));
	}
	return parts;
}

/* Of all of the trace's. */
static void set_shares(struct part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double total = 0;

		for (size_t k = 0; k < count; k++)
			total += parts[k].trace == parts[i].trace ? parts[k].self : 0;
		parts[i].share = total > 0 ? parts[i].self / total : 0;
	}
}

#define PARTS_SHOWN 10

static void put_library(const struct text *t, struct grid *g, const struct part *part)
{
	grid_row(g);
	text_trace_cell(t, g, part->trace);
	grid_text(g, *part->library ? part->library : "(unknown)", STYLE_PLAIN);
	grid_text(g, text_layer(part->layer), STYLE_PLAIN);
	grid_number(g, UNIT_FRACTION, part->share);
	grid_number(g, UNIT_COUNT, part->calls);
	grid_number(g, UNIT_NS, part->self);
}

void text_libraries(const struct text *t)
{
	const struct table *b = report_table(t->r, "breakdown");
	size_t count, shown = 0, of_trace = 0, most = text_several(t) ? TEXT_ROWS_OF_TRACE : PARTS_SHOWN;
	struct part *parts;
	struct grid *g;

	if (!text_rows(b))
		return;
	parts = sum_parts(t, b, &count);
	set_shares(parts, count);
	qsort(parts, count, sizeof(*parts), by_self);
	g = grid_new(t->o);
	text_trace_column(t, g);
	grid_column(g, "library", GRID_STRETCH | GRID_MIDDLE, 0);
	grid_column(g, "layer", GRID_STRETCH, 0);
	grid_column(g, "share", GRID_RIGHT, 0);
	grid_column(g, "calls", GRID_RIGHT, 1);
	grid_column(g, "time", GRID_RIGHT, 0);
	for (size_t i = 0; i < count; i++) {
		of_trace = i && parts[i].trace == parts[i - 1].trace ? of_trace + 1 : 0;
		if (of_trace >= most || parts[i].self <= 0)
			continue;
		put_library(t, g, &parts[i]);
		shown++;
	}
	if (shown) {
		text_heading(t, "Time by calling library", "nested calls counted once, where they ran");
		grid_print(g, t->out, 2);
	}
	grid_free(g);
	free(parts);
}

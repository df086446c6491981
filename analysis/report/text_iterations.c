/* SPDX-License-Identifier: MIT */
/* The text report's section on iterations: how many, how long, the phases, the slow ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/text.h"

#define PROCESSES_SHOWN	8
#define EPOCHS_SHOWN	8
#define SLOW_SHOWN	5
#define TRACES_DETAILED	4

static const struct text_column shown_columns[] = {
	{ "count", "iterations", UNIT_COUNT, 0 },
	{ "epoch_count", "epochs", UNIT_COUNT, 0 },
	{ "evaluations", "evaluated", UNIT_COUNT, 5 },
	{ "median_ns", "median", UNIT_NS, 0 },
	{ "mean_ns", "mean", UNIT_NS, 4 },
	{ "stddev_ns", "deviation", UNIT_NS, 6 },
	{ "p95_ns", "p95", UNIT_NS, 2 },
	{ "max_ns", "longest", UNIT_NS, 1 },
	{ "warm_up", "warm-up", UNIT_COUNT, 3 },
	{ "slow", "slow", UNIT_COUNT, 3 },
	{ "confidence", "sure", UNIT_FRACTION, 7 },
};

#define COLUMN_COUNT (sizeof(shown_columns) / sizeof(shown_columns[0]))

static bool is_found(const struct table *it, size_t row)
{
	return table_get(it, row, "count")->type != CELL_NULL;
}

/* What told all of them, by its name in the table; NULL: rows differ, or nothing was found. */
static const char *told_by(const struct table *it, bool *differ)
{
	const char *how = NULL;

	*differ = false;
	for (size_t row = 0; row < it->row_count; row++) {
		const char *one = cell_text(table_get(it, row, "how"));

		if (!is_found(it, row))
			continue;
		*differ |= how && strcmp(how, one);
		how = one;
	}
	return *differ ? NULL : how;
}

/* In words, below the title; NULL: the column says it, or there is nothing to say. */
static const char *told_words(const char *how)
{
	static const struct { const char *how, *words; } tellers[] = {
		{ "marks", "as marked by the program" }, { "ranges", "by the ranges that the program names" },
		{ "calls", "by the order of its calls" },
	};

	for (size_t i = 0; how && i < sizeof(tellers) / sizeof(tellers[0]); i++)
		if (!strcmp(tellers[i].how, how))
			return tellers[i].words;
	return NULL;
}

static void put_table(const struct text *t, const struct table *it, bool differ)
{
	struct grid *g = grid_new(t->o);
	size_t shown = 0, found = 0;

	grid_column(g, "process", GRID_STRETCH | GRID_DISTINCT, 0);
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		grid_column(g, shown_columns[i].title, GRID_RIGHT, shown_columns[i].optional);
	if (differ)
		grid_column(g, "told by", 0, 0);
	for (size_t row = 0; row < it->row_count; row++) {
		if (!is_found(it, row) || found++ >= PROCESSES_SHOWN)
			continue;
		shown++;
		grid_row(g);
		text_process_name(t, g, table_get(it, row, "process"));
		for (size_t i = 0; i < COLUMN_COUNT; i++)
			grid_cell(g, shown_columns[i].unit, table_get(it, row, shown_columns[i].column));
		if (differ)
			grid_cell(g, UNIT_TEXT, table_get(it, row, "how"));
	}
	if (shown)
		grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, found, shown, "iterations");
}

static bool same_process(const struct cell *a, const struct cell *b)
{
	return cell_uint(a) == cell_uint(b);
}

static const struct text_column phase_columns[] = {
	{ "duration_ns", "lasted", UNIT_NS, 0 },
	{ "share", "of its life", UNIT_FRACTION, 0 },
	{ "cpu_cores", "cores", UNIT_REAL, 0 },
	{ "heap_calls", "allocations", UNIT_COUNT, 0 },
	{ "heap_share", "of all", UNIT_FRACTION, 2 },
	{ "heap_bytes", "allocated", UNIT_BYTES, 6 },
	{ "heap_peak_bytes", "heap peak", UNIT_BYTES, 5 },
	{ "threads", "threads", UNIT_COUNT, 3 },
	{ "children", "children", UNIT_COUNT, 3 },
	{ "gpu_calls", "GPU events", UNIT_COUNT, 4 },
	{ "gpu_runs", "GPU work", UNIT_COUNT, 5 },
	{ "gpu_peak_bytes", "GPU memory", UNIT_BYTES, 5 },
	{ "compute_calls", "compute events", UNIT_COUNT, 4 },
};

#define PHASE_COLUMNS (sizeof(phase_columns) / sizeof(phase_columns[0]))

/* Did it any of that? A column of zeros tells nobody anything. */
static bool any_of(const struct table *phases, const struct cell *process, const char *column)
{
	for (size_t row = 0; row < text_rows(phases); row++)
		if (same_process(table_get(phases, row, "process"), process) &&
		    cell_real(table_get(phases, row, column)) > 0)
			return true;
	return false;
}

/* What they did is counted by slices of time and between readings: of phases that are shorter it is a guess. */
static void say_borders(const struct text *t, double shortest, double border)
{
	char slice[32], text[120];

	if (shortest >= border)
		return;
	snprintf(text, sizeof(text), "what was done within %s of a border may be counted on its other side",
		 format_ns(slice, border, t->o->unicode));
	fputs("  ", t->out);
	text_wrapped(t, text, 2);
}

/* Columns that count the calls that are events, by whose these are. */
static const struct event_column {
	const char *column, *title, *whose, *layers[3];
} event_columns[] = {
	{ "gpu_calls", "GPU events", "CUDA and OpenCL", { "runtime", "driver", "opencl" } },
	{ "compute_calls", "compute events", "BLAS, DNN and OpenMP", { "blas", "dnn", "openmp" } },
};

static double calls_of(const struct text *t, const struct cell *process, const struct event_column *c)
{
	const struct table *calls = report_table(t->r, "breakdown");
	double all = 0;

	for (size_t row = 0; row < text_rows(calls); row++)
		for (size_t i = 0; i < sizeof(c->layers) / sizeof(c->layers[0]); i++)
			if (same_process(table_get(calls, row, "process"), process) &&
			    !strcmp(cell_text(table_get(calls, row, "layer")), c->layers[i]))
				all += cell_real(table_get(calls, row, "calls"));
	return all;
}

static double events_of(const struct text *t, const struct cell *process, const struct event_column *c)
{
	const struct table *phases = report_table(t->r, "phases");
	double events = 0;

	for (size_t row = 0; row < text_rows(phases); row++)
		if (same_process(table_get(phases, row, "process"), process))
			events += cell_real(table_get(phases, row, c->column));
	return events;
}

static bool is_left_out(struct grid *g, const char *title)
{
	const char *const *titles = grid_left_out(g, 2);

	while (*titles && strcmp(*titles, title))
		titles++;
	return *titles;
}

/* Sums by function are of all calls, those by phase are not. */
static void say_events(const struct text *t, const struct cell *process, struct grid *g)
{
	for (size_t i = 0; i < sizeof(event_columns) / sizeof(event_columns[0]); i++) {
		const struct event_column *c = &event_columns[i];
		double events = events_of(t, process, c), all = calls_of(t, process, c);
		char noted[FORMAT_SIZE], counted[FORMAT_SIZE], text[200];

		if (events <= 0 || events >= all || is_left_out(g, c->title))
			continue;
		snprintf(text, sizeof(text), "%s are the calls of %s that were noted one by one: %s of %s", c->title,
			 c->whose, format_whole(noted, events), format_whole(counted, all));
		fputs("  ", t->out);
		text_wrapped(t, text, 2);
	}
}

/* Two decimals, so that those below each other compare. */
static void put_cores(struct grid *g, const struct cell *cores)
{
	double value = cell_real(cores);
	char text[32];

	if (cores->type == CELL_NULL) {
		grid_cell(g, UNIT_REAL, cores);
		return;
	}
	snprintf(text, sizeof(text), "%.2f", value);
	grid_text(g, value > 0 && value < 0.005 ? "<0.01" : text, STYLE_PLAIN);
}

/* What was done in each phase: most of the heap's traffic is of the start-up. */
static void put_phases(const struct text *t, const struct cell *process)
{
	const struct table *phases = report_table(t->r, "phases");
	struct grid *g = grid_new(t->o);
	bool some[PHASE_COLUMNS];
	double shortest = INFINITY, border = 0;
	size_t shown = 0;

	grid_column(g, "phase", 0, 0);
	for (size_t i = 0; i < PHASE_COLUMNS; i++) {
		some[i] = !phase_columns[i].optional || any_of(phases, process, phase_columns[i].column);
		if (some[i])
			grid_column(g, phase_columns[i].title, GRID_RIGHT, phase_columns[i].optional);
	}
	for (size_t row = 0; row < text_rows(phases); row++) {
		if (!same_process(table_get(phases, row, "process"), process))
			continue;
		shown++;
		shortest = fmin(shortest, cell_real(table_get(phases, row, "duration_ns")));
		border = fmax(border, cell_real(table_get(phases, row, "border_ns")));
		grid_row(g);
		grid_cell(g, UNIT_TEXT, table_get(phases, row, "phase"));
		for (size_t i = 0; i < PHASE_COLUMNS; i++)
			if (some[i] && phase_columns[i].unit == UNIT_REAL)
				put_cores(g, table_get(phases, row, phase_columns[i].column));
			else if (some[i])
				grid_cell(g, phase_columns[i].unit, table_get(phases, row, phase_columns[i].column));
	}
	if (shown) {
		grid_print(g, t->out, 2);
		say_borders(t, shortest, border);
		say_events(t, process, g);
	}
	grid_free(g);
}

static void put_epochs(const struct text *t, const struct cell *process)
{
	const struct table *epochs = report_table(t->r, "epochs");
	struct grid *g = grid_new(t->o);
	size_t count = 0;

	grid_column(g, "epoch", GRID_RIGHT, 0);
	grid_column(g, "from", GRID_RIGHT, 0);
	grid_column(g, "lasted", GRID_RIGHT, 0);
	grid_column(g, "iterations", GRID_RIGHT, 0);
	grid_column(g, "evaluated", GRID_RIGHT, 2);
	grid_column(g, "median", GRID_RIGHT, 1);
	for (size_t row = 0; row < text_rows(epochs); row++) {
		const struct cell *begin = table_get(epochs, row, "begin_ns");

		if (!same_process(table_get(epochs, row, "process"), process) ||
		    count++ >= EPOCHS_SHOWN)
			continue;
		grid_row(g);
		grid_cell(g, UNIT_ID, table_get(epochs, row, "epoch"));
		grid_cell(g, UNIT_TIME, begin);
		grid_number(g, UNIT_NS,
			    cell_real(table_get(epochs, row, "end_ns")) - cell_real(begin));
		grid_cell(g, UNIT_COUNT, table_get(epochs, row, "iterations"));
		grid_cell(g, UNIT_COUNT, table_get(epochs, row, "evaluations"));
		grid_cell(g, UNIT_NS, table_get(epochs, row, "median_ns"));
	}
	if (count)
		grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, count, count < EPOCHS_SHOWN ? count : EPOCHS_SHOWN, "epochs");
}

/* "slow: iteration 17 at 12.3 s: 340 ms, 250 ms more: ..." */
static void put_slow(const struct text *t, const struct cell *process)
{
	const struct table *slow = report_table(t->r, "slow_iterations");
	size_t count = 0;

	for (size_t row = 0; row < text_rows(slow); row++) {
		char at[FORMAT_SIZE], time[FORMAT_SIZE], extra[FORMAT_SIZE], *line = NULL;
		const char *why = cell_text(table_get(slow, row, "why"));

		if (!same_process(table_get(slow, row, "process"), process) ||
		    count++ >= SLOW_SHOWN)
			continue;
		if (asprintf(&line, "iteration %llu at %s took %s, %s more than the median%s%s",
			     (unsigned long long)cell_uint(table_get(slow, row, "iteration")),
			     format_cell(at, UNIT_TIME, table_get(slow, row, "begin_ns"), t->o->unicode),
			     format_cell(time, UNIT_NS, table_get(slow, row, "duration_ns"), t->o->unicode),
			     format_cell(extra, UNIT_NS, table_get(slow, row, "extra_ns"), t->o->unicode),
			     *why ? ": " : "", why) < 0)
			continue;
		text_item(t, "!", STYLE_WARNING, line);
		free(line);
	}
	text_more(t, count, count < SLOW_SHOWN ? count : SLOW_SHOWN, "slow_iterations");
}

/* What the lines below are about, where several traces were read. */
static void put_whose(const struct text *t, const struct cell *process)
{
	const struct table *traces = report_table(t->r, "traces");
	struct grid *g = grid_new(t->o);
	char *of = NULL;

	grid_column(g, "", 0, 0);
	grid_column(g, "", GRID_STRETCH | GRID_MIDDLE, 0);
	grid_row(g);
	text_process_name(t, g, process);
	if (asprintf(&of, "of trace %.0f: %s", text_trace(t->r, process),
		     cell_text(table_get(traces, (size_t)text_trace(t->r, process), "name"))) < 0)
		of = NULL;
	grid_text(g, of, STYLE_DIM);
	if (text_rows(traces) > 1)
		grid_print(g, t->out, 2);
	grid_free(g);
	free(of);
}

/* Has none of the rows before told of this trace in full? One process does: the others of a training do the same. */
static bool is_first_of_trace(const struct text *t, const struct table *it, size_t row)
{
	double trace = text_trace(t->r, table_get(it, row, "process"));

	for (size_t i = 0; i < row; i++)
		if (text_trace(t->r, table_get(it, i, "process")) == trace &&
		    (is_found(it, i) || table_get(it, i, "epoch_count")->type != CELL_NULL))
			return false;
	return true;
}

/* Why there are none, nor epochs; of several processes, that there are none. False: there are some. */
static bool put_none(const struct text *t, const struct table *it)
{
	char buf[FORMAT_SIZE], none[FORMAT_SIZE + 80];

	for (size_t row = 0; row < it->row_count; row++)
		if (is_found(it, row) || table_get(it, row, "epoch_count")->type != CELL_NULL)
			return false;
	snprintf(none, sizeof(none), "not found in any of %s processes (--table iterations says why)",
		 format_whole(buf, (double)it->row_count));
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM,
		  it->row_count == 1 ? cell_text(table_get(it, 0, "text")) : none);
	return true;
}

void text_iterations(const struct text *t)
{
	const struct table *it = report_table(t->r, "iterations");
	size_t detailed = 0;
	const char *how;
	bool differ;

	if (!text_rows(it))
		return;
	how = told_by(it, &differ);
	text_heading(t, "Iterations", told_words(how));
	if (put_none(t, it))
		return;
	put_table(t, it, differ);
	for (size_t row = 0; row < it->row_count; row++) {
		const struct cell *process = table_get(it, row, "process");

		if (!is_found(it, row)) {
			if (it->row_count == 1)
				text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM,
					  cell_text(table_get(it, row, "text")));
			if (table_get(it, row, "epoch_count")->type != CELL_NULL &&
			    is_first_of_trace(t, it, row) && detailed++ < TRACES_DETAILED) {
				put_whose(t, process);
				put_phases(t, process);
				put_epochs(t, process);
			}
			continue;
		}
		if (!is_first_of_trace(t, it, row) || detailed++ >= TRACES_DETAILED)
			continue;
		put_whose(t, process);
		put_phases(t, process);
		put_epochs(t, process);
		put_slow(t, process);
	}
}

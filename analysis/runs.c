/* SPDX-License-Identifier: MIT */
/* The table `runs`: what each job that could be read is a run of, and the quantities by which it is compared. */
#include <math.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/comparison.h"

static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace; of a job with several, the first one" },
	{ "traces", "traces", UNIT_COUNT, "how many the job has: hosts, or ranks" },
	{ "group", "group", UNIT_ID, "runs with the same number are repetitions of each other" },
	{ "name", "group's name", UNIT_TEXT, "what tells the group from the others" },
	{ "baseline", "baseline", UNIT_ID, "1: what others are compared with" },
	{ "failed", "failed", UNIT_ID, "1: it ended badly, so its times do not count" },
	{ "program", "program", UNIT_TEXT, "the script, else the program" },
	{ "framework", "framework", UNIT_TEXT, "layers on top and the engine, with their versions" },
	{ "model", "model", UNIT_TEXT, "label, or an option of the command line" },
	{ "dataset", "dataset", UNIT_TEXT, "the same" },
	{ "batch", "batch", UNIT_TEXT, "examples a step, the same" },
	{ "mode", "mode", UNIT_TEXT, "SGD: one example a step; else mini-batch and its size" },
	{ "device", "device", UNIT_TEXT, "the same; not said: whether it launched anything on a GPU" },
	{ "labels", "other labels", UNIT_TREE, "all others" },
	{ "total_ns", "total", UNIT_NS, "from the first event to the last" },
	{ "epoch_ns", "epoch", UNIT_NS, "mean duration of an epoch" },
	{ "iteration_ns", "iteration", UNIT_NS, "median duration of an iteration" },
	{ "cpu_ns", "CPU", UNIT_NS, "user and system time of all processes" },
	{ "rss_peak_bytes", "memory peak", UNIT_BYTES, "anonymous and shared, of the run" },
	{ "heap_peak_bytes", "heap peak", UNIT_BYTES,
	  "largest live heap of the run: the sum at readings, or one process's own peak" },
	{ "gpu_peak_bytes", "GPU peak", UNIT_BYTES, "most GPU memory reserved by the run" },
	{ "threads_peak", "threads", UNIT_COUNT, "most at once" },
	{ "failures", "failures", UNIT_COUNT, "rows of the table failures" },
	{ "lost", "lost", UNIT_COUNT, "events that were emitted and not read" },
};

static const char *const label_columns[] = { "program", "framework", "model", "dataset", "batch", "device" };

#define LABEL_COLUMNS (sizeof(label_columns) / sizeof(*label_columns))

static bool has_column(const char *key)
{
	for (size_t i = 0; i < LABEL_COLUMNS; i++)
		if (!strcmp(label_columns[i], key))
			return true;
	return false;
}

static void set_labels(struct table *t, const struct labels *l)
{
	json_t *others = json_object();
	char mode[256];

	for (size_t i = 0; i < LABEL_COLUMNS; i++)
		set_text(t, label_columns[i], label_value(l, label_columns[i]));
	table_set_text(t, "mode", label_mode(l, mode, sizeof(mode)));
	for (size_t i = 0; i < l->count; i++)
		if (!has_column(l->items[i].key) && *l->items[i].value)
			json_object_set_new(others, l->items[i].key, json_string(l->items[i].value));
	table_set_tree(t, "labels", others);
}

static void set_facts(struct table *t, const struct facts *f, size_t trace)
{
	static const struct { const char *what, *column; } shown[] = {
		{ "total", "total_ns" }, { "epoch", "epoch_ns" }, { "iteration", "iteration_ns" },
		{ "cpu", "cpu_ns" }, { "rss_peak", "rss_peak_bytes" }, { "heap_peak", "heap_peak_bytes" },
		{ "gpu_peak", "gpu_peak_bytes" }, { "threads_peak", "threads_peak" },
		{ "failures", "failures" }, { "lost", "lost" },
	};

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		const struct fact_kind *kind = fact_kind(shown[i].what, strlen(shown[i].what));
		double value = facts_sum(f, kind, "", trace);

		if (!isnan(value))
			table_set_real(t, shown[i].column, value);
	}
}

void add_runs_table(struct report *r, const struct groups *g, const struct facts *f)
{
	struct table *t = report_add_table(r, "runs", "Runs", COLUMNS(columns));

	for (size_t i = 0; i < g->run_count; i++) {
		const struct run *run = &g->runs[i];

		table_add_row(t);
		table_set_uint(t, "trace", run->trace->index);
		table_set_uint(t, "traces", run->traces);
		table_set_uint(t, "group", run->group);
		table_set_text(t, "name", g->list[run->group].name);
		table_set_uint(t, "baseline", g->list[run->group].baseline);
		table_set_uint(t, "failed", run->failed);
		set_labels(t, &run->labels);
		set_facts(t, f, run->trace->index);
	}
}

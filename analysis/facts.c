/* SPDX-License-Identifier: MIT */
/* Comparable quantities of each trace, from the tables that other analyses made. */
#include "analysis/facts.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/report/peaks.h"

const struct fact_kind fact_kinds[] = {
	{ "total", UNIT_NS, false, true, "from the first event to the last; of several hosts the longest" },
	{ "epoch", UNIT_NS, false, true, "mean duration of an epoch" },
	{ "iteration", UNIT_NS, false, true, "median duration of an iteration" },
	{ "cpu", UNIT_NS, false, true, "user and system time of all processes" },
	{ "rss_peak", UNIT_BYTES, false, true, "largest memory of the run: anonymous and shared" },
	{ "heap_peak", UNIT_BYTES, false, true,
	  "largest live heap of the run: the sum at readings, or one process's own peak" },
	{ "gpu_peak", UNIT_BYTES, false, true, "most GPU memory reserved by the run" },
	{ "threads_peak", UNIT_COUNT, false, true, "most threads at once" },
	{ "failures", UNIT_COUNT, false, true, "rows of the table failures" },
	{ "lost", UNIT_COUNT, false, true, "events that were emitted and not read" },
	{ "events", UNIT_COUNT, false, false, "events that were read" },
	{ "kind", UNIT_NS, true, true, "time in calls of a kind: allocate, copy, launch, ..." },
	{ "share", UNIT_FRACTION, true, true, "the part of a kind in the time of all calls" },
	{ "gpu", UNIT_NS, true, true, "time on the GPU by kind" },
	{ "phase", UNIT_NS, true, false, "time in a phase, of the process with the longest" },
	{ "layer", UNIT_NS, true, false, "time in calls of a layer" },
	{ "library", UNIT_NS, true, false, "time in calls that a library made" },
	{ "function", UNIT_NS, true, false, "time of all calls of a function, others in them included" },
	{ "calls", UNIT_COUNT, true, false, "how often a function was called" },
};
const size_t fact_kind_count = sizeof(fact_kinds) / sizeof(*fact_kinds);

const struct fact_kind *fact_kind(const char *what, size_t length)
{
	for (size_t i = 0; i < fact_kind_count; i++)
		if (strlen(fact_kinds[i].what) == length && !strncmp(fact_kinds[i].what, what, length))
			return &fact_kinds[i];
	return NULL;
}

const char *fact_unit(enum unit unit)
{
	return unit == UNIT_NS ? "ns" : unit == UNIT_BYTES ? "bytes" :
	       unit == UNIT_FRACTION ? "fraction" : "count";
}

/* ---- collecting ---- */

/* The tables that name processes, seen by trace. */
struct view {
	const struct report *r;
	size_t traces;
	size_t *first;		/* owned; by trace: the first one of its job */
	size_t *trace_of;	/* owned; by process id, the same; `traces`: none */
	size_t processes;
};

/* The rows of `traces` say whose job they are. */
static size_t *first_traces(const struct table *t, size_t traces)
{
	size_t *first = xcalloc(traces + 1, sizeof(*first));

	for (size_t i = 0; i < traces; i++)
		while (first[i] < i && cell_uint(table_get(t, first[i], "job")) !=
					       cell_uint(table_get(t, i, "job")))
			first[i]++;
	return first;
}

static void view_init(struct view *v, const struct report *r)
{
	const struct table *p = report_table(r, "processes"), *t = report_table(r, "traces");

	*v = (struct view){ .r = r, .traces = t ? t->row_count : 0 };
	v->first = first_traces(t, v->traces);
	for (size_t i = 0; p && i < p->row_count; i++) {
		size_t id = (size_t)cell_uint(table_get(p, i, "process"));

		v->processes = id + 1 > v->processes ? id + 1 : v->processes;
	}
	v->trace_of = xcalloc(v->processes + 1, sizeof(*v->trace_of));
	for (size_t i = 0; i < v->processes; i++)
		v->trace_of[i] = v->traces;
	for (size_t i = 0; p && i < p->row_count; i++)
		v->trace_of[cell_uint(table_get(p, i, "process"))] =
			v->first[cell_uint(table_get(p, i, "trace"))];
}

static size_t trace_of(const struct view *v, const struct cell *process)
{
	uint64_t id = cell_uint(process);

	return process->type != CELL_NULL && id < v->processes ? v->trace_of[id] : v->traces;
}

static struct fact *fact_for(struct facts *f, const char *what, const char *name, double missing)
{
	const struct fact_kind *kind = fact_kind(what, strlen(what));
	struct fact *fact;

	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->items[i].what, what) && !strcmp(f->items[i].name, name))
			return &f->items[i];
	f->items = xgrow(f->items, f->count, &f->capacity, sizeof(*f->items));
	fact = &f->items[f->count++];
	*fact = (struct fact){
		.what = kind->what, .name = xcheck(strdup(name), strlen(name) + 1), .unit = kind->unit,
		.values = xcalloc(f->traces + 1, sizeof(*fact->values)),
	};
	for (size_t i = 0; i < f->traces; i++)
		fact->values[i] = missing;
	return fact;
}

static void put(struct facts *f, const char *what, size_t trace, const struct cell *c)
{
	struct fact *fact = fact_for(f, what, "", NAN);

	if (trace < f->traces && c->type != CELL_NULL)
		fact->values[trace] = cell_real(c);
}

/* A sum in which nothing known is nothing. */
static void add(struct facts *f, const char *what, const char *name, size_t trace, double value)
{
	if (trace < f->traces)
		fact_for(f, what, name, 0)->values[trace] += value;
}

static void add_longest(struct facts *f, const char *what, const char *name, size_t trace, double value)
{
	double *known = trace < f->traces ? &fact_for(f, what, name, 0)->values[trace] : NULL;

	if (known && value > *known)
		*known = value;
}

static void add_known(struct facts *f, const char *what, size_t trace, const struct cell *c)
{
	struct fact *fact = fact_for(f, what, "", NAN);

	if (trace < f->traces && c->type != CELL_NULL)
		fact->values[trace] = (isnan(fact->values[trace]) ? 0 : fact->values[trace]) +
				      cell_real(c);
}

static void put_longest(struct facts *f, const char *what, size_t trace, const struct cell *c)
{
	double known = trace < f->traces ? fact_for(f, what, "", NAN)->values[trace] : NAN;

	if (isnan(known) || cell_real(c) > known)
		put(f, what, trace, c);
}

static void from_traces(struct facts *f, const struct view *v)
{
	const struct table *t = report_table(v->r, "traces");

	for (size_t i = 0; i < v->traces; i++) {
		put_longest(f, "total", v->first[i], table_get(t, i, "duration_ns"));
		add_known(f, "lost", v->first[i], table_get(t, i, "lost"));
		add_known(f, "events", v->first[i], table_get(t, i, "events"));
	}
}

/* Of the process that iterates longest: workers and ranks run beside it. */
static void from_iterations(struct facts *f, const struct view *v)
{
	const struct table *t = report_table(v->r, "iterations");
	double *longest = xcalloc(v->traces + 1, sizeof(*longest));

	for (size_t i = 0; t && i < t->row_count; i++) {
		size_t trace = trace_of(v, table_get(t, i, "process"));
		const struct cell *median = table_get(t, i, "median_ns");
		double whole = cell_real(median) * cell_real(table_get(t, i, "count"));

		if (whole <= longest[trace])
			continue;
		longest[trace] = whole;
		put(f, "iteration", trace, median);
	}
	free(longest);
}

/* Mean over the epochs of all processes that have some: ranks have as many, of the same length. */
static void from_epochs(struct facts *f, const struct view *v)
{
	const struct table *t = report_table(v->r, "epochs");
	double *sum = xcalloc(2 * (v->traces + 1), sizeof(*sum)), *count = sum + v->traces + 1;

	for (size_t i = 0; t && i < t->row_count; i++) {
		size_t trace = trace_of(v, table_get(t, i, "process"));
		const struct cell *begin = table_get(t, i, "begin_ns"), *end = table_get(t, i, "end_ns");

		if (begin->type == CELL_NULL || end->type == CELL_NULL)
			continue;
		sum[trace] += cell_real(end) - cell_real(begin);
		count[trace]++;
	}
	for (size_t i = 0; i < v->traces; i++) {
		struct cell mean = { .type = CELL_REAL, .r = sum[i] / count[i] };

		if (count[i] > 0)
			put(f, "epoch", i, &mean);
	}
	free(sum);
}

static void from_processes(struct facts *f, const struct view *v)
{
	const struct table *t = report_table(v->r, "processes");

	for (size_t i = 0; t && i < t->row_count; i++)
		add_known(f, "cpu", trace_of(v, table_get(t, i, "process")), table_get(t, i, "cpu_ns"));
}

static void from_peaks(struct facts *f, const struct view *v)
{
	static const struct { const char *what; enum peak_kind kind; } peaks[] = {
		{ "rss_peak", PEAK_MEMORY }, { "heap_peak", PEAK_HEAP }, { "gpu_peak", PEAK_GPU },
		{ "threads_peak", PEAK_THREADS },
	};

	for (size_t k = 0; k < sizeof(peaks) / sizeof(*peaks); k++) {
		double *by_trace = report_peaks(v->r, peaks[k].kind);

		for (size_t i = 0; i < v->traces; i++) {
			const struct cell peak = { .type = CELL_REAL, .r = by_trace[i] };

			if (!isnan(by_trace[i]))
				add_known(f, peaks[k].what, v->first[i], &peak);
		}
		free(by_trace);
	}
}

static void from_failures(struct facts *f, const struct view *v)
{
	const struct table *t = report_table(v->r, "failures");

	for (size_t i = 0; i < v->traces; i++)
		add(f, "failures", "", i, 0);
	for (size_t i = 0; t && i < t->row_count; i++)
		add(f, "failures", "", trace_of(v, table_get(t, i, "process")), 1);
}

/* Of a trace in which no phases were found it is not known how long any was. */
static void forget_phases(struct facts *f, const bool *found)
{
	for (size_t i = 0; i < f->count; i++)
		for (size_t trace = 0; !strcmp(f->items[i].what, "phase") && trace < f->traces; trace++)
			if (!found[trace])
				f->items[i].values[trace] = NAN;
}

/* Ranks are in a phase side by side. */
static void from_phases(struct facts *f, const struct view *v)
{
	const struct table *t = report_table(v->r, "phases");
	bool *found = xcalloc(v->traces + 1, sizeof(*found));

	for (size_t i = 0; t && i < t->row_count; i++) {
		const struct cell *begin = table_get(t, i, "begin_ns"), *end = table_get(t, i, "end_ns");
		size_t trace = trace_of(v, table_get(t, i, "process"));

		if (begin->type == CELL_NULL || end->type == CELL_NULL)
			continue;
		add_longest(f, "phase", cell_text(table_get(t, i, "phase")), trace, cell_real(end) - cell_real(begin));
		found[trace] = true;
	}
	forget_phases(f, found);
	free(found);
}

static const char *named(const char *name, const char *missing)
{
	return *name ? name : missing;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void from_call(struct facts *f, const struct table *b, size_t row, size_t trace)
{
	double total = cell_real(table_get(b, row, "total_ns"));
	double self = cell_real(table_get(b, row, "self_ns"));
	const char *layer = cell_text(table_get(b, row, "layer"));
	const char *kind = named(cell_text(table_get(b, row, "kind")), "other");
	const char *function = cell_text(table_get(b, row, "function"));

	add(f, "function", function, trace, total);
	add(f, "calls", function, trace, cell_real(table_get(b, row, "calls")));
	add(f, strcmp(layer, "gpu") ? "kind" : "gpu", kind, trace, self);
	add(f, "layer", named(layer, "other"), trace, self);
	if (strcmp(layer, "gpu"))	/* the GPU's own time runs beside the calls */
		add(f, "library", named(file_name(cell_text(table_get(b, row, "library"))), "unknown"), trace,
		    self);
}

/* After all of `kind` is known. Of no calls at all nothing is a share. */
static void add_shares(struct facts *f)
{
	size_t count = f->count;

	for (size_t trace = 0; trace < f->traces; trace++) {
		double all = 0;

		for (size_t i = 0; i < count; i++)
			if (!strcmp(f->items[i].what, "kind"))
				all += f->items[i].values[trace];
		for (size_t i = 0; i < count; i++)
			if (!strcmp(f->items[i].what, "kind"))
				add(f, "share", f->items[i].name, trace,
				    all > 0 ? f->items[i].values[trace] / all : NAN);
	}
}

static void from_breakdown(struct facts *f, const struct view *v)
{
	const struct table *b = report_table(v->r, "breakdown");

	for (size_t row = 0; b && row < b->row_count; row++)
		from_call(f, b, row, trace_of(v, table_get(b, row, "process")));
	add_shares(f);
}

struct facts facts_of(const struct report *r)
{
	static void (*const sources[])(struct facts *, const struct view *) = {
		from_traces, from_epochs, from_iterations, from_processes, from_peaks, from_failures,
		from_phases, from_breakdown,
	};
	struct facts f = { 0 };
	struct view v;

	view_init(&v, r);
	f.traces = v.traces;
	for (size_t i = 0; f.traces && i < sizeof(sources) / sizeof(*sources); i++)
		sources[i](&f, &v);
	free(v.first);
	free(v.trace_of);
	return f;
}

void facts_release(struct facts *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->items[i].name);
		free(f->items[i].values);
	}
	free(f->items);
	*f = (struct facts){ 0 };
}

double facts_sum(const struct facts *f, const struct fact_kind *kind, const char *pattern, size_t trace)
{
	double sum = kind->named ? 0 : NAN;

	for (size_t i = 0; i < f->count; i++) {
		if (strcmp(f->items[i].what, kind->what))
			continue;
		if (!kind->named)
			return f->items[i].values[trace];
		if (!fnmatch(pattern, f->items[i].name, 0))
			sum += f->items[i].values[trace];
	}
	return sum;
}

bool facts_match(const struct facts *f, const struct fact_kind *kind, const char *pattern)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->items[i].what, kind->what) && !fnmatch(pattern, f->items[i].name, 0))
			return true;
	return false;
}

/* SPDX-License-Identifier: MIT */
/* The tables `kinds` and `phase_kinds`: where time went, in words that are the same for every framework. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/model/memory.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "where", "where", UNIT_TEXT, "host: in calls; gpu: on the device, beside the calls" },
	{ "kind", "kind", UNIT_TEXT,
	  "allocate, copy, launch, synchronise, initialise, compute, communicate, transfer, wait, other" },
	{ "calls", "calls", UNIT_COUNT, "all calls, or pieces of work on the device" },
	{ "self_ns", "time", UNIT_NS, "in these less that in other calls of the table, over all threads" },
	{ "waiting_ns", "waiting", UNIT_NS, "the part of it in which a thread waits: synchronising, blocking copies" },
	{ "bytes", "bytes", UNIT_BYTES, "moved or allocated" },
	{ "share", "share", UNIT_FRACTION, "of the time of all kinds of the trace in the same place" },
};

static const struct column phase_columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "phase", "phase", UNIT_TEXT, "of the process that trains, or of its own" },
	{ "where", "where", UNIT_TEXT, "as in kinds" },
	{ "kind", "kind", UNIT_TEXT, "as in kinds" },
	{ "calls", "calls", UNIT_COUNT, "that are events: outermost, above thresholds" },
	{ "self_ns", "time", UNIT_NS, "in these less that in other calls of the table, over all threads" },
	{ "waiting_ns", "waiting", UNIT_NS, "the part of it in which a thread waits" },
	{ "bytes", "bytes", UNIT_BYTES, "moved or allocated" },
	{ "share", "share", UNIT_FRACTION, "of the time of all kinds of the phase in the same place" },
};

struct kind {
	size_t trace;
	bool gpu;
	const char *phase, *name;	/* borrowed from the table; phase "": of all */
	double calls, self, waiting, bytes, all;
};

static bool same_whole(const struct kind *a, const struct kind *b)
{
	return a->trace == b->trace && a->gpu == b->gpu && !strcmp(a->phase, b->phase);
}

static struct kind *kind_of(struct kind *kinds, size_t *count, const struct kind *like)
{
	size_t i = 0;

	while (i < *count && (!same_whole(&kinds[i], like) || strcmp(kinds[i].name, like->name)))
		i++;
	if (i == *count)
		kinds[(*count)++] = *like;
	return &kinds[i];
}

/* By trace, phase and place, the largest first. */
static int by_time(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->trace != y->trace)
		return (x->trace > y->trace) - (x->trace < y->trace);
	if (strcmp(x->phase, y->phase))
		return phase_order(x->phase) - phase_order(y->phase);
	if (x->gpu != y->gpu)
		return x->gpu - y->gpu;
	if (x->self < y->self || x->self > y->self)
		return x->self < y->self ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void add_up(struct kind *kinds, size_t *count, const struct table *b, const char *time, size_t row,
		   size_t trace)
{
	double self = fmax(0, cell_real(table_get(b, row, time)) -
			      cell_real(table_get(b, row, "nested_ns")));
	struct kind like = {
		.trace = trace, .gpu = !strcmp(cell_text(table_get(b, row, "layer")), "gpu"),
		.name = cell_text(table_get(b, row, "kind")),
	};
	struct kind *k;

	/* `breakdown` has a column of that name, too, in which it stands where most of the time lies. */
	like.phase = strcmp(time, "outer_ns") ? "" : cell_text(table_get(b, row, "phase"));

	if (!*like.name)
		like.name = "other";
	k = kind_of(kinds, count, &like);
	k->calls += cell_real(table_get(b, row, "calls"));
	k->bytes += cell_real(table_get(b, row, "bytes"));
	k->self += self;
	if (cell_uint(table_get(b, row, "waiting")))
		k->waiting += self;
}

static uint64_t whole(double x)
{
	struct cell c = { .type = CELL_REAL, .r = x };

	return cell_uint(&c);	/* bounded: a trace may say anything */
}

static void add_row(struct table *t, const struct kind *kinds, size_t count, const struct kind *k)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		if (same_whole(&kinds[i], k))
			all += kinds[i].self;
	table_add_row(t);
	table_set_uint(t, "trace", k->trace);
	if (*k->phase)
		table_set_text(t, "phase", k->phase);
	table_set_text(t, "where", k->gpu ? "gpu" : "host");
	table_set_text(t, "kind", k->name);
	table_set_uint(t, "calls", whole(k->calls));
	table_set_uint(t, "self_ns", whole(k->self));
	table_set_uint(t, "waiting_ns", whole(k->waiting));
	table_set_uint(t, "bytes", whole(k->bytes));
	if (all > 0)
		table_set_real(t, "share", k->self / all);
}

/* What the table `b` says of functions, its column `time` less what was nested. */
static void sum_up(const struct model *m, struct table *t, const struct table *b, const char *time)
{
	struct kind *kinds = xcalloc(b->row_count + 1, sizeof(*kinds));
	size_t count = 0, *trace_of = xcalloc((size_t)m->processes + 1, sizeof(*trace_of));

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->process_count; j++) {
			int64_t id = m->traces[i]->processes[j]->report_id;

			if (id > 0 && id <= m->processes)
				trace_of[id] = i;
		}
	for (size_t row = 0; row < b->row_count; row++) {
		uint64_t id = cell_uint(table_get(b, row, "process"));

		/* Calls without a duration (heap, mappings) have no part in it. */
		if (id <= (uint64_t)m->processes && table_get(b, row, time)->type != CELL_NULL)
			add_up(kinds, &count, b, time, row, trace_of[id]);
	}
	if (count)
		qsort(kinds, count, sizeof(*kinds), by_time);
	for (size_t i = 0; i < count; i++)
		add_row(t, kinds, count, &kinds[i]);
	free(trace_of);
	free(kinds);
}

void run_kinds_of_work(const struct model *m, struct report *r)
{
	sum_up(m, report_add_table(r, "kinds", "Time by kind", COLUMNS(columns)), report_table(r, "breakdown"),
	       "total_ns");
}

void run_phase_kinds(const struct model *m, struct report *r)
{
	sum_up(m, report_add_table(r, "phase_kinds", "Time by kind and phase", COLUMNS(phase_columns)),
	       report_table(r, "phase_functions"), "outer_ns");
}

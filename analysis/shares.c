/* SPDX-License-Identifier: MIT */
/* The table `shares` (the study's figure 3): functions of at least --min-share, and the rest. */
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/frameworks.h"
#include "analysis/model/memory.h"

static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "framework", "framework", UNIT_TEXT, "of the calling library, else the process's engine" },
	{ "layer", "layer", UNIT_TEXT, "runtime, driver, blas, ..." },
	{ "function", "function", UNIT_TEXT, "\"other\": those below the threshold, together" },
	{ "kind", "kind", UNIT_TEXT, "of work" },
	{ "waiting", "waits", UNIT_ID, "1: its time is waiting (synchronising, blocking copies), not work" },
	{ "calls", "calls", UNIT_COUNT, "all calls" },
	{ "failed", "failed", UNIT_COUNT, "calls that returned an error" },
	{ "total_ns", "time", UNIT_NS, "of the outermost calls" },
	{ "mean_ns", "mean", UNIT_NS, "of all calls, nested ones too" },
	{ "p99_ns", "p99", UNIT_NS, "99th percentile of all calls" },
	{ "bytes", "bytes", UNIT_BYTES, "moved or allocated" },
	{ "share", "share", UNIT_FRACTION,
	  "of the summed outermost time of its layer under its framework" },
};

struct share {
	const char *framework, *layer, *function, *kind;
	bool waiting;
	size_t order;		/* by which they were found */
	const struct sums *from;	/* borrowed; of one profile */
	struct sums *sums;	/* owned; of all that have these names */
	double share;
};

struct shares {
	struct share *items;	/* owned */
	size_t count, capacity;
};

/* A row for each profile. */
static void collect(const struct trace *t, struct shares *s)
{
	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];
		const char *engine;

		if (!process_shown(p) || !p->profile_count)
			continue;
		engine = process_engine(p);
		for (size_t j = 0; j < p->profile_count; j++) {
			struct breakdown_row row;

			if (!profile_row(p, engine, p->profile_list[j], &row))
				continue;
			s->items = xgrow(s->items, s->count, &s->capacity, sizeof(*s->items));
			s->items[s->count] = (struct share){
				row.framework, row.layer, row.function, row.kind, row.waiting, s->count, row.sums,
				NULL, 0,
			};
			s->count++;
		}
	}
}

static int by_group(const struct share *a, const struct share *b)
{
	int order = strcmp(a->framework, b->framework);

	return order ? order : strcmp(a->layer, b->layer);
}

static int by_name(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int order = by_group(x, y);

	if (!order)
		order = strcmp(x->function, y->function);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Rows of the same names become one: the first. */
static void join(struct shares *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct share *last = kept ? &s->items[kept - 1] : NULL, *item = &s->items[i];

		if (!last || by_group(last, item) || strcmp(last->function, item->function)) {
			item->sums = xcalloc(1, sizeof(*item->sums));
			last = &s->items[kept++];
			*last = *item;
		}
		sums_merge(last->sums, item->from);
	}
	s->count = kept;
}

/* Inside a group: the largest share first; names decide between equals. */
static int by_share(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int order = (x->share < y->share) - (x->share > y->share);

	return order ? order : strcmp(x->function, y->function);
}

/* Of [begin, end), one group. */
static void compute(struct shares *s, size_t begin, size_t end)
{
	uint64_t group = 0;

	for (size_t i = begin; i < end; i++)
		group += s->items[i].sums->outer_total;
	for (size_t i = begin; i < end && group; i++)
		s->items[i].share = (double)s->items[i].sums->outer_total / (double)group;
	qsort(s->items + begin, end - begin, sizeof(*s->items), by_share);
}

static void add_row(struct table *t, const struct trace *trace, const struct share *s)
{
	double error;

	table_add_row(t);
	table_set_uint(t, "trace", trace->index);
	set_text(t, "framework", s->framework);
	set_text(t, "layer", s->layer);
	table_set_text(t, "function", s->function);
	set_text(t, "kind", s->kind);
	if (*s->kind)
		table_set_uint(t, "waiting", s->waiting);
	table_set_uint(t, "calls", s->sums->calls);
	table_set_uint(t, "failed", s->sums->failed);
	table_set_uint(t, "total_ns", s->sums->outer_total);
	table_set_real(t, "mean_ns", (double)s->sums->total / (double)s->sums->calls);
	if (sums_counted(s->sums))
		table_set_real(t, "p99_ns", sums_quantile(s->sums, 0.99, &error));
	table_set_uint(t, "bytes", s->sums->bytes);
	table_set_real(t, "share", s->share);
}

/* One group: [begin, end) of the items. */
static void add_group(struct table *t, const struct trace *trace, const struct shares *s,
		      size_t begin, size_t end)
{
	struct sums rest = { .calls = 0 };
	struct share other = s->items[begin];
	size_t small = 0;

	other.function = "other";
	other.kind = "";
	other.waiting = false;
	other.share = 0;
	other.sums = &rest;
	for (size_t i = begin; i < end; i++) {
		if (s->items[i].share >= trace->model->options.min_share) {
			add_row(t, trace, &s->items[i]);
			continue;
		}
		sums_merge(other.sums, s->items[i].sums);
		other.share += s->items[i].share;
		small++;
	}
	if (small)
		add_row(t, trace, &other);
}

static void add_trace(struct table *t, const struct trace *trace)
{
	struct shares s = { 0 };

	collect(trace, &s);
	if (s.count)
		qsort(s.items, s.count, sizeof(*s.items), by_name);
	join(&s);
	for (size_t begin = 0, end; begin < s.count; begin = end) {
		for (end = begin + 1; end < s.count && !by_group(&s.items[begin], &s.items[end]);)
			end++;
		compute(&s, begin, end);
		add_group(t, trace, &s, begin, end);
	}
	for (size_t i = 0; i < s.count; i++)
		free(s.items[i].sums);
	free(s.items);
}

void run_shares(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "shares", "Shares of time", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++)
		add_trace(t, m->traces[i]);
}

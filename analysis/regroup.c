/* SPDX-License-Identifier: MIT */
/*
 * Tables that add up the rows of `breakdown` or `phase_functions` by fewer columns: time by kind of
 * work, in words that are the same for every framework, and by phase the time by kind, layer, calling
 * library and function.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/model/memory.h"
#include "analysis/phases.h"

#define KEYS_MOST 5

#define COLUMN_TRACE	{ "trace", "trace", UNIT_ID, "index of the trace" }
#define COLUMN_PHASE	{ "phase", "phase", UNIT_TEXT, \
	"of the process that trains, or of its own; missing: known of no phase" }
#define COLUMN_WHERE	{ "where", "where", UNIT_TEXT, "host: in calls; gpu: on the device, beside the calls" }
#define COLUMN_KIND	{ "kind", "kind", UNIT_TEXT, \
	"allocate, copy, launch, synchronise, initialise, compute, communicate, transfer, wait, other" }
#define COLUMN_CALLS	{ "calls", "calls", UNIT_COUNT, "that are events: outermost, above thresholds" }
#define COLUMN_SELF	{ "self_ns", "time", UNIT_NS, \
	"in these less that in other calls of the table, nested ones too, over all threads" }
#define COLUMN_WAITING	{ "waiting_ns", "waiting", UNIT_NS, \
	"the part of it in which a thread waits: synchronising, blocking copies" }
#define COLUMN_BYTES	{ "bytes", "bytes", UNIT_BYTES, "moved or allocated" }
#define COLUMN_SHARE(of) { "share", "share", UNIT_FRACTION, of }

/* The trace, its keys, then the numbers. */
static const struct column kinds[] = {
	COLUMN_TRACE, COLUMN_WHERE, COLUMN_KIND,
	{ "calls", "calls", UNIT_COUNT, "all calls, or pieces of work on the device" },
	COLUMN_SELF, COLUMN_WAITING, COLUMN_BYTES,
	COLUMN_SHARE("of the time of all kinds of the trace in the same place"),
};

static const struct column phase_kinds[] = {
	COLUMN_TRACE, COLUMN_PHASE, COLUMN_WHERE, COLUMN_KIND, COLUMN_CALLS, COLUMN_SELF, COLUMN_WAITING,
	COLUMN_BYTES, COLUMN_SHARE("of the time of all kinds of the phase in the same place"),
};

static const struct column phase_layers[] = {
	COLUMN_TRACE, COLUMN_PHASE, COLUMN_WHERE,
	{ "layer", "layer", UNIT_TEXT, "runtime, driver, gpu, nccl, blas, dnn, openmp, ..." },
	COLUMN_CALLS, COLUMN_SELF, COLUMN_WAITING, COLUMN_BYTES,
	COLUMN_SHARE("of the time of all layers of the phase in the same place"),
};

static const struct column phase_libraries[] = {
	COLUMN_TRACE, COLUMN_PHASE, COLUMN_WHERE,
	{ "library", "library", UNIT_TEXT, "the caller; missing: not known" },
	{ "layer", "layer", UNIT_TEXT, "what it called" },
	COLUMN_CALLS, COLUMN_SELF, COLUMN_WAITING, COLUMN_BYTES,
	COLUMN_SHARE("of the time of all libraries of the phase in the same place"),
};

static const struct column phase_shares[] = {
	COLUMN_TRACE, COLUMN_PHASE,
	{ "framework", "framework", UNIT_TEXT, "of the calling library, else the process's engine" },
	{ "layer", "layer", UNIT_TEXT, "runtime, driver, blas, ..." },
	{ "function", "function", UNIT_TEXT, "\"other\": those below --min-share, together" },
	{ "kind", "kind", UNIT_TEXT, "of work" },
	COLUMN_CALLS, { "outer_ns", "time", UNIT_NS, "of the outermost calls" }, COLUMN_WAITING, COLUMN_BYTES,
	COLUMN_SHARE("of the time of its layer under its framework in the phase"),
};

static const struct regrouping {
	const char *name, *title, *from;
	const char *time;		/* the column, here and of `from` */
	const struct column *columns;
	size_t column_count;
	unsigned keys;			/* so many columns after the trace */
	unsigned whole;			/* the first ones of these, of which a share is a part */
	bool joined;			/* what is less than --min-share is one row */
} regroupings[] = {
	{ "kinds", "Time by kind", "breakdown", "self_ns", COLUMNS(kinds), 2, 1, false },
	{ "phase_kinds", "Time by kind and phase", "phase_functions", "self_ns", COLUMNS(phase_kinds), 3, 2, false },
	{ "phase_layers", "Time by layer and phase", "phase_functions", "self_ns", COLUMNS(phase_layers), 3, 2, false },
	{ "phase_libraries", "Time by library and phase", "phase_functions", "self_ns",
	  COLUMNS(phase_libraries), 4, 2, false },
	{ "phase_shares", "Shares of time by phase", "phase_functions", "outer_ns", COLUMNS(phase_shares), 5, 3, true },
};

struct group {
	size_t trace;
	const char *keys[KEYS_MOST];	/* borrowed from the table */
	double calls, ns, waiting, bytes, share;
};

/* ---- their order ---- */

static int by_key(const struct regrouping *g, unsigned key, const struct group *a, const struct group *b)
{
	const char *column = g->columns[1 + key].name;

	if (!strcmp(column, "phase"))
		return phase_order(a->keys[key]) - phase_order(b->keys[key]);
	if (!strcmp(column, "where"))	/* the host first */
		return strcmp(b->keys[key], a->keys[key]);
	return strcmp(a->keys[key], b->keys[key]);
}

static int by_keys(const struct regrouping *g, unsigned from, unsigned to, const struct group *a,
		   const struct group *b)
{
	int order = 0;

	for (unsigned key = from; key < to && !order; key++)
		order = by_key(g, key, a, b);
	return order;
}

static int by_whole(const struct regrouping *g, const struct group *a, const struct group *b)
{
	return a->trace != b->trace ? (a->trace > b->trace) - (a->trace < b->trace) :
				      by_keys(g, 0, g->whole, a, b);
}

static int by_name(const void *a, const void *b, void *regrouping)
{
	const struct regrouping *g = regrouping;
	int order = by_whole(g, a, b);

	return order ? order : by_keys(g, g->whole, g->keys, a, b);
}

/* In a whole the largest first. */
static int by_time(const void *a, const void *b, void *regrouping)
{
	const struct group *x = a, *y = b;
	int order = by_whole(regrouping, x, y);

	if (!order)
		order = (x->ns < y->ns) - (x->ns > y->ns);
	return order ? order : by_name(a, b, regrouping);
}

static void sort(const struct regrouping *g, struct group *list, size_t count,
		 int (*order)(const void *, const void *, void *))
{
	if (count)
		qsort_r(list, count, sizeof(*list), order, (void *)(uintptr_t)g);
}

/* ---- adding up ---- */

static const char *key_of(const struct table *b, size_t row, const char *column)
{
	const char *text = strcmp(column, "where") ? cell_text(table_get(b, row, column)) :
			   strcmp(cell_text(table_get(b, row, "layer")), "gpu") ? "host" : "gpu";

	return !*text && !strcmp(column, "kind") ? "other" : text;
}

static struct group group_of(const struct regrouping *g, const struct table *b, size_t row, size_t trace)
{
	struct group one = {
		.trace = trace, .calls = cell_real(table_get(b, row, "calls")),
		.bytes = cell_real(table_get(b, row, "bytes")),
		.ns = cell_real(table_get(b, row, g->time)),
	};

	for (unsigned key = 0; key < g->keys; key++)
		one.keys[key] = key_of(b, row, g->columns[1 + key].name);
	if (cell_uint(table_get(b, row, "waiting")))
		one.waiting = one.ns;
	return one;
}

static void add_up(struct group *to, const struct group *from)
{
	to->calls += from->calls;
	to->ns += from->ns;
	to->waiting += from->waiting;
	to->bytes += from->bytes;
	to->share += from->share;
}

/* Those of the same keys become one; how many are left. */
static size_t join(const struct regrouping *g, struct group *list, size_t count)
{
	size_t kept = 0;

	sort(g, list, count, by_name);
	for (size_t i = 0; i < count; i++)
		if (kept && !by_name(&list[kept - 1], &list[i], (void *)(uintptr_t)g))
			add_up(&list[kept - 1], &list[i]);
		else
			list[kept++] = list[i];
	return kept;
}

static size_t whole_end(const struct regrouping *g, const struct group *list, size_t begin, size_t count)
{
	size_t end = begin + 1;

	while (end < count && !by_whole(g, &list[begin], &list[end]))
		end++;
	return end;
}

/* ---- the table ---- */

static uint64_t whole_number(double x)
{
	struct cell c = { .type = CELL_REAL, .r = x };

	return cell_uint(&c);	/* bounded: a trace may say anything */
}

static void add_row(const struct regrouping *g, struct table *t, const struct group *one, bool known)
{
	table_add_row(t);
	table_set_uint(t, "trace", one->trace);
	for (unsigned key = 0; key < g->keys; key++)
		set_text(t, g->columns[1 + key].name, one->keys[key]);
	table_set_uint(t, "calls", whole_number(one->calls));
	table_set_uint(t, g->time, whole_number(one->ns));
	table_set_uint(t, "waiting_ns", whole_number(one->waiting));
	table_set_uint(t, "bytes", whole_number(one->bytes));
	if (known)
		table_set_real(t, "share", one->share);
}

/* One whole: `count` groups. */
static void add_whole(const struct regrouping *g, struct table *t, struct group *list, size_t count, double least)
{
	struct group other = list[0];
	double all = 0;
	size_t small = 0;

	other.calls = other.ns = other.waiting = other.bytes = other.share = 0;
	for (unsigned key = g->whole; key < g->keys; key++)
		other.keys[key] = key == g->whole ? "other" : "";
	for (size_t i = 0; i < count; i++)
		all += list[i].ns;
	for (size_t i = 0; i < count; i++) {
		list[i].share = all > 0 ? list[i].ns / all : 0;
		if (g->joined && list[i].share < least) {
			add_up(&other, &list[i]);
			small++;
		} else {
			add_row(g, t, &list[i], all > 0);
		}
	}
	if (small)
		add_row(g, t, &other, all > 0);
}

/* Of which trace each process is, by its id. */
static size_t *traces_of(const struct model *m)
{
	size_t *trace_of = xcalloc((size_t)m->processes + 1, sizeof(*trace_of));

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->process_count; j++) {
			int64_t id = m->traces[i]->processes[j]->report_id;

			if (id > 0 && id <= m->processes)
				trace_of[id] = i;
		}
	return trace_of;
}

static void run(const struct regrouping *g, const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, g->name, g->title, g->columns, g->column_count);
	const struct table *b = report_table(r, g->from);
	struct group *list = xcalloc(b->row_count + 1, sizeof(*list));
	size_t *trace_of = traces_of(m), count = 0;

	for (size_t row = 0; row < b->row_count; row++) {
		uint64_t id = cell_uint(table_get(b, row, "process"));

		/* Calls without a duration (heap, mappings) have no part in it. */
		if (id <= (uint64_t)m->processes && table_get(b, row, g->time)->type != CELL_NULL)
			list[count++] = group_of(g, b, row, trace_of[id]);
	}
	count = join(g, list, count);
	sort(g, list, count, by_time);
	for (size_t begin = 0, end; begin < count; begin = end) {
		end = whole_end(g, list, begin, count);
		add_whole(g, t, list + begin, end - begin, m->options.min_share);
	}
	free(trace_of);
	free(list);
}

void run_regroupings(const struct model *m, struct report *r)
{
	for (size_t i = 0; i < sizeof(regroupings) / sizeof(regroupings[0]); i++)
		run(&regroupings[i], m, r);
}

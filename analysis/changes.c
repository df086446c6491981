/* SPDX-License-Identifier: MIT */
/* The table `changes`: functions, libraries, layers, kinds and phases that take more or less time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/comparison.h"
#include "analysis/model/memory.h"

static const struct column columns[] = {
	{ "what", "what", UNIT_TEXT, "function, library, layer, kind, gpu (kind of work there), phase" },
	{ "name", "name", UNIT_TEXT, "" },
	{ "group", "group", UNIT_ID, "as in the table runs" },
	{ "reference", "against", UNIT_ID, "the group that it is compared with" },
	{ "before_ns", "before", UNIT_NS, "mean over the runs of the reference" },
	{ "after_ns", "after", UNIT_NS, "mean over the runs of the group" },
	{ "difference_ns", "grown by", UNIT_NS, "after less before" },
	{ "difference_low_ns", "from", UNIT_NS,
	  "95 % interval of the difference (Welch); needs two runs on both sides" },
	{ "difference_high_ns", "to", UNIT_NS, "its other end" },
	{ "change", "change", UNIT_FRACTION, "difference by before" },
	{ "test", "test", UNIT_TEXT,
	  "permutation: all ways of dealing the runs out, from 4 to 8 runs on both sides; else Welch's t-test" },
	{ "p", "p", UNIT_REAL, "how likely chance alone makes such a difference, two-sided" },
	{ "p_adjusted", "p adjusted", UNIT_REAL,
	  "the same for all rows of the group at once (Benjamini and Hochberg)" },
	{ "significant", "significant", UNIT_ID,
	  "1: p_adjusted is at most 0.05, so at most 5 % of these are expected to be chance" },
};

struct change {
	const struct fact *fact;
	double before, after;
	struct difference d;
};

static bool is_change(const struct fact *f)
{
	const struct fact_kind *kind = fact_kind(f->what, strlen(f->what));

	return kind->named && kind->unit == UNIT_NS;
}

/* What grew most first; names decide between equals. */
static int by_growth(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int order = (x->d.mean < y->d.mean) - (x->d.mean > y->d.mean);

	if (!order)
		order = strcmp(x->fact->what, y->fact->what);
	return order ? order : strcmp(x->fact->name, y->fact->name);
}

static void set_number(struct table *t, const char *column, double value)
{
	if (isfinite(value))
		table_set_real(t, column, value);
}

static void add_row(struct table *t, const struct groups *g, size_t group, const struct change *c,
		    double adjusted)
{
	table_add_row(t);
	table_set_uint(t, "group", group);
	table_set_uint(t, "reference", g->list[group].reference);
	table_set_text(t, "what", c->fact->what);
	table_set_text(t, "name", c->fact->name);
	table_set_real(t, "before_ns", c->before);
	table_set_real(t, "after_ns", c->after);
	table_set_real(t, "difference_ns", c->d.mean);
	set_number(t, "difference_low_ns", c->d.interval.low);
	set_number(t, "difference_high_ns", c->d.interval.high);
	set_number(t, "change", c->d.mean / c->before);
	set_text(t, "test", c->d.test);
	set_number(t, "p", c->d.p);
	set_number(t, "p_adjusted", adjusted);
	if (!isnan(adjusted))
		table_set_uint(t, "significant", adjusted <= STAT_ALPHA);
}

static bool compare(const struct groups *g, const struct facts *f, const struct fact *fact,
		    size_t group, struct change *c)
{
	struct sample a = sample_of(g, f, fact, g->list[group].reference);
	struct sample b = sample_of(g, f, fact, group);
	bool known = a.n && b.n;

	*c = (struct change){
		.fact = fact, .before = stat_mean(a.x, a.n), .after = stat_mean(b.x, b.n),
	};
	known = known && (c->before != 0 || c->after != 0);
	if (known)
		c->d = stat_difference(a.x, a.n, b.x, b.n);
	free(a.x);
	free(b.x);
	return known;
}

static void add_group(struct table *t, const struct groups *g, const struct facts *f, size_t group)
{
	struct change *changes = xcalloc(f->count + 1, sizeof(*changes));
	double *p = xcalloc(f->count + 1, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++)
		if (is_change(&f->items[i]) && compare(g, f, &f->items[i], group, &changes[count]))
			count++;
	if (count)
		qsort(changes, count, sizeof(*changes), by_growth);
	for (size_t i = 0; i < count; i++)
		p[i] = changes[i].d.p;
	adjust_benjamini(p, count);
	for (size_t i = 0; i < count; i++)
		add_row(t, g, group, &changes[i], p[i]);
	free(changes);
	free(p);
}

void add_changes_table(struct report *r, const struct groups *g, const struct facts *f)
{
	struct table *t = report_add_table(r, "changes", "Changes", COLUMNS(columns));

	for (size_t i = 0; i < g->count; i++)
		if (g->list[i].reference != NO_GROUP)
			add_group(t, g, f, i);
}

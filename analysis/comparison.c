/* SPDX-License-Identifier: MIT */
/* The table `comparison`: quantities of groups of runs, with intervals, and against the reference. */
#include "analysis/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/model/memory.h"

static const struct column columns[] = {
	{ "quantity", "quantity", UNIT_TEXT, "total, epoch, iteration, cpu, rss_peak, kind:NAME, ..." },
	{ "group", "group", UNIT_ID, "as in the table runs" },
	{ "name", "name", UNIT_TEXT, "what tells the group from the others" },
	{ "framework", "framework", UNIT_TEXT, "layers on top and the engine, with their versions" },
	{ "model", "model", UNIT_TEXT, "" },
	{ "dataset", "dataset", UNIT_TEXT, "" },
	{ "mode", "mode", UNIT_TEXT, "SGD: one example a step; else mini-batch and its size" },
	{ "device", "device", UNIT_TEXT, "" },
	{ "unit", "unit", UNIT_TEXT, "of all numbers of the row that have no other" },
	{ "runs", "runs", UNIT_COUNT, "in which it is known" },
	{ "failed", "failed", UNIT_COUNT, "runs of the group that ended badly and do not count" },
	{ "mean", "mean", UNIT_ROW, "of the runs" },
	{ "low", "from", UNIT_ROW, "95 % interval of the mean by Student's t; needs two runs" },
	{ "high", "to", UNIT_ROW, "its other end" },
	{ "deviation", "deviation", UNIT_ROW, "standard deviation of the runs (n - 1)" },
	{ "median", "median", UNIT_ROW, "of the runs" },
	{ "median_low", "median from", UNIT_ROW,
	  "interval of the median, 95 % at least, by order statistics; needs six runs" },
	{ "median_high", "median to", UNIT_ROW, "its other end" },
	{ "min", "min", UNIT_ROW, "smallest run" },
	{ "max", "max", UNIT_ROW, "largest run" },
	{ "reference", "against", UNIT_ID, "the group that it is compared with" },
	{ "difference", "difference", UNIT_ROW, "mean less that of the reference" },
	{ "difference_low", "difference from", UNIT_ROW,
	  "95 % interval of the difference (Welch); needs two runs on both sides" },
	{ "difference_high", "difference to", UNIT_ROW, "its other end" },
	{ "change", "change", UNIT_FRACTION, "difference by the reference's mean" },
	{ "test", "test", UNIT_TEXT,
	  "permutation: all ways of dealing the runs out, from 4 to 8 runs on both sides; else Welch's t-test" },
	{ "p", "p", UNIT_REAL, "how likely chance alone makes such a difference, two-sided" },
	{ "p_adjusted", "p adjusted", UNIT_REAL,
	  "the same for all groups compared in this quantity at once (Holm)" },
	{ "significant", "significant", UNIT_ID, "1: p_adjusted is at most 0.05; missing: no test" },
};

bool sample_takes(const struct run *run, const char *what)
{
	return !run->failed || !strcmp(what, "failures") || !strcmp(what, "lost");
}

struct sample sample_of(const struct groups *g, const struct facts *f, const struct fact *fact,
			size_t group)
{
	struct sample s = { xcalloc(f->traces + 1, sizeof(*s.x)), 0 };

	for (size_t i = 0; i < g->run_count; i++) {
		size_t trace = g->runs[i].trace->index;

		if (g->runs[i].group == group && sample_takes(&g->runs[i], fact->what) &&
		    trace < f->traces && isfinite(fact->values[trace]))
			s.x[s.n++] = fact->values[trace];
	}
	stat_sort(s.x, s.n);
	return s;
}

static void set_number(struct table *t, const char *column, double value)
{
	if (isfinite(value))
		table_set_real(t, column, value);
}

static void set_group(struct table *t, const struct groups *g, size_t group)
{
	static const char *const labels[] = { "framework", "model", "dataset", "device" };
	const struct labels *l = &g->runs[g->list[group].first].labels;
	char text[512];

	table_set_uint(t, "group", group);
	table_set_text(t, "name", g->list[group].name);
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		set_text(t, labels[i], label_value(l, labels[i]));
	table_set_text(t, "mode", label_mode(l, text, sizeof(text)));
}

static void set_sample(struct table *t, const struct sample *s)
{
	struct interval mean, median;

	table_set_uint(t, "runs", s->n);
	set_number(t, "mean", stat_mean(s->x, s->n));
	set_number(t, "deviation", stat_deviation(s->x, s->n));
	set_number(t, "median", stat_median(s->x, s->n));
	if (mean_interval(s->x, s->n, &mean)) {
		table_set_real(t, "low", mean.low);
		table_set_real(t, "high", mean.high);
	}
	if (median_interval(s->x, s->n, &median)) {
		table_set_real(t, "median_low", median.low);
		table_set_real(t, "median_high", median.high);
	}
	if (s->n) {
		table_set_real(t, "min", s->x[0]);
		table_set_real(t, "max", s->x[s->n - 1]);
	}
}

static void set_difference(struct table *t, const struct difference *d, double reference, double adjusted)
{
	set_number(t, "difference", d->mean);
	set_number(t, "difference_low", d->interval.low);
	set_number(t, "difference_high", d->interval.high);
	set_number(t, "change", d->mean / reference);
	set_text(t, "test", d->test);
	set_number(t, "p", d->p);
	set_number(t, "p_adjusted", adjusted);
	if (!isnan(adjusted))
		table_set_uint(t, "significant", adjusted <= STAT_ALPHA);
}

static void add_row(struct table *t, const struct groups *g, const struct fact *fact, size_t group,
		    const struct sample *s)
{
	char quantity[512];

	snprintf(quantity, sizeof(quantity), "%s%s%s", fact->what, *fact->name ? ":" : "", fact->name);
	table_add_row(t);
	set_group(t, g, group);
	table_set_text(t, "quantity", quantity);
	table_set_text(t, "unit", fact_unit(fact->unit));
	table_set_uint(t, "failed", g->list[group].failed);
	set_sample(t, s);
}

/* One quantity in all groups; nobody knows it: no row. */
static void add_quantity(struct table *t, const struct groups *g, const struct facts *f,
			 const struct fact *fact)
{
	struct sample *samples = xcalloc(g->count, sizeof(*samples));
	struct difference *d = xcalloc(g->count, sizeof(*d));
	double *p = xcalloc(g->count, sizeof(*p));
	size_t known = 0;

	for (size_t i = 0; i < g->count; i++) {
		samples[i] = sample_of(g, f, fact, i);
		known += samples[i].n;
	}
	for (size_t i = 0; i < g->count; i++) {
		size_t reference = g->list[i].reference;

		p[i] = NAN;
		if (reference == NO_GROUP || !samples[i].n || !samples[reference].n)
			continue;
		d[i] = stat_difference(samples[reference].x, samples[reference].n, samples[i].x,
				       samples[i].n);
		p[i] = d[i].p;
	}
	adjust_holm(p, g->count);
	for (size_t i = 0; i < g->count && known; i++) {
		size_t reference = g->list[i].reference;

		add_row(t, g, fact, i, &samples[i]);
		if (reference == NO_GROUP)
			continue;
		table_set_uint(t, "reference", reference);
		if (samples[i].n && samples[reference].n)
			set_difference(t, &d[i], stat_mean(samples[reference].x, samples[reference].n), p[i]);
	}
	for (size_t i = 0; i < g->count; i++)
		free(samples[i].x);
	free(samples);
	free(d);
	free(p);
}

void add_comparison_table(struct report *r, const struct groups *g, const struct facts *f)
{
	struct table *t = report_add_table(r, "comparison", "Comparison", COLUMNS(columns));

	/* One run is no comparison. In the order of the list, names by first sight. */
	for (size_t k = 0; k < fact_kind_count && g->run_count > 1; k++)
		for (size_t i = 0; i < f->count; i++)
			if (fact_kinds[k].compared && !strcmp(f->items[i].what, fact_kinds[k].what))
				add_quantity(t, g, f, &f->items[i]);
}

void run_comparison(const struct model *m, struct report *r)
{
	struct groups g = groups_of(m);
	struct facts f = facts_of(r);

	add_runs_table(r, &g, &f);
	add_study_table(r, &g, &f);
	add_comparison_table(r, &g, &f);
	add_changes_table(r, &g, &f);
	facts_release(&f);
	groups_release(&g);
}

/* SPDX-License-Identifier: MIT */
/* The table `study`: seconds by framework, model, data set, batch mode and device, a group a row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/comparison.h"

static const struct column columns[] = {
	{ "quantity", "quantity", UNIT_TEXT, "epoch where epochs are known in all groups, else total" },
	{ "device", "device", UNIT_TEXT, "" },
	{ "mode", "mode", UNIT_TEXT, "SGD: one example a step; else mini-batch and its size" },
	{ "subject", "framework", UNIT_TEXT, "and other labels in which groups differ" },
	{ "model", "model", UNIT_TEXT, "" },
	{ "dataset", "dataset", UNIT_TEXT, "" },
	{ "cudnn", "cuDNN", UNIT_TEXT,
	  "used: a library of it launched kernels; loaded: one was there and launched none; no: none" },
	{ "group", "group", UNIT_ID, "as in the table runs" },
	{ "runs", "runs", UNIT_COUNT, "that count" },
	{ "failed", "failed", UNIT_COUNT, "runs that ended badly and do not count" },
	{ "mean_ns", "mean", UNIT_NS, "of the runs" },
	{ "low_ns", "from", UNIT_NS, "95 % interval of the mean by Student's t; needs two runs" },
	{ "high_ns", "to", UNIT_NS, "its other end" },
};

static const struct fact *fact_named(const struct facts *f, const char *what)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->items[i].what, what))
			return &f->items[i];
	return NULL;
}

/* In every group that has a good run: rows of different quantities could not be compared. */
static bool is_known(const struct groups *g, const struct facts *f, const struct fact *fact)
{
	bool any = false;

	for (size_t i = 0; fact && i < g->count; i++) {
		struct sample s = sample_of(g, f, fact, i);

		free(s.x);
		if (!s.n && g->list[i].runs > g->list[i].failed)
			return false;
		any = any || s.n;
	}
	return any;
}

static void add_row(struct table *t, const struct groups *g, size_t group, const struct fact *fact,
		    const struct sample *s)
{
	const struct labels *l = &g->runs[g->list[group].first].labels;
	struct interval interval;
	char text[512];

	table_add_row(t);
	table_set_text(t, "quantity", fact->what);
	set_text(t, "device", label_value(l, "device"));
	table_set_text(t, "mode", label_mode(l, text, sizeof(text)));
	table_set_text(t, "subject", g->list[group].subject);
	set_text(t, "model", label_value(l, "model"));
	set_text(t, "dataset", label_value(l, "dataset"));
	table_set_text(t, "cudnn", group_cudnn(g, group));
	table_set_uint(t, "group", group);
	table_set_uint(t, "runs", s->n);
	table_set_uint(t, "failed", g->list[group].failed);
	if (s->n)
		table_set_real(t, "mean_ns", stat_mean(s->x, s->n));
	if (mean_interval(s->x, s->n, &interval)) {
		table_set_real(t, "low_ns", interval.low);
		table_set_real(t, "high_ns", interval.high);
	}
}

void add_study_table(struct report *r, const struct groups *g, const struct facts *f)
{
	struct table *t = report_add_table(r, "study", "Time by framework and model", COLUMNS(columns));
	const struct fact *epoch = fact_named(f, "epoch");
	const struct fact *fact = is_known(g, f, epoch) ? epoch : fact_named(f, "total");

	for (size_t i = 0; fact && i < g->count; i++) {
		struct sample s = sample_of(g, f, fact, i);

		add_row(t, g, i, fact, &s);
		free(s.x);
	}
}

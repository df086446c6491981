/* SPDX-License-Identifier: MIT */
/*
 * The tables `ranges` and `range_calls` (what a program named itself by NVTX or dltrace.h, by name) and `marks` (its
 * moments one by one, for ticks).
 */
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/phases.h"

static const struct column range_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "thread", "thread", UNIT_ID, "that began them; missing: several" },
	{ "domain", "domain", UNIT_TEXT, "NVTX's, or dltrace for what dltrace.h named" },
	{ "name", "name", UNIT_TEXT, "as the program says it" },
	{ "kind", "kind", UNIT_TEXT, "push-pop, start-end, mark, epoch, step" },
	{ "count", "count", UNIT_COUNT, "how many" },
	{ "total_ns", "total", UNIT_NS, "their time; what lies in other ranges included" },
	{ "mean_ns", "mean", UNIT_NS, "" },
	{ "median_ns", "median", UNIT_NS, "from a histogram of eighths of an octave" },
	{ "min_ns", "min", UNIT_NS, "" },
	{ "max_ns", "max", UNIT_NS, "" },
	{ "stddev_ns", "stddev", UNIT_NS, "" },
	{ "share_of_wall", "of its life", UNIT_FRACTION, "total of the process's life; beyond 1 with several threads" },
	{ "nested", "nested", UNIT_COUNT, "those inside another range of their thread" },
	{ "open", "open", UNIT_COUNT, "those that never ended: counted to the end of their thread or process" },
	{ "begin_ns", "from", UNIT_TIME, "begin of the first" },
	{ "end_ns", "to", UNIT_TIME, "end of the last" },
	{ "phase", "phase", UNIT_TEXT, "in which all of them lie, of the process that trains; missing: several" },
};

static const struct column call_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "domain", "domain", UNIT_TEXT, "of the range" },
	{ "name", "name", UNIT_TEXT, "of the range" },
	{ "kind", "kind", UNIT_TEXT, "of the range" },
	{ "calls_kind", "calls", UNIT_TEXT, "allocate, copy, launch, synchronise, compute, communicate, other" },
	{ "calls", "count", UNIT_COUNT, "outermost calls of its thread during it" },
	{ "total_ns", "total", UNIT_NS, "their time" },
	{ "share", "of range", UNIT_FRACTION, "of the time of these ranges" },
};

static const struct column mark_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "t_ns", "at", UNIT_TIME, "" },
	{ "phase", "phase", UNIT_TEXT, "at that time, of the process that trains" },
	{ "kind", "kind", UNIT_TEXT, "mark, epoch, step" },
	{ "name", "name", UNIT_TEXT, "as the program says it" },
	{ "number", "number", UNIT_ID, "of the epoch or step that begins here; negative: one ends" },
};

static const char *const kinds[MARK_KINDS] = { "", "push-pop", "start-end", "mark", "epoch", "step" };

/* The phase that the first begins in and the last ends in, if it is one: what has ended at a border was before it. */
static const char *phase_of(const struct process *p, const struct mark *k)
{
	const struct phases *ph = phases_around(p);
	bool ends_later = k->end != UNKNOWN && k->end > k->begin;
	const char *phase = phase_name_at(ph, k->begin);

	return strcmp(phase, phase_name_at(ph, ends_later ? k->end - 1 : k->begin)) ? "" : phase;
}

static void add_range(struct table *t, const struct process *p, const struct mark *k)
{
	const struct sums *s = &k->sums;
	uint64_t life = process_life(p);
	double error;

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	if (!k->threads)
		table_set_uint(t, "thread", k->thread);
	set_text(t, "domain", k->domain);
	table_set_text(t, "name", k->name);
	table_set_text(t, "kind", kinds[k->kind]);
	table_set_uint(t, "count", s->calls);
	table_set_uint(t, "nested", k->nested);
	table_set_uint(t, "open", k->open);
	set_time(t, "begin_ns", k->begin);
	set_time(t, "end_ns", k->end);
	set_text(t, "phase", phase_of(p, k));
	if (k->kind == MARK_MOMENT || !s->calls)
		return;
	table_set_uint(t, "total_ns", s->total);
	table_set_real(t, "mean_ns", (double)s->total / (double)s->calls);
	table_set_real(t, "median_ns", sums_quantile(s, 0.5, &error));
	table_set_uint(t, "min_ns", s->min);
	table_set_uint(t, "max_ns", s->max);
	table_set_real(t, "stddev_ns", sums_deviation(s));
	if (life)
		table_set_real(t, "share_of_wall", (double)s->total / (double)life);
}

static void add_ranges(const struct process *p, struct table *t)
{
	for (size_t i = 0; p->marks && i < p->marks->count; i++)
		add_range(t, p, p->marks->list[i]);
}

void run_ranges(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "ranges", "Named ranges", COLUMNS(range_columns));

	each_process(m, t, add_ranges);
	table_sort_falling(t, "total_ns");
}

static const char *const calls_kinds[MARK_CALLS] = {
	"", "allocate", "copy", "launch", "synchronise", "other", "compute", "communicate",
};

static void add_calls(struct table *t, const struct process *p, const struct mark *k)
{
	for (int c = 1; c < MARK_CALLS; c++) {
		if (!k->inside[c].calls)
			continue;
		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		set_text(t, "domain", k->domain);
		table_set_text(t, "name", k->name);
		table_set_text(t, "kind", kinds[k->kind]);
		table_set_text(t, "calls_kind", calls_kinds[c]);
		table_set_uint(t, "calls", k->inside[c].calls);
		table_set_uint(t, "total_ns", k->inside[c].ns);
		if (k->sums.total)
			table_set_real(t, "share", (double)k->inside[c].ns / (double)k->sums.total);
	}
}

static void add_range_calls(const struct process *p, struct table *t)
{
	for (size_t i = 0; p->marks && i < p->marks->count; i++)
		add_calls(t, p, p->marks->list[i]);
}

void run_range_calls(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "range_calls", "Calls in named ranges",
					   COLUMNS(call_columns));

	each_process(m, t, add_range_calls);
	table_sort_falling(t, "total_ns");
}

static void add_mark(struct table *t, const struct moment *m)
{
	table_add_row(t);
	table_set_int(t, "process", m->process->report_id);
	table_set_uint(t, "trace", m->process->trace->index);
	table_set_int(t, "t_ns", m->t);
	set_text(t, "phase", phase_name_at(phases_around(m->process), m->t));
	table_set_text(t, "kind", kinds[m->kind]);
	table_set_text(t, "name", m->name);
	if (m->kind >= MARK_EPOCH)
		table_set_int(t, "number", m->number);
}

void run_marks(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "marks", "Marks", COLUMNS(mark_columns));

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->moments.count; j++)
			if (process_shown(m->traces[i]->moments.list[j].process))
				add_mark(t, &m->traces[i]->moments.list[j]);
}

/* SPDX-License-Identifier: MIT */
/* The tables `iterations`, `epochs` and `slow_iterations`. */
#include "analysis/iterations.h"

#include <stdio.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/report/format.h"
#include "analysis/slow.h"

static const struct column iteration_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "count", "count", UNIT_COUNT, "trained batches, or whatever repeats; missing: not found" },
	{ "evaluations", "evaluated", UNIT_COUNT, "batches that only went forward" },
	{ "epoch_count", "epochs", UNIT_COUNT, "missing: not found" },
	{ "median_ns", "median", UNIT_NS, "from the begin of one to the begin of the next" },
	{ "mean_ns", "mean", UNIT_NS, "those after which no other begins are left out" },
	{ "stddev_ns", "stddev", UNIT_NS, "as the mean" },
	{ "min_ns", "min", UNIT_NS, "as the mean" },
	{ "max_ns", "max", UNIT_NS, "one after which no other begins took at least so long" },
	{ "p95_ns", "p95", UNIT_NS, "as the mean" },
	{ "per_second", "per second", UNIT_REAL, "by the median" },
	{ "warm_up", "warm-up", UNIT_COUNT, "at the begin, slower than the others" },
	{ "slow", "slow", UNIT_COUNT, "later ones that took much longer than the median" },
	{ "begin_ns", "from", UNIT_TIME, "begin of the first" },
	{ "end_ns", "to", UNIT_TIME, "end of the last" },
	{ "how", "how", UNIT_TEXT, "marks, ranges (of the program), calls (their rhythm), not found" },
	{ "confidence", "sure", UNIT_FRACTION, "how much of what is traced agrees" },
	{ "text", "in words", UNIT_TEXT, "" },
	{ "epochs", "epochs", UNIT_TREE, "as in the table epochs" },
};

static const struct column epoch_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "epoch", "epoch", UNIT_ID, "its number" },
	{ "begin_ns", "from", UNIT_TIME, "" },
	{ "end_ns", "to", UNIT_TIME, "an evaluation after it included" },
	{ "iterations", "iterations", UNIT_COUNT, "" },
	{ "evaluations", "evaluations", UNIT_COUNT, "batches that only went forward" },
	{ "median_ns", "median", UNIT_NS, "of one iteration" },
};

static const struct column slow_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "iteration", "iteration", UNIT_ID, "from 1" },
	{ "epoch", "epoch", UNIT_ID, "" },
	{ "begin_ns", "from", UNIT_TIME, "" },
	{ "duration_ns", "duration", UNIT_NS, "" },
	{ "extra_ns", "extra", UNIT_NS, "beyond the median" },
	{ "why", "why", UNIT_TEXT, "what was different in it" },
};

/* ---- epochs ---- */

static double epoch_median(const struct iterations *it, size_t epoch)
{
	size_t first = 0, count = 0;

	while (first < it->listed && it->list[first].epoch < epoch)
		first++;
	while (first + count < it->listed && it->list[first + count].epoch == epoch)
		count++;
	return iterations_median(it->list + first, count);
}

/* Of a long run that marks divide nobody knows how many were in each. */
static bool is_told(const struct iterations *it, const struct epoch *e)
{
	return it->how && (it->listed || e->iterations);
}

static json_t *epoch_list(const struct iterations *it)
{
	json_t *list = json_array();

	for (size_t i = 0; i < it->epoch_count; i++) {
		const struct epoch *e = &it->epochs[i];

		json_array_append_new(list, json_pack("{s:I, s:I, s:I, s:o, s:o}",
			"number", (json_int_t)e->number, "begin_ns", (json_int_t)e->begin,
			"end_ns", (json_int_t)e->end,
			"iterations", is_told(it, e) ? json_integer((json_int_t)e->iterations) : json_null(),
			"evaluations", is_told(it, e) ? json_integer((json_int_t)e->evaluations) : json_null()));
	}
	return list;
}

static void add_epochs(const struct process *p, struct table *t)
{
	const struct iterations *it = process_iterations(p);

	for (size_t i = 0; i < it->epoch_count; i++) {
		const struct epoch *e = &it->epochs[i];
		double median = epoch_median(it, i);

		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_int(t, "epoch", e->number);
		table_set_int(t, "begin_ns", e->begin);
		table_set_int(t, "end_ns", e->end);
		if (is_told(it, e)) {
			table_set_uint(t, "iterations", e->iterations);
			table_set_uint(t, "evaluations", e->evaluations);
		}
		if (median > 0)
			table_set_real(t, "median_ns", median);
	}
}

/* ---- iterations ---- */

/* "28 iterations in 4 epochs of 7, 12.3 ms each (median), warm after 2, 1 slow one" */
static void set_words(struct table *t, const struct iterations *it)
{
	uint64_t epochs = it->epoch_count + it->epochs_more;
	char text[512], time[FORMAT_SIZE];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "%s iteration%s", COUNT_TEXT(it->count),
			     it->count == 1 ? "" : "s");
	if (epochs)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " in %s epoch%s", COUNT_TEXT(epochs),
				      epochs == 1 ? "" : "s");
	if (it->median > 0)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", %s each (median)",
				      format_ns(time, it->median, true));
	if (it->warm_up)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", warm after %s", COUNT_TEXT(it->warm_up));
	if (it->slow)
		snprintf(text + n, sizeof(text) - n, ", %s slow one%s", COUNT_TEXT(it->slow),
			 it->slow == 1 ? "" : "s");
	table_set_text(t, "text", text);
}

static void set_why_not(struct table *t, const struct iterations *it)
{
	char text[512];

	snprintf(text, sizeof(text), "%s", it->why_not);
	if (it->epoch_count)
		snprintf(text, sizeof(text), "iterations %s; %zu epochs %s", it->why_not, it->epoch_count,
			 it->epochs_by);
	table_set_text(t, "text", text);
}

static void set_durations(struct table *t, const struct iterations *it)
{
	if (it->median > 0) {
		table_set_real(t, "median_ns", it->median);
		table_set_real(t, "per_second", 1e9 / it->median);
	}
	if (it->mean > 0) {
		table_set_real(t, "mean_ns", it->mean);
		table_set_real(t, "stddev_ns", it->deviation);
	}
	if (it->max) {
		table_set_uint(t, "min_ns", it->min);
		table_set_uint(t, "max_ns", it->max);
	}
	if (it->p95 > 0)
		table_set_real(t, "p95_ns", it->p95);
	if (it->curve.count) {
		table_set_uint(t, "warm_up", it->warm_up);
		table_set_uint(t, "slow", it->slow);
	}
}

static void add_iterations(const struct process *p, struct table *t)
{
	const struct iterations *it = process_iterations(p);

	if (!it->how && !it->why_not)
		return;
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_text(t, "how", it->how ? it->how : "not found");
	if (it->epoch_count + it->epochs_more) {
		table_set_uint(t, "epoch_count", it->epoch_count + it->epochs_more);
		table_set_tree(t, "epochs", epoch_list(it));
	}
	if (!it->how) {
		set_why_not(t, it);
		return;
	}
	table_set_uint(t, "count", it->count);
	table_set_uint(t, "evaluations", it->evaluations);
	set_durations(t, it);
	set_time(t, "begin_ns", it->begin);
	set_time(t, "end_ns", it->end);
	table_set_real(t, "confidence", it->confidence);
	set_words(t, it);
}

static void add_slow(const struct process *p, struct table *t)
{
	const struct iterations *it = process_iterations(p);

	for (size_t i = 0; i < it->slowest_count; i++) {
		const struct iteration *one = &it->slowest[i].one;
		char why[256];

		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_uint(t, "iteration", it->slowest[i].number);
		if (one->epoch < it->epoch_count)
			table_set_int(t, "epoch", it->epochs[one->epoch].number);
		table_set_int(t, "begin_ns", one->begin);
		table_set_int(t, "duration_ns", one->end - one->begin);
		table_set_int(t, "extra_ns", one->end - one->begin - (int64_t)it->median);
		set_text(t, "why", slow_why(p, it, one, why, sizeof(why)));
	}
}

void run_iterations(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "iterations", "Iterations", COLUMNS(iteration_columns)),
		     add_iterations);
}

void run_epochs(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "epochs", "Epochs", COLUMNS(epoch_columns)), add_epochs);
}

void run_slow_iterations(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "slow_iterations", "Slow iterations",
					   COLUMNS(slow_columns));

	each_process(m, t, add_slow);
	table_sort_falling(t, "extra_ns");
}

/* SPDX-License-Identifier: MIT */
/* Checks of time: shares, nesting, clocks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/verify.h"

#define ROUNDING	1e-9	/* of a sum of shares, each a rounded quotient */
/*
 * The two clocks are read one after the other by a sampler that may lose the processor in between:
 * only what no scheduler explains is uneven.
 */
#define RESIDUAL_LEAST	10000000	/* ns, root of the mean square */
#define RESIDUAL_PART	1e-3		/* of the time between the first and the last pair */

/* ---- shares ---- */

struct part {
	uint64_t whose;		/* process or trace */
	const char *layer, *framework;
	double share;
};

static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = (x->whose > y->whose) - (x->whose < y->whose);

	if (!order)
		order = strcmp(x->layer, y->layer);
	return order ? order : strcmp(x->framework, y->framework);
}

struct sums_of_shares {
	uint64_t groups;
	double worst;
	char first[160];
};

/* Nothing that took any time has no share: 0 of 0 is no sum. */
static void sum_up(struct sums_of_shares *s, const struct part *parts, size_t count, const char *table)
{
	for (size_t begin = 0, end; begin < count; begin = end) {
		double sum = 0, off;

		for (end = begin; end < count && !compare(&parts[begin], &parts[end]); end++)
			sum += parts[end].share;
		off = sum ? fabs(sum - 1) : 0;
		s->groups++;
		if (off <= ROUNDING || off <= s->worst)
			continue;
		s->worst = off;
		snprintf(s->first, sizeof(s->first), "; those of layer %.60s in `%s` make %.9g",
			 parts[begin].layer, table, sum);
	}
}

static bool of_trace(const struct trace *t, uint64_t index)
{
	return t->index == index;
}

static bool of_process(const struct trace *t, uint64_t id)
{
	uint64_t first = 0, last = 0;

	/* Ids are given trace by trace, in order. */
	for (size_t i = 0; i < t->process_count && !first; i++)
		first = (uint64_t)t->processes[i]->report_id;
	for (size_t i = t->process_count; i > 0 && !last; i--)
		last = (uint64_t)t->processes[i - 1]->report_id;
	return first && id >= first && id <= last;
}

static void sum_shares(struct sums_of_shares *s, const struct trace *trace, const struct table *t,
		       const char *whose, const char *framework,
		       bool (*wanted)(const struct trace *, uint64_t))
{
	struct part *parts = xcalloc(t->row_count + 1, sizeof(*parts));
	size_t count = 0;

	for (size_t row = 0; row < t->row_count; row++) {
		const struct cell *share = table_get(t, row, "share");

		parts[count] = (struct part){
			.whose = table_get(t, row, whose)->u, .share = cell_real(share),
			.layer = cell_text(table_get(t, row, "layer")),
			.framework = framework ? cell_text(table_get(t, row, framework)) : "",
		};
		count += share->type != CELL_NULL && wanted(trace, parts[count].whose);
	}
	qsort(parts, count, sizeof(*parts), compare);
	sum_up(s, parts, count, t->name);
	free(parts);
}

void check_shares(const struct trace *t, const struct report *r, struct check_result *c)
{
	struct sums_of_shares s = { .groups = 0 };

	sum_shares(&s, t, report_table(r, "breakdown"), "process", NULL, of_process);
	sum_shares(&s, t, report_table(r, "shares"), "trace", "framework", of_trace);
	check_verdict(c, s.groups, s.worst, "%s denominators in `breakdown` and `shares`%s",
		      COUNT_TEXT(s.groups), s.first);
}

/* ---- phases ---- */

/* Of a kind, in all rows of the trace; *rows: more of them. */
static double sum_kind(const struct table *t, uint64_t trace, const char *where, const char *kind, uint64_t *rows)
{
	double sum = 0;

	for (size_t row = 0; row < t->row_count; row++)
		if (cell_uint(table_get(t, row, "trace")) == trace &&
		    !strcmp(cell_text(table_get(t, row, "where")), where) &&
		    !strcmp(cell_text(table_get(t, row, "kind")), kind)) {
			sum += cell_real(table_get(t, row, "self_ns"));
			++*rows;
		}
	return sum;
}

void check_phases(const struct trace *t, const struct report *r, struct check_result *c)
{
	const struct table *kinds = report_table(r, "kinds"), *phases = report_table(r, "phase_kinds");
	uint64_t compared = 0;
	char first[160] = "";
	double off = 0;

	for (size_t row = 0; row < kinds->row_count; row++) {
		const char *where = cell_text(table_get(kinds, row, "where"));
		const char *kind = cell_text(table_get(kinds, row, "kind"));
		double here;

		if (cell_uint(table_get(kinds, row, "trace")) != t->index)
			continue;
		here = fabs(sum_kind(phases, t->index, where, kind, &compared) -
			    cell_real(table_get(kinds, row, "self_ns")));
		if (here > 0 && !*first)
			snprintf(first, sizeof(first), "; not so for %.40s", kind);
		off += here;
	}
	check_verdict(c, compared, off, "%s sums of `phase_kinds` with `kinds`%s", COUNT_TEXT(compared), first);
}

/* ---- nesting ---- */

/* Time that one function cannot have taken. */
static uint64_t impossible(const struct sums *s)
{
	uint64_t off = 0;

	off += s->outer_total > s->total ? s->outer_total - s->total : 0;
	off += s->nested > s->total ? s->nested - s->total : 0;
	off += s->outer_calls > s->calls;
	off += s->calls && (u128)s->min * s->calls > s->total;
	off += s->calls && (u128)s->max * s->calls < s->total;
	return off;
}

static uint64_t threads_of(const struct process *p)
{
	return p->thread_count ? p->thread_count : 1;
}

/* Outermost calls cannot take more than all of its threads' time. */
static uint64_t too_much(const struct process *p, uint64_t outermost)
{
	u128 most = (u128)process_life(p) * threads_of(p);

	return process_life(p) && outermost > most ? (uint64_t)(outermost - most) : 0;
}

void check_nesting(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t functions = 0, off = 0;
	char first[160] = "";

	(void)r;
	each_checked(p, t) {
		uint64_t outermost = 0, here = 0;

		for (size_t i = 0; i < p->profile_count; i++) {
			const struct profile *f = p->profile_list[i];

			if (!f->timed || f->work)
				continue;
			functions++;
			outermost += profile_sums(f)->outer_total;
			here += impossible(profile_sums(f));
		}
		here += too_much(p, outermost);
		off += here;
		if (here && !*first)
			snprintf(first, sizeof(first), "; not so in %.80s", process_who(p));
	}
	check_verdict(c, functions, (double)off, "%s functions: outermost calls within all "
		      "calls, and within the life of all threads%s", COUNT_TEXT(functions), first);
}

/* ---- clocks ---- */

void check_clocks(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t samples = 0, off = 0;
	char first[160] = "";

	(void)r;
	each_checked(p, t) {
		const struct checked *k = &p->checked;
		bool ends_early = p->begin != UNKNOWN && p->end != UNKNOWN && p->end < p->begin;
		uint64_t here = k->backwards + k->early + ends_early;

		samples += k->samples;
		off += here;
		if (here && !*first)
			snprintf(first, sizeof(first), "; in %.80s: %s backwards, %s said before they were taken",
				 process_who(p), COUNT_TEXT(k->backwards), COUNT_TEXT(k->early));
	}
	check_verdict(c, samples, (double)off, "%s readings%s", COUNT_TEXT(samples), first);
}

void check_clock_rate(const struct trace *t, const struct report *r, struct check_result *c)
{
	double worst = 0, worst_rate = 0, span = 0, off = 0;
	uint64_t pairs = 0;
	bool failed = false;

	(void)r;
	each_checked(p, t) {
		const struct clock_fit *f = &p->checked.clock;
		double rate, residual, here = (double)(f->ns1 - f->ns0);

		if (!clock_fit_line(f, &rate, &residual))
			continue;
		pairs += f->n;
		if (residual > RESIDUAL_LEAST && residual > here * RESIDUAL_PART) {
			failed = true;
			off = residual > off ? residual : off;
		}
		if (residual >= worst) {
			worst = residual;
			worst_rate = rate;
			span = here;
		}
	}
	if (!pairs) {
		check_not_applicable(c, "durations were not measured by the time-stamp counter, or the "
				     "run was too short");
		return;
	}
	check_verdict(c, pairs, failed ? off : 0, "%s pairs of both clocks: %.6g MHz, within %.3g us "
		      "over %.3g s (root of the mean square, the sampler's own pauses included)", COUNT_TEXT(pairs),
		      worst_rate / 1e6, worst / 1e3, span / 1e9);
}

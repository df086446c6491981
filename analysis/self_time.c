/* SPDX-License-Identifier: MIT */
/* A function's own time, as a whole and by phase. */
#include "analysis/self_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/model/memory.h"

/* One profile while time is shared out, ns. */
struct own {
	const char *kind;		/* NULL: it has no durations, or is work of a GPU */
	uint64_t outer[PHASES_MAX];	/* own time of the outermost calls that are events */
	double pool[PHASES_MAX];	/* that others took inside them, and that nobody has yet */
	double inner, left;		/* own time of its nested calls; what of it is in no phase yet */
	double unseen;			/* ... of outermost calls that are no events */
	double doubt;			/* what of `unseen` may be of nested calls */
	double unknown[PHASES_MAX];	/* in it ran functions that no totals name */
	double given[PHASES_MAX];
};

struct sharing {
	const struct process *p;
	const struct phases *phases;
	struct own *list;
	struct self_time *times;
	double nested;			/* ns, over all profiles */
	double nameless;		/* of it in functions that no totals name */
};

static double at_least_0(double x)
{
	return x > 0 ? x : 0;
}

/* Rounded, and bounded: a trace may say anything. */
static uint64_t whole_ns(double x)
{
	return x < (double)INT64_MAX ? (uint64_t)(x + 0.5) : INT64_MAX;
}

/* ---- the whole ---- */

/* What the totals name no function for, as of a part of the trace, stays with those in which it ran. */
static void set_wholes(struct sharing *s)
{
	double outermost = 0, own = 0, reached = 0;
	uint64_t given = 0;

	for (size_t i = 0; i < s->p->profile_count; i++) {
		const struct sums *sums = profile_counts(s->p, s->p->profile_list[i]);

		if (!s->list[i].kind)
			continue;
		outermost += (double)sums->outer_total;
		s->times[i].whole = sums->total > sums->nested ? sums->total - sums->nested : 0;
		own += (double)s->times[i].whole;
		s->nested += (double)sums->nested;
	}
	s->nameless = fmin(at_least_0(outermost - own), s->nested);
	for (size_t i = 0; i < s->p->profile_count && s->nameless > 0; i++) {
		uint64_t until;

		if (!s->list[i].kind)
			continue;
		reached += (double)profile_counts(s->p, s->p->profile_list[i])->nested;
		until = whole_ns(s->nameless * reached / s->nested);
		s->times[i].whole += until - given;
		given = until;
	}
}

/* ---- by phase ---- */

/* Events hold no more than 4.29 s of nested time: what is more than the whole was nested as well. */
static void fit(struct own *o, size_t phases, double own, double whole)
{
	for (size_t k = 0; k < phases && own > whole; k++) {
		uint64_t fits = whole_ns(floor((double)o->outer[k] * whole / own));

		o->pool[k] += (double)(o->outer[k] - fits);
		o->outer[k] = fits;
	}
}

static void add_outermost(struct sharing *s, size_t i)
{
	const struct profile *f = s->p->profile_list[i];
	const struct sums *sums = profile_counts(s->p, f);
	double part = s->nested > 0 ? s->nameless / s->nested : 0, seen = 0, own = 0, nested = 0;
	struct own *o = &s->list[i];
	struct slice sum[PHASES_MAX];

	phases_slices(s->phases, &f->slices, sum);
	for (size_t k = 0; k < s->phases->count; k++) {
		o->outer[k] = sum[k].outer > sum[k].nested ? sum[k].outer - sum[k].nested : 0;
		o->unknown[k] = part * (double)sum[k].nested;
		o->pool[k] = (double)sum[k].nested - o->unknown[k];
		seen += (double)sum[k].outer;
		own += (double)o->outer[k];
		nested += (double)sum[k].nested;
	}
	fit(o, s->phases->count, own, (double)s->times[i].whole);
	own = fmin(own, (double)s->times[i].whole);
	for (size_t k = 0; k < s->phases->count; k++)
		own += o->unknown[k];
	o->unseen = fmin(at_least_0((double)sums->outer_total - seen), at_least_0((double)s->times[i].whole - own));
	o->left = o->inner = at_least_0((double)s->times[i].whole - own - o->unseen);
	o->doubt = fmin(o->unseen, at_least_0((double)sums->nested - nested));
}

/* To nested calls of that kind what ran inside outermost ones of it, by how long all of them took; NULL: of any. */
static void share_out(struct sharing *s, const char *kind)
{
	double left = 0, pool[PHASES_MAX] = { 0 }, pools = 0, most;

	for (size_t i = 0; i < s->p->profile_count; i++) {
		const struct own *o = &s->list[i];

		if (!o->kind || (kind && strcmp(o->kind, kind)))
			continue;
		left += o->left;
		for (size_t k = 0; k < s->phases->count; k++) {
			pool[k] += o->pool[k];
			pools += o->pool[k];
		}
	}
	most = fmax(left, pools);
	for (size_t i = 0; i < s->p->profile_count && left > 0 && pools > 0; i++) {
		struct own *o = &s->list[i];

		if (!o->kind || (kind && strcmp(o->kind, kind)))
			continue;
		for (size_t k = 0; k < s->phases->count; k++) {
			o->given[k] += o->left * pool[k] / most;
			o->pool[k] -= o->pool[k] * left / most;
		}
		o->left -= o->left * pools / most;
	}
}

static void share_out_all(struct sharing *s)
{
	static const char *const kinds[] = {
		"allocate", "copy", "launch", "synchronise", "initialise", "compute", "communicate", "transfer",
		"wait", NULL,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		share_out(s, kinds[i]);
}

/* Whole ns that add up to the whole. */
static void set_phases(struct sharing *s, size_t i)
{
	const struct own *o = &s->list[i];
	struct self_time *t = &s->times[i];
	uint64_t left = t->whole, until, given = 0;
	double reached = 0;

	for (size_t k = 0; k < s->phases->count; k++)
		left -= o->outer[k] < left ? o->outer[k] : left;
	for (size_t k = 0; k < s->phases->count; k++) {
		reached += o->given[k] + o->unknown[k];
		until = whole_ns(reached);
		until = until < left ? until : left;
		t->phase[k] = o->outer[k] + (until - given);
		given = until;
	}
	t->elsewhere = left - given;
}

/* As much of a phase's nested time as there is of the function's, to as little as all others leave. */
static void set_errors(struct sharing *s, const double pool[PHASES_MAX])
{
	double all = 0;

	for (size_t i = 0; i < s->p->profile_count; i++)
		all += s->list[i].inner + s->list[i].doubt;
	for (size_t i = 0; i < s->p->profile_count; i++) {
		const struct own *o = &s->list[i];
		double own = o->inner + o->doubt;

		for (size_t k = 0; k < s->phases->count && o->kind; k++) {
			double most = fmin(own, pool[k]), least = at_least_0(pool[k] - (all - own));

			s->times[i].error[k] = whole_ns(fmax(at_least_0(most - o->given[k]), o->given[k] - least) +
							o->unknown[k]);
		}
	}
}

static void set_by_phase(struct sharing *s)
{
	double pool[PHASES_MAX] = { 0 };

	for (size_t i = 0; i < s->p->profile_count; i++) {
		if (!s->list[i].kind)
			continue;
		add_outermost(s, i);
		for (size_t k = 0; k < s->phases->count; k++)
			pool[k] += s->list[i].pool[k];
	}
	share_out_all(s);
	for (size_t i = 0; i < s->p->profile_count; i++)
		set_phases(s, i);
	set_errors(s, pool);
}

/* The work of a GPU holds no other. */
static void set_work(const struct sharing *s, size_t i)
{
	const struct profile *f = s->p->profile_list[i];
	struct slice sum[PHASES_MAX];

	s->times[i].whole = s->times[i].elsewhere = profile_counts(s->p, f)->total;
	phases_slices(s->phases, &f->slices, sum);
	for (size_t k = 0; k < s->phases->count; k++) {
		s->times[i].phase[k] = sum[k].outer;
		s->times[i].elsewhere -= sum[k].outer < s->times[i].elsewhere ? sum[k].outer : s->times[i].elsewhere;
	}
}

struct self_time *self_times(const struct process *p)
{
	struct sharing s = {
		.p = p, .phases = phases_around(p), .list = xcalloc(p->profile_count + 1, sizeof(*s.list)),
		.times = xcalloc(p->profile_count + 1, sizeof(*s.times)),
	};

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		if (f->timed && !f->work)
			s.list[i].kind = profile_names(p, f)->kind;
	}
	set_wholes(&s);
	if (s.phases->count)
		set_by_phase(&s);
	for (size_t i = 0; i < p->profile_count; i++)
		if (p->profile_list[i]->work)
			set_work(&s, i);
	free(s.list);
	return s.times;
}

/* SPDX-License-Identifier: MIT */
/*
 * Iterations of a run too long for all its times to be kept: the pattern is judged by the first
 * ones, of which each call's time is known, and counted by its calls, whose number is exact.
 *
 * Rounds are looked for up to a moment until which what works is known one by one: as early as the
 * most frequent calls allow, else later without these. What the rounds predict must hold for the
 * whole run, or nothing is said.
 */
#include <stdlib.h>

#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define LEAST_ROUNDS	16
#define TRIES		4	/* up to a third of what works is left out */
#define LEAST_SAME	0.75	/* of the family comes equally often in the whole run */
#define NEAR		0.25	/* of what is predicted */

/* Until when each beat that works is known, the shortest first; the caller's. */
static int64_t *horizons(const struct process *p, enum series_way way, size_t *count)
{
	int64_t *list = xcalloc(p->rhythm.count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; i < p->rhythm.count; i++)
		if (series_works(way, p, &p->rhythm.beats[i]))
			list[(*count)++] = series_horizon(&p->rhythm.beats[i]);
	times_sort(list, *count);
	return list;
}

/* ---- rounds that are complete ---- */

/* Like series_alternate, where the last round may be cut: one of them comes once more. */
static bool alternates(const struct series_of *anchor, const struct series_of *one)
{
	struct series_of a = *anchor, b = *one;

	if (b.count > a.count + 1 || b.count + 1 < a.count)
		return false;
	a.count = b.count = a.count < b.count ? a.count : b.count;
	return series_alternate(&a, &b);
}

/* The last time of what comes first in a round: until then all rounds are whole. */
static int64_t last_begin(const struct rounds *r)
{
	const struct series_of *first = r->family.anchor;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		if (!one->dropped && one->work && one->at[0] < first->at[0] &&
		    alternates(r->family.anchor, one))
			first = one;
	}
	return first->at[first->count - 1];
}

/* False: none, or too few. To be released in any case. */
static bool first_rounds(struct rounds *r, const struct process *p, enum series_way way, int64_t until)
{
	if (!rounds_find(r, p, way, until))
		return false;
	until = last_begin(r);
	rounds_release(r);
	return rounds_find(r, p, way, until) && r->count >= LEAST_ROUNDS;
}

/* ---- the whole run ---- */

static bool is_member(const struct rounds *r, const struct series_of *one)
{
	return !one->dropped && one->work && one->count == r->count &&
	       series_alternate(r->family.anchor, one);
}

/* The members that come that often in the whole run, and when they do in the first round. */
struct group {
	uint64_t total;
	size_t members;
	int64_t first, last;
};

/* Of all members by their totals, into `groups`, which has room for all. */
static size_t group(const struct rounds *r, struct group *groups)
{
	size_t count = 0;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];
		size_t k = 0;

		if (!is_member(r, one))
			continue;
		while (k < count && groups[k].total != one->total)
			k++;
		if (k == count)
			groups[count++] = (struct group){ one->total, 0, one->at[0], one->at[0] };
		groups[k].members++;
		if (one->at[0] < groups[k].first)
			groups[k].first = one->at[0];
		if (one->at[0] > groups[k].last)
			groups[k].last = one->at[0];
	}
	return count;
}

/*
 * Do all others come before it in a round, and more often in the whole run? They go forward, as
 * evaluations do, too; how often may differ, as very short calls are no events.
 */
static bool follows_forward(const struct group *groups, size_t count, const struct group *less)
{
	for (size_t k = 0; k < count; k++)
		if (&groups[k] != less && (groups[k].total < less->total || groups[k].last >= less->first))
			return false;
	return less->members > 1;
}

/*
 * What goes forward may come more often than what follows it (evaluations); else nearly all come
 * equally often. 0: neither is so.
 */
static uint64_t count_rounds(const struct rounds *r)
{
	struct group *groups = xcalloc(r->all.count + 1, sizeof(*groups)), *most = &groups[0];
	size_t count = group(r, groups), members = 0;
	uint64_t result = 0;

	for (size_t k = 0; k < count; k++) {
		members += groups[k].members;
		if (groups[k].members > most->members)
			most = &groups[k];
	}
	for (size_t k = 0; count > 1 && k < count; k++)
		if (follows_forward(groups, count, &groups[k]))
			result = groups[k].total;
	if (!result && most->members >= LEAST_SAME * (double)members)
		result = most->total;
	free(groups);
	return result;
}

static bool is_near(double is, double expected)
{
	return is >= (1 - NEAR) * expected - 2 && is <= (1 + NEAR) * expected + 2;
}

/* Does the whole run go on as it began, until its end, and does nothing else come as often? */
static bool goes_on(const struct rounds *r, const struct process *p, enum series_way way, const struct long_run *run)
{
	double factor = (double)run->count / (double)r->count;
	size_t asked = 0, as_told = 0;
	int64_t work_end = run->end;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		if (one->dropped || !one->work || 2 * one->count < r->count)
			continue;
		asked++;
		as_told += is_near((double)one->total, (double)one->count * factor);
	}
	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		if (!series_works(way, p, b))
			continue;
		asked += b->ticks[0].at >= r->begin.at[r->count - 1] && 4 * b->count >= run->count;
		work_end = b->last > work_end ? b->last : work_end;
	}
	return 3 * as_told >= 2 * asked &&
	       (double)(work_end - run->end) <= NEAR * (double)(work_end - run->begin);
}

/* Batches that only went forward: what comes once a round, and more often in the whole run. */
static uint64_t evaluations(const struct rounds *r, uint64_t count)
{
	uint32_t *each = xcalloc(r->count, sizeof(*each));
	uint64_t most = count;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		if (one->dropped || !one->work || one->count < r->count || one->total <= most ||
		    one->total >= 2 * count)
			continue;
		series_between(&r->begin, one, each);
		if (usual(each, r->count) == 1)
			most = one->total;
	}
	free(each);
	return most - count;
}

/* ---- how long they take ---- */

struct part {
	double each;		/* ns */
	uint64_t count;
};

static int by_each(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->each > y->each) - (x->each < y->each);
}

/* Of neighbours only their mean is known: the median of these. 0: not known. */
static double median_of(const struct beat *b)
{
	struct part *parts = xcalloc(b->used, sizeof(*parts));
	uint64_t all = 0, before = 0;
	double median = 0;
	size_t count = 0;

	for (uint32_t i = 0; i + 1 < b->used; i++) {
		const struct tick *t = &b->ticks[i];

		parts[count++] = (struct part){ (double)(t[1].at - t->at) / t->count, t->count };
		all += t->count;
	}
	qsort(parts, count, sizeof(*parts), by_each);
	for (size_t i = 0; i < count && 2 * before < all; i++) {
		before += parts[i].count;
		median = parts[i].each;
	}
	free(parts);
	return median;
}

static bool has_pace(const struct beat *b, uint64_t count)
{
	return b && b->count == count && beat_pace(b);
}

static void describe(const struct rounds *r, struct long_run *run)
{
	run->begin = r->begin.at[0];
	run->end = run->begin;
	run->confidence = r->family.even * (1 - 0.5 / (double)r->family.members);
	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		if (!is_member(r, one) || one->total != run->count)
			continue;
		if (one->last > run->end)
			run->end = one->last;
		if (one->whole && one->whole->used > 1 && !run->median)
			run->median = median_of(one->whole);
		if (has_pace(one->whole, run->count) && (!run->beat || one->at[0] < run->beat->ticks[0].at))
			run->beat = one->whole;
	}
}

void long_find(struct long_run *run, const struct process *p, enum series_way way)
{
	size_t count, at;
	int64_t *until = horizons(p, way, &count), tried = INT64_MIN;

	*run = (struct long_run){ .works = count };
	while (run->hidden < count && until[run->hidden] != INT64_MAX)
		run->hidden++;
	for (size_t i = 0; i <= TRIES && count && !run->first; i++) {
		struct rounds r = { 0 };

		at = count * i / (3 * TRIES);
		if (until[at] == INT64_MAX || until[at] == tried)
			continue;
		tried = until[at];
		if (first_rounds(&r, p, way, tried)) {
			run->first = r.count;
			run->count = count_rounds(&r);
			describe(&r, run);
			run->evaluations = evaluations(&r, run->count);
			run->sure = run->count && goes_on(&r, p, way, run);
		}
		rounds_release(&r);
	}
	free(until);
}

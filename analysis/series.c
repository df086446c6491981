/* SPDX-License-Identifier: MIT */
/* Beats as series of times: made from a process's rhythm, thinned, compared. */
#include "analysis/series.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

void series_release(struct all_series *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->list[i].at);
	free(all->list);
	*all = (struct all_series){ 0 };
}

/* ---- comparing ---- */

size_t series_before(const struct series_of *s, int64_t at)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->at[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool series_alternate(const struct series_of *a, const struct series_of *b)
{
	const struct series_of *first = a->at[0] <= b->at[0] ? a : b;
	const struct series_of *second = first == a ? b : a;

	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (first->at[i] > second->at[i] ||
		    (i + 1 < a->count && second->at[i] > first->at[i + 1]))
			return false;
	return true;
}

void series_between(const struct series_of *anchor, const struct series_of *s, uint32_t *each)
{
	size_t j = series_before(s, anchor->at[0]);

	for (size_t i = 0; i < anchor->count; i++) {
		each[i] = 0;
		while (j < s->count && (i + 1 == anchor->count || s->at[j] < anchor->at[i + 1])) {
			each[i]++;
			j++;
		}
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint32_t usual(const uint32_t *each, size_t count)
{
	uint32_t *sorted = xcalloc(count + 1, sizeof(*sorted)), best = 0;
	size_t longest = 0, run = 0;

	memcpy(sorted, each, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_number);
	for (size_t i = 0; i < count; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		if (run > longest) {
			longest = run;
			best = sorted[i];
		}
	}
	free(sorted);
	return best;
}

/* ---- thinning ---- */

static bool alike(const struct series_of *a, const struct series_of *b)
{
	return a->beat->thread == b->beat->thread && a->beat->kind == b->beat->kind &&
	       a->beat->function == b->beat->function && a->beat->library == b->beat->library;
}

/*
 * How often those of `part` begin to come among those of `all`: 1 if all of its come one after
 * another. 0: they are not all among them.
 */
static size_t runs_within(const struct series_of *part, const struct series_of *all)
{
	size_t j = 0, runs = 0;

	if (part->count > all->count)
		return 0;
	for (size_t i = 0; i < part->count; i++) {
		size_t before = j;

		while (j < all->count && all->at[j] < part->at[i])
			j++;
		if (j == all->count || all->at[j] != part->at[i])
			return 0;
		runs += !i || j != before;
		j++;
	}
	return runs;
}

/*
 * The shapes of `all` that stand for a part of its calls each. Where they are different layers,
 * they take turns, and tell more than their sum. Where they are batches of different sizes, most
 * follow upon their own kind: only the sum tells the rounds.
 */
static void drop_parts(struct all_series *s, struct series_of *all)
{
	bool batches = false;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < s->count; i++) {
			struct series_of *part = &s->list[i];
			size_t runs;

			if (part == all || part->dropped || part->beat->kind != BEAT_BLAS ||
			    !alike(part, all) || !(runs = runs_within(part, all)))
				continue;
			if (part->count == all->count)
				part->dropped = true;
			else if (!pass)
				batches |= part->count > 2 && 2 * runs <= part->count;
			else
				part->dropped = part->batch = batches;
		}
	}
}

static int by_count(const void *a, const void *b)
{
	const struct series_of *x = a, *y = b;

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return (x->beat->hash > y->beat->hash) - (x->beat->hash < y->beat->hash);
}

/* ---- making ---- */

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_work(const struct beat *b)
{
	return b->kind != BEAT_HEAP && b->kind != BEAT_FREE && b->kind != BEAT_MAP;
}

static void add_ticks(struct series_of *s, const struct beat *b, int64_t from)
{
	size_t room = s->count;

	for (uint32_t i = 0; i < b->used; i++)
		room += b->ticks[i].count;
	s->at = xcheck(reallocarray(s->at, room + 1, sizeof(*s->at)), room);
	for (uint32_t i = 0; i < b->used; i++)
		for (uint32_t k = 0; k < b->ticks[i].count && b->ticks[i].at >= from; k++)
			s->at[s->count++] = b->ticks[i].at;
}

void series_add_beat(struct series_of *s, const struct beat *b)
{
	bool behind = !s->count || !b->used || b->ticks[0].at >= s->at[s->count - 1];

	add_ticks(s, b, INT64_MIN);
	if (!behind)
		qsort(s->at, s->count, sizeof(*s->at), by_time);
}

/* A kernel's launches are one, whatever their grids, which go with the batch. */
static struct series_of *same_kernel(struct all_series *all, const struct process *p,
				     const struct beat *b)
{
	const struct object *shape = process_find_object(p, OBJECT_SHAPE, (uint32_t)b->a);

	for (size_t i = 0; shape && i < all->count; i++) {
		struct series_of *s = &all->list[i];
		const struct object *other;

		if (s->beat->kind != BEAT_LAUNCH || s->beat->thread != b->thread)
			continue;
		other = process_find_object(p, OBJECT_SHAPE, (uint32_t)s->beat->a);
		if (other && other->values[SHAPE_KERNEL] == shape->values[SHAPE_KERNEL])
			return s;
	}
	return NULL;
}

static void collect_beat(struct all_series *all, const struct process *p, const struct beat *b)
{
	int64_t from = is_work(b) ? INT64_MIN : p->rhythm.work;
	struct series_of *s = b->kind == BEAT_LAUNCH ? same_kernel(all, p, b) : NULL;

	if (b->shift) {
		all->cut = true;
		return;
	}
	if (b->kind == BEAT_FREE)
		return;
	if (s) {
		add_ticks(s, b, from);
		qsort(s->at, s->count, sizeof(*s->at), by_time);
		return;
	}
	all->list = xgrow(all->list, all->count, &all->capacity, sizeof(*all->list));
	s = &all->list[all->count];
	*s = (struct series_of){ .beat = b, .work = is_work(b) };
	add_ticks(s, b, from == INT64_MAX ? INT64_MIN : from);
	if (s->count)
		all->count++;
	else
		free(s->at);
}

void series_collect(struct all_series *all, const struct process *p)
{
	for (size_t i = 0; i < p->rhythm.count; i++)
		collect_beat(all, p, &p->rhythm.beats[i]);
	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), by_count);
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i].beat->kind == BEAT_BLAS && !all->list[i].dropped)
			drop_parts(all, &all->list[i]);
}

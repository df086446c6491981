/* SPDX-License-Identifier: MIT */
/*
 * Calls of one kind right after each other as one: a library without batches is called for each image.
 *
 * Runs of two kinds alternate whatever is behind them. So where a thread's calls are of two kinds only, their order
 * says nothing, and both are dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/times.h"
#include "analysis/series.h"

/* Times of all calls of a thread that work, each once; the caller's. */
static int64_t *calls_of(const struct all_series *all, uint32_t thread, size_t *count)
{
	int64_t *at = NULL;
	size_t all_of = 0;

	*count = 0;
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i].work && all->list[i].beat->thread == thread)
			all_of += all->list[i].count;
	at = xcalloc(all_of + 1, sizeof(*at));
	all_of = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct series_of *s = &all->list[i];

		if (!s->work || s->beat->thread != thread)
			continue;
		memcpy(at + all_of, s->at, s->count * sizeof(*at));
		all_of += s->count;
	}
	times_sort(at, all_of);
	for (size_t i = 0; i < all_of; i++)
		if (!*count || at[*count - 1] != at[i])
			at[(*count)++] = at[i];
	return at;
}

static bool is_of(const struct series_of *s, uint32_t thread)
{
	return s->work && s->beat->thread == thread;
}

static bool share_none(const struct series_of *a, const struct series_of *b)
{
	for (size_t i = 0, k = 0; i < a->count && k < b->count; a->at[i] < b->at[k] ? i++ : k++)
		if (a->at[i] == b->at[k])
			return false;
	return true;
}

/* Two kinds that are all of a thread's calls. */
static void drop_pairs(struct all_series *all, uint32_t thread, size_t calls)
{
	for (size_t i = 0; i < all->count; i++) {
		struct series_of *one = &all->list[i];

		for (size_t k = i + 1; is_of(one, thread) && k < all->count; k++) {
			struct series_of *other = &all->list[k];

			if (is_of(other, thread) && one->count + other->count == calls && share_none(one, other))
				one->dropped = other->dropped = true;
		}
	}
}

/* Keeps those before which another call was. */
static void keep_first(struct series_of *s, const int64_t *calls, size_t count)
{
	size_t to = 0, before = count, k = 0;

	for (size_t i = 0; i < s->count; i++) {
		while (k < count && calls[k] < s->at[i])
			k++;
		if (!i || k != before + 1)
			s->at[to++] = s->at[i];
		before = k;
	}
	s->count = to;
}

void series_join_runs(struct all_series *all)
{
	bool *done = xcalloc(all->count + 1, sizeof(*done));

	for (size_t i = 0; i < all->count; i++) {
		uint32_t thread = all->list[i].beat->thread;
		size_t count;
		int64_t *calls;

		if (done[i] || !all->list[i].work)
			continue;
		calls = calls_of(all, thread, &count);
		drop_pairs(all, thread, count);
		for (size_t k = i; k < all->count; k++) {
			if (!is_of(&all->list[k], thread))
				continue;
			keep_first(&all->list[k], calls, count);
			done[k] = true;
		}
		free(calls);
	}
	free(done);
}

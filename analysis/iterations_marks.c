/* SPDX-License-Identifier: MIT */
/* Iterations and epochs that a program marks itself, or names in ranges. */
#include <stdlib.h>

#include "analysis/iterations_time.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"

static const struct mark *mark_of(const struct process *p, uint8_t kind)
{
	for (size_t i = 0; p->marks && i < p->marks->count; i++)
		if (p->marks->list[i]->kind == kind)
			return p->marks->list[i];
	return NULL;
}

static bool begins(const struct moment *m, const struct process *p, uint8_t kind)
{
	return m->process == p && m->kind == kind && m->number >= 0;
}

/* The last one's end may be among those that are not kept: then it is left out with what comes after it. */
static void count_more(const struct process *p, struct iterations *it)
{
	const struct mark *epochs = mark_of(p, MARK_EPOCH);
	uint64_t said = epochs ? epochs->sums.calls : 0;

	if (p->trace->moments.by_kind[MARK_EPOCH] <= MOMENTS_KEPT || said < it->epoch_count)
		return;
	if (it->epoch_count && it->epochs[it->epoch_count - 1].end == UNKNOWN) {
		if (said == it->epoch_count)
			it->epochs[it->epoch_count - 1].end = epochs->end;
		else
			it->epoch_count--;
	}
	it->epochs_more = said - it->epoch_count;
}

static void epochs_from_marks(const struct process *p, struct iterations *it, int64_t last)
{
	const struct moments *all = &p->trace->moments;
	size_t capacity = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct moment *m = &all->list[i];

		if (m->process != p || m->kind != MARK_EPOCH)
			continue;
		if (it->epoch_count && it->epochs[it->epoch_count - 1].end == UNKNOWN)
			it->epochs[it->epoch_count - 1].end = m->t;
		if (m->number < 0)
			continue;
		it->epochs = xgrow(it->epochs, it->epoch_count, &capacity, sizeof(*it->epochs));
		it->epochs[it->epoch_count++] = (struct epoch){
			.number = m->number, .begin = m->t, .end = UNKNOWN,
		};
	}
	count_more(p, it);
	if (it->epoch_count && it->epochs[it->epoch_count - 1].end == UNKNOWN)
		it->epochs[it->epoch_count - 1].end = last;
}

static void steps_from_marks(const struct process *p, struct iterations *it, int64_t last)
{
	const struct moments *all = &p->trace->moments;
	struct iteration *open = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct moment *m = &all->list[i];

		if (m->process != p || m->kind < MARK_EPOCH)
			continue;
		if (open)
			open->end = m->t;
		open = NULL;
		if (!begins(m, p, MARK_STEP))
			continue;
		it->list = xgrow(it->list, it->listed, &capacity, sizeof(*it->list));
		open = &it->list[it->listed++];
		*open = (struct iteration){ .begin = m->t, .end = last, .last = UNKNOWN };
	}
}

/* The caller's. */
static int64_t *begins_of(const struct iterations *it)
{
	int64_t *begins = xcalloc(it->listed + 1, sizeof(*begins));

	for (size_t i = 0; i < it->listed; i++)
		begins[i] = it->list[i].begin;
	return begins;
}

bool iterations_from_marks(const struct process *p, struct iterations *it)
{
	const struct mark *steps = mark_of(p, MARK_STEP);
	int64_t *first;

	if (!steps)
		return false;
	it->how = "marks";
	it->confidence = 1;
	it->count = steps->sums.calls;
	it->begin = steps->begin;
	it->end = steps->end;
	epochs_from_marks(p, it, it->end);
	steps_from_marks(p, it, it->end);
	if (it->listed == it->count)
		return true;
	/* More than are kept one by one. */
	first = begins_of(it);
	iterations_time_pace(it, steps->pace, first, it->listed);
	free(first);
	free(it->list);
	it->list = NULL;
	it->listed = 0;
	return true;
}

/* ---- ranges (NVTX) that are called so ---- */

/* The one that takes most time, where several are called so; NULL: none is. */
static const struct beat *range_of(const struct process *p, uint8_t word)
{
	const struct beat *best = NULL;
	uint64_t longest = 0;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		uint64_t time = 0;

		if (b->kind != BEAT_RANGE || b->without != word)
			continue;
		for (uint32_t k = 0; k < b->used; k++)
			time += b->ticks[k].time;
		if (!best || time > longest) {
			best = b;
			longest = time;
		}
	}
	return best;
}

/* Each lasts until the next one begins, as marks do; but what lies between two epochs is no iteration's. */
static void join_ranges(struct iterations *it)
{
	uint32_t epoch = 0;

	for (size_t i = 0; i < it->listed; i++) {
		struct iteration *one = &it->list[i];
		int64_t next = i + 1 < it->listed ? one[1].begin : INT64_MAX;

		epoch = iterations_epoch_at(it, epoch, one->begin);
		one->end = one->last;
		one->cut = next > one->last;
		if (next != INT64_MAX && one->cut && (!it->epoch_count || next <= it->epochs[epoch].end)) {
			one->end = next;
			one->cut = false;
		}
	}
}

/* Ranges that are told one by one; of more, how many, and how far apart they begin. */
bool iterations_from_ranges(const struct process *p, struct iterations *it)
{
	const struct beat *steps = range_of(p, RANGE_STEP), *epochs = range_of(p, RANGE_EPOCH);

	if (!steps || steps->count < 2)
		return false;
	it->how = "ranges";
	it->confidence = 1;
	it->count = steps->count;
	it->begin = tick_begin(&steps->ticks[0]);
	it->end = steps->last;
	if (epochs && !epochs->shift) {
		it->epochs = xcalloc(epochs->used, sizeof(*it->epochs));
		for (uint32_t i = 0; i < epochs->used; i++)
			it->epochs[it->epoch_count++] = (struct epoch){
				.number = i + 1, .begin = tick_begin(&epochs->ticks[i]),
				.end = epochs->ticks[i].at,
			};
	}
	if (steps->shift || steps->used != steps->count) {
		iterations_time_pace(it, beat_pace(steps), NULL, 0);
		return true;
	}
	it->list = xcalloc(steps->used, sizeof(*it->list));
	for (; it->listed < steps->used; it->listed++)
		it->list[it->listed] = (struct iteration){
			.begin = tick_begin(&steps->ticks[it->listed]), .last = steps->ticks[it->listed].at,
		};
	join_ranges(it);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Iterations and epochs that a program marks itself. */
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

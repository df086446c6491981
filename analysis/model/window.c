/* SPDX-License-Identifier: MIT */
/* A heap of records by time. */
#include "analysis/model/window.h"

#include <stdbool.h>

#include "analysis/model/memory.h"

void window_init(struct window *w, void (*give)(void *owner, const struct window_record *r),
		 void *owner)
{
	*w = (struct window){ .given = INT64_MIN, .give = give, .owner = owner };
}

void window_release(struct window *w)
{
	free(w->heap);
	w->heap = NULL;
}

static bool before(const struct window_record *a, const struct window_record *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->type != b->type)
		return a->type < b->type;
	return (int32_t)(a->sequence - b->sequence) < 0;
}

static void give(struct window *w, struct window_record r)
{
	if (r.time < w->given) {
		w->late++;
		if (w->given - r.time > w->late_most)
			w->late_most = w->given - r.time;
		r.time = w->given;
	}
	w->given = r.time;
	w->give(w->owner, &r);
}

static void give_first(struct window *w)
{
	struct window_record *heap = w->heap, last = heap[--w->count], first = heap[0];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < w->count; i = child) {
		if (child + 1 < w->count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[i] = heap[child];
	}
	heap[i] = last;
	give(w, first);
}

void window_add(struct window *w, const struct window_record *r)
{
	struct window_record new = *r;
	size_t i;

	new.sequence = w->sequence++;
	if (w->count == WINDOW_RECORDS)
		give_first(w);
	w->heap = xgrow(w->heap, w->count, &w->capacity, sizeof(*w->heap));
	for (i = w->count++; i && before(&new, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = new;
}

void window_pass(struct window *w, int64_t time)
{
	while (w->count && w->heap[0].time < time - WINDOW_NS)
		give_first(w);
}

void window_flush(struct window *w)
{
	while (w->count)
		give_first(w);
}

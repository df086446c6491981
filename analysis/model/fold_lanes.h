/* SPDX-License-Identifier: MIT */
/* The way of all that is alike into a fold: inside of it, for those who fill it. */
#ifndef DLT_ANALYSIS_MODEL_FOLD_LANES_H
#define DLT_ANALYSIS_MODEL_FOLD_LANES_H

#include "analysis/model/fold.h"
#include "analysis/model/launches.h"
#include "analysis/model/sight.h"

/* The first index for a key of fold->..._slots, which has FOLD_SLOTS. */
static inline size_t fold_slot(uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ULL >> 52);
}

_Static_assert(FOLD_SLOTS == 1 << 12, "fold_slot takes the upper 12 bits");

/* Of the present round. */
static inline uint64_t lane_owner(const struct fold *f, uint32_t thread)
{
	return f->round << 32 | thread;
}

static inline uint64_t lane_key(const struct sight *s)
{
	return (uint64_t)s->kind << 32 | s->what;
}

/* The first of its places. */
static inline size_t lane_place(uint64_t owner, const struct sight *s)
{
	uint64_t h = lane_key(s) + owner * 0xc2b2ae3d27d4eb4fULL;

	h ^= (s->a << 32 | s->a >> 32) ^ (s->b << 16 | s->b >> 48);
	return (size_t)(h * 0x9e3779b97f4a7c15ULL >> (64 - FOLD_LANE_BITS));
}

static inline bool lane_is(const struct fold_lane *l, uint64_t owner, const struct sight *s)
{
	return l->owner == owner && l->key == lane_key(s) && l->a == s->a && (s->kind != BEAT_BLAS || l->b == s->b);
}

/* NULL: there is none yet. */
static inline __attribute__((always_inline)) struct fold_lane *lane_find(struct fold *f, uint64_t owner,
									 const struct sight *s)
{
	size_t place = lane_place(owner, s);

	for (size_t i = 0; i < FOLD_LANE_TRIES; i++) {
		struct fold_lane *l = &f->lanes[(place + i) & ((1 << FOLD_LANE_BITS) - 1)];

		if (lane_is(l, owner, s))
			return l;
	}
	return NULL;
}

/* Makes it; of f->thread. */
struct fold_lane *lane_make(struct fold *f, uint64_t owner, const struct sight *s);

/* Buckets come into use as `min` and `max` reach them. */
void cell_widen(struct fold_cell *c, uint64_t duration);
/* To the beats themselves. */
void lane_note(struct fold_lane *l, int64_t at, uint32_t duration);

/* Nearly all are later than the one before, in the same window, and within what the cell has seen. */
static inline __attribute__((always_inline)) void lane_add(struct fold_lane *l, const struct sight *s, int64_t at)
{
	uint64_t duration = s->duration, square = duration * duration;
	int64_t begin = at - (int64_t)duration;
	struct fold_cell *c = l->cell;

	if (duration < c->min || duration > c->max)
		cell_widen(c, duration);
	c->buckets[dlt_bucket(duration)]++;
	if (at > l->window || at < l->last) {
		lane_note(l, at, s->duration);
	} else {
		l->last = at;
		l->time += duration >> 10;
	}
	l->calls++;
	l->total += duration;
	l->nested += s->nested;
	l->bytes += s->bytes;
	l->squares_low += square;
	l->squares_high += l->squares_low < square;
	if (s->kind == BEAT_LAUNCH)
		l->captured += s->stream / LAUNCH_CAPTURED;
	if (begin <= l->begin && (begin < l->begin || duration < l->first)) {
		l->begin = begin;
		l->first = duration;
	}
}

#endif

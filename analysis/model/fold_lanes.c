/* SPDX-License-Identifier: MIT */
/* The way of all that is alike into a fold: found at first sight, and settled in the end. */
#include "analysis/model/fold_lanes.h"

/* ---- where it leads ------------------------------------------------------------------------ */

static struct fold_cell *cell_new(struct fold *f, size_t slot, uint64_t key)
{
	struct fold_cell *c = &f->cells[f->cell_count];

	c->key = key;
	c->slot = (uint16_t)slot;
	c->calls = c->total = c->nested = c->max = c->bytes = 0;
	c->squares_low = c->squares_high = 0;
	c->timed = false;
	c->min = c->first = UINT64_MAX;
	c->begin = INT64_MAX;
	c->end = INT64_MIN;
	f->cell_slots[slot] = (uint16_t)++f->cell_count;
	return c;
}

static struct fold_cell *cell_of(struct fold *f, uint64_t key)
{
	size_t slot;

	for (slot = fold_slot(key); f->cell_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->cells[f->cell_slots[slot] - 1].key == key)
			return &f->cells[f->cell_slots[slot] - 1];
	return cell_new(f, slot, key);
}

static struct fold_launch *launch_of(struct fold *f, uint64_t key)
{
	size_t slot;

	for (slot = fold_slot(key); f->launch_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->launches[f->launch_slots[slot] - 1].key == key)
			return &f->launches[f->launch_slots[slot] - 1];
	f->launches[f->launch_count] = (struct fold_launch){ .key = key, .slot = (uint16_t)slot };
	f->launch_slots[slot] = (uint16_t)++f->launch_count;
	return &f->launches[f->launch_count - 1];
}

/*
 * Its windows are as wide as they had to be for some of its calls, so they will not be finer in the end;
 * and as many calls as the earliest are known of have been told.
 */
static void begin_as_before(struct beat *b, const struct fold_known *known)
{
	if (known->hash != b->hash)
		return;
	b->shift = known->shift;
	b->late = known->count >= RHYTHM_TICKS;
	b->late_from = known->last;
}

static struct beat *beat_new(struct fold *f, size_t slot, const struct beat *like, uint64_t hash)
{
	struct beat *b = &f->beats[f->beat_count], old = *b;

	*b = *like;
	b->hash = hash;
	b->ticks = old.ticks;
	b->head = old.head;
	b->capacity = old.capacity;
	beat_clear(b);
	begin_as_before(b, fold_known(f, hash));
	f->beat_places[f->beat_count] = (uint16_t)slot;
	f->beat_slots[slot] = (uint16_t)++f->beat_count;
	return b;
}

static struct beat *beat_of(struct fold *f, const struct beat *like)
{
	uint64_t hash = beat_hash(like);
	size_t slot = (size_t)(hash >> 52) & (FOLD_SLOTS - 1);

	for (; f->beat_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->beats[f->beat_slots[slot] - 1].hash == hash)
			return &f->beats[f->beat_slots[slot] - 1];
	return beat_new(f, slot, like, hash);
}

static void find_beats(struct fold *f, struct fold_lane *l, uint32_t thread)
{
	enum beat_kind kind = (enum beat_kind)(l->key >> 32);
	struct beat three[FOLD_BEATS], one = {
		.kind = (uint8_t)kind, .function = (uint16_t)(l->key >> 16), .library = (uint16_t)l->key,
		.thread = thread, .a = l->a,
	};
	const struct dlt_ev_cpu_blas blas = {
		.function = one.function, .library = one.library, .thread = thread,
		.m = (uint32_t)l->a, .n = (uint32_t)(l->b >> 32), .k = (uint32_t)l->b,
	};

	if (kind == BEAT_FREE)
		one.function = one.library = 0;
	three[0] = one;
	if (kind == BEAT_BLAS)
		beats_of_blas(three, &blas);
	l->beats = kind == BEAT_BLAS ? FOLD_BEATS : 1;
	l->windowed = kind != BEAT_BLAS && kind != BEAT_FREE;
	for (uint32_t i = 0; i < l->beats; i++)
		l->beat[i] = beat_of(f, &three[i]);
}

/* ---- adding --------------------------------------------------------------------------------- */

void cell_widen(struct fold_cell *c, uint64_t duration)
{
	unsigned b = dlt_bucket(duration);

	if (c->min > c->max) {
		c->buckets[b] = 0;
		c->min = c->max = duration;
		return;
	}
	for (unsigned i = dlt_bucket(c->min); i > b; i--)
		c->buckets[i - 1] = 0;
	for (unsigned i = dlt_bucket(c->max); i < b; i++)
		c->buckets[i + 1] = 0;
	c->min = duration < c->min ? duration : c->min;
	c->max = duration > c->max ? duration : c->max;
}

/* Of the beat's last tick, to which `at` was added: its window's last time. INT64_MIN: it cannot be told. */
static int64_t window_end(const struct beat *b, int64_t at)
{
	const struct tick *last = &b->ticks[b->used - 1];
	int64_t window = (int64_t)((1ULL << b->shift) - 1);

	if (last->at > at || (last->at | window) != (at | window) || (b->shift && beat_is_early(b, at)))
		return INT64_MIN;
	return at | window;
}

static uint32_t at_most(uint64_t sum)
{
	return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* What the beat has not been told yet. */
static void flush(struct fold_lane *l)
{
	struct beat *b = l->beat[0];

	if (l->noted == l->calls)
		return;
	b->count += l->calls - l->noted;
	b->last = l->last;
	l->tick->count = at_most(l->tick->count + (l->calls - l->noted));
	l->tick->time = at_most(l->tick->time + l->time);
	l->noted = l->calls;
	l->time = 0;
}

void lane_note(struct fold_lane *l, int64_t at, uint32_t duration)
{
	struct beat *b = l->beat[0];

	if (l->windowed)
		flush(l);
	for (uint32_t i = 0; i < l->beats; i++)
		beat_note(l->beat[i], at, duration);
	l->noted = l->calls + 1;
	if (l->windowed) {
		l->window = window_end(b, at);
		l->tick = &b->ticks[b->used - 1];
		l->last = b->last;
	} else if (at > l->last) {
		l->last = at;
	}
}

/* ---- settling ------------------------------------------------------------------------------- */

static void settle_cell(const struct fold_lane *l)
{
	struct fold_cell *c = l->cell;

	c->calls += l->calls;
	c->total += l->total;
	c->nested += l->nested;
	c->bytes += l->bytes;
	c->squares_low += l->squares_low;
	c->squares_high += l->squares_high + (c->squares_low < l->squares_low);
	if (l->begin < c->begin || (l->begin == c->begin && l->first < c->first)) {
		c->begin = l->begin;
		c->first = l->first;
	}
	if (l->last > c->end)
		c->end = l->last;
}

static void settle_launch(const struct fold_lane *l)
{
	l->launch->time += l->total;
	l->launch->captured += l->captured;
	l->launch->count += l->calls - l->captured;
}

static void settle_work(const struct fold_lane *l)
{
	l->thread->works += l->calls;
	if (l->begin < l->thread->work)
		l->thread->work = l->begin;
}

static void settle(struct fold_lane *l)
{
	if (l->windowed)
		flush(l);
	settle_cell(l);
	if (l->launch)
		settle_launch(l);
	if (sight_computes((enum beat_kind)(l->key >> 32)))
		settle_work(l);
	l->calls = l->total = l->nested = l->bytes = l->squares_low = l->squares_high = l->captured = 0;
	l->noted = 0;
	l->begin = INT64_MAX;
	l->first = UINT64_MAX;
}

void fold_settle(struct fold *f)
{
	for (uint32_t i = 0; i < f->lane_count; i++)
		settle(&f->lanes[f->lanes_used[i]]);
}

/* ---- making --------------------------------------------------------------------------------- */

/* One of its places, which is free or gets so. */
static struct fold_lane *make_room(struct fold *f, size_t place)
{
	for (size_t i = 0; i < FOLD_LANE_TRIES; i++) {
		size_t at = (place + i) & ((1 << FOLD_LANE_BITS) - 1);

		if (f->lanes[at].owner >> 32 != f->round) {
			f->lanes_used[f->lane_count++] = (uint16_t)at;
			return &f->lanes[at];
		}
	}
	settle(&f->lanes[place]);
	return &f->lanes[place];
}

/* Another lane may have been there. */
struct fold_lane *lane_make(struct fold *f, uint64_t owner, const struct sight *s)
{
	struct fold_lane *l = make_room(f, lane_place(owner, s));
	uint32_t thread = (uint32_t)owner;

	*l = (struct fold_lane){
		.owner = owner, .key = lane_key(s), .a = s->a, .b = s->b, .begin = INT64_MAX, .first = UINT64_MAX,
		.last = INT64_MIN, .window = INT64_MIN, .thread = f->thread, .stream = NO_STREAM,
	};
	l->cell = cell_of(f, (uint64_t)thread << 32 | s->what);
	l->cell->timed |= s->kind != BEAT_HEAP && s->kind != BEAT_FREE;
	if (s->kind == BEAT_LAUNCH)
		l->launch = launch_of(f, (uint64_t)thread << 32 | s->a);
	find_beats(f, l, thread);
	return l;
}

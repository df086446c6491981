/* SPDX-License-Identifier: MIT */
/* Frequent events, summed before the model sees them. */
#include "analysis/model/fold.h"

#include <string.h>

#include "analysis/model/launches.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"
#include "analysis/reader/records.h"

struct fold *fold_new(int64_t from, int64_t to)
{
	struct fold *f = xcalloc(1, sizeof(*f));

	f->from = from;
	f->to = to;
	f->round = 1;
	return f;
}

void fold_free(struct fold *f)
{
	for (size_t i = 0; f && i < FOLD_CELLS; i++) {
		free(f->beats[i].ticks);
		free(f->beats[i].head);
	}
	free(f);
}

/* ---- cells -------------------------------------------------------------------------------- */

static size_t slot_of(uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ULL >> 52) & (FOLD_SLOTS - 1);
}

_Static_assert(FOLD_SLOTS == 1 << 12, "slot_of takes the upper 12 bits");

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

	for (slot = slot_of(key); f->cell_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->cells[f->cell_slots[slot] - 1].key == key)
			return &f->cells[f->cell_slots[slot] - 1];
	return cell_new(f, slot, key);
}

static struct fold_launch *launch_of(struct fold *f, uint64_t key)
{
	size_t slot;

	for (slot = slot_of(key); f->launch_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->launches[f->launch_slots[slot] - 1].key == key)
			return &f->launches[f->launch_slots[slot] - 1];
	f->launches[f->launch_count] = (struct fold_launch){ .key = key, .slot = (uint16_t)slot };
	f->launch_slots[slot] = (uint16_t)++f->launch_count;
	return &f->launches[f->launch_count - 1];
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

/* Threads are few and events come in runs. */
static __attribute__((noinline)) void find_thread(struct fold *f, uint32_t id)
{
	for (uint32_t i = 0; i < f->thread_count; i++)
		if (f->threads[i].id == id) {
			f->thread = &f->threads[i];
			return;
		}
	f->thread = &f->threads[f->thread_count++];
	*f->thread = (struct fold_thread){ .id = id, .last = INT64_MIN, .work = INT64_MAX, .stream = UINT32_MAX };
}

static inline void emitted(struct fold *f, uint32_t thread, int64_t at)
{
	f->slice = fold_slice(at);
	if (!f->thread || f->thread->id != thread)
		find_thread(f, thread);
	f->thread->events++;
	if (at > f->thread->last)
		f->thread->last = at;
}

static __attribute__((noinline)) void find_stream(struct fold *f, uint16_t stream)
{
	f->thread->stream = stream;
	for (uint32_t i = 0; i < f->stream_count; i++)
		if (f->streams[i].thread == f->thread->id && f->streams[i].stream == stream)
			return;
	f->streams[f->stream_count++] = (struct fold_stream){ f->thread->id, stream };
}

/* ---- what an event says ------------------------------------------------------------------- */

#define CUDA_NOT_READY 600	/* what a query answers while work runs: no failure */

/* What all that are alike have in common, and what each adds. */
struct sight {
	enum beat_kind kind;
	uint32_t what;			/* function << 16 | library */
	uint64_t a, b;			/* as a beat's; of BLAS all three dimensions, m first */
	uint32_t duration, nested;	/* ns */
	uint64_t bytes;
	uint32_t stream;		/* above 65535: it names none */
};

#define NO_STREAM UINT32_MAX

static inline bool is_plain(int16_t result, uint32_t duration)
{
	return (!result || result == CUDA_NOT_READY) && duration != FOLD_AT_LEAST;
}

static inline uint32_t what(uint16_t function, uint16_t library)
{
	return (uint32_t)function << 16 | library;
}

static inline bool see_other(struct sight *s, const struct dlt_ev_cuda_other *e)
{
	*s = (struct sight){ .kind = BEAT_CUDA, .what = what(e->function, e->library), .duration = e->duration,
			     .nested = e->nested_time, .stream = NO_STREAM };
	return is_plain(e->result, e->duration);
}

static inline bool see_copy(struct sight *s, const struct dlt_ev_cuda_copy *e)
{
	*s = (struct sight){ .kind = BEAT_CUDA, .what = what(e->function, e->library), .a = 1 + e->direction,
			     .duration = e->duration, .nested = e->nested_time, .bytes = e->size,
			     .stream = e->stream };
	return is_plain(e->result, e->duration);
}

static inline bool see_launch(struct sight *s, const struct dlt_ev_cuda_launch *e)
{
	*s = (struct sight){ .kind = BEAT_LAUNCH, .what = what(e->function, e->library), .a = e->shape,
			     .duration = e->duration, .nested = e->nested_time, .stream = e->stream };
	return !e->result && e->duration != FOLD_AT_LEAST;
}

static inline bool see_region(struct sight *s, const struct dlt_ev_cpu_region *e)
{
	*s = (struct sight){ .kind = BEAT_REGION, .what = what(e->function, e->library), .a = e->width,
			     .duration = e->duration, .nested = e->nested_time, .stream = NO_STREAM };
	return e->duration != FOLD_AT_LEAST;
}

static inline bool see_blas(struct sight *s, const struct dlt_ev_cpu_blas *e)
{
	*s = (struct sight){ .kind = BEAT_BLAS, .what = what(e->function, e->library), .a = (uint32_t)e->m,
			     .b = (uint64_t)(uint32_t)e->n << 32 | (uint32_t)e->k, .duration = e->duration,
			     .nested = e->nested_time, .stream = NO_STREAM };
	return e->duration != FOLD_AT_LEAST;
}

static inline bool see_block(struct sight *s, const struct dlt_ev_heap_alloc *e)
{
	*s = (struct sight){ .kind = BEAT_HEAP, .what = what(e->function, e->library), .a = rhythm_size(e->size),
			     .bytes = e->size, .stream = NO_STREAM };
	return e->ptr != 0;
}

static inline bool see_freed(struct sight *s, const struct dlt_ev_heap_free *e)
{
	*s = (struct sight){ .kind = BEAT_FREE, .what = what(e->function, e->library), .a = rhythm_size(e->size),
			     .bytes = e->size, .stream = NO_STREAM };
	return true;
}

/* False: it is none that only adds to sums. */
static inline __attribute__((always_inline)) bool see(struct sight *s, enum dlt_event type, const void *data)
{
	switch (type) {
	case DLT_EV_CUDA_LAUNCH:
		return see_launch(s, data);
	case DLT_EV_CUDA_COPY:
		return see_copy(s, data);
	/* These begin alike; calls.c asserts it. */
	case DLT_EV_CUDA_STREAM:
	case DLT_EV_CUDA_SYNC:
	case DLT_EV_CUDA_OTHER:
		return see_other(s, data);
	case DLT_EV_CPU_BLAS:
		return see_blas(s, data);
	case DLT_EV_CPU_REGION:
		return see_region(s, data);
	case DLT_EV_HEAP_ALLOC:
		return see_block(s, data);
	case DLT_EV_HEAP_FREE:
		return see_freed(s, data);
	default:
		return false;
	}
}

/* ---- lanes -------------------------------------------------------------------------------- */

static void lane_beats(struct fold *f, struct fold_lane *l, uint32_t thread)
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
	for (uint32_t i = 0; i < l->beats; i++)
		l->beat[i] = beat_of(f, &three[i]);
}

/* Where all that is like this is added from now on: another lane may have been there. */
static __attribute__((noinline)) void lane_make(struct fold *f, struct fold_lane *l, uint64_t owner,
						uint64_t key, uint64_t a, uint64_t b)
{
	uint32_t thread = (uint32_t)owner;
	enum beat_kind kind = (enum beat_kind)(key >> 32);

	*l = (struct fold_lane){ .owner = owner, .key = key, .a = a, .b = b, .window = INT64_MIN };
	l->cell = cell_of(f, (uint64_t)thread << 32 | (uint32_t)key);
	l->cell->timed |= kind != BEAT_HEAP && kind != BEAT_FREE;
	if (kind == BEAT_LAUNCH)
		l->launch = launch_of(f, (uint64_t)thread << 32 | a);
	lane_beats(f, l, thread);
}

static inline uint64_t lane_owner(const struct fold *f, uint32_t thread)
{
	return f->round << 32 | thread;
}

static inline uint64_t lane_key(const struct sight *s)
{
	return (uint64_t)s->kind << 32 | s->what;
}

/* Where it would be. */
static inline struct fold_lane *lane_at(struct fold *f, uint64_t owner, const struct sight *s)
{
	uint64_t h = (lane_key(s) ^ owner << 32) * 0xc2b2ae3d27d4eb4fULL + s->a + s->b;

	return &f->lanes[h * 0x9e3779b97f4a7c15ULL >> (64 - FOLD_LANE_BITS)];
}

static inline bool lane_is(const struct fold_lane *l, uint64_t owner, const struct sight *s)
{
	return l->key == lane_key(s) && l->a == s->a && l->b == s->b && l->owner == owner;
}

/* ---- adding ------------------------------------------------------------------------------- */

/* Buckets come into use as `min` and `max` reach them. */
static __attribute__((noinline)) void widen(struct fold_cell *c, uint64_t duration)
{
	unsigned b = dlt_bucket(duration);

	if (!c->calls) {
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

static inline void cell_add(struct fold_cell *c, const struct sight *s, int64_t at)
{
	uint64_t duration = s->duration, square = duration * duration;
	int64_t begin = at - (int64_t)duration;

	if (duration < c->min || duration > c->max)
		widen(c, duration);
	c->calls++;
	c->total += duration;
	c->nested += s->nested;
	c->bytes += s->bytes;
	c->squares_low += square;
	c->squares_high += c->squares_low < square;
	c->buckets[dlt_bucket(duration)]++;
	if (begin <= c->begin && (begin < c->begin || duration < c->first)) {
		c->begin = begin;
		c->first = duration;
	}
	if (at > c->end)
		c->end = at;
}

/* Of the beat's last tick, to which `at` was added: its window's last time. INT64_MIN: it cannot be told. */
static int64_t window_end(const struct beat *b, int64_t at)
{
	const struct tick *last = &b->ticks[b->used - 1];
	int64_t window = (int64_t)((1ULL << b->shift) - 1);

	if (last->at > at || (last->at | window) != (at | window) ||
	    (b->shift && (b->head_used < RHYTHM_TICKS || at < b->head[RHYTHM_TICKS - 1])))
		return INT64_MIN;
	return at | window;
}

static __attribute__((noinline)) void lane_window(struct fold_lane *l, int64_t at, uint32_t duration)
{
	struct beat *b = l->beat[0];

	beat_note(b, at, duration);
	l->window = window_end(b, at);
	l->tick = &b->ticks[b->used - 1];
}

/* A lane with one beat, which no other lane has: nearly all calls are later ones in the same window. */
static inline void lane_beat(struct fold_lane *l, int64_t at, uint32_t duration)
{
	struct beat *b = l->beat[0];
	uint32_t time = duration >> 10;

	if (at > l->window || at < b->last || l->tick->count == UINT32_MAX || l->tick->time > UINT32_MAX - time) {
		lane_window(l, at, duration);
		return;
	}
	b->last = at;
	b->count++;
	l->tick->count++;
	l->tick->time += time;
}

static inline void launch_add(struct fold_launch *l, const struct sight *s)
{
	l->time += s->duration;
	if (s->stream & LAUNCH_CAPTURED)
		l->captured++;
	else
		l->count++;
}

static inline void works(struct fold_thread *t, uint64_t calls, int64_t begin)
{
	t->works += calls;
	if (begin < t->work)
		t->work = begin;
}

static inline bool computes(enum beat_kind kind)
{
	return kind == BEAT_LAUNCH || kind == BEAT_REGION || kind == BEAT_BLAS;
}

/* ---- events ------------------------------------------------------------------------------- */

static void add(struct fold *f, uint32_t thread, int64_t at, const struct sight *s)
{
	uint64_t owner = lane_owner(f, thread);
	struct fold_lane *l = lane_at(f, owner, s);

	if (!lane_is(l, owner, s))
		lane_make(f, l, owner, lane_key(s), s->a, s->b);
	cell_add(l->cell, s, at);
	l->window = INT64_MIN;
	for (uint32_t i = 0; i < l->beats; i++)
		beat_note(l->beat[i], at, s->duration);
	if (s->kind == BEAT_LAUNCH)
		launch_add(l->launch, s);
	if (computes(s->kind))
		works(f->thread, 1, at - (int64_t)s->duration);
	if (s->stream != f->thread->stream && s->stream != NO_STREAM)
		find_stream(f, (uint16_t)s->stream);
}

bool fold_add(struct fold *f, enum dlt_event type, int64_t at, const void *data)
{
	/* Of all that can be folded the thread comes first. */
	uint32_t thread = ((const struct dlt_ev_cuda_other *)data)->thread;
	struct sight s;

	if (type == DLT_EV_FULL_HEAP_CALL) {
		emitted(f, thread, at);
		checked_heap_call(&f->thread->checked, data);
		return true;
	}
	if (!see(&s, type, data))
		return false;
	emitted(f, thread, at);
	if (at < f->from || at >= f->to) {
		f->filtered++;
		return true;
	}
	add(f, thread, at, &s);
	if (type == DLT_EV_CUDA_COPY)
		checked_copy(&f->thread->checked, data);
	return true;
}

bool fold_may_wait(enum dlt_event type)
{
	static const bool may[DLT_EVENTS] = {
		[DLT_EV_CUDA_ALLOC] = true, [DLT_EV_CUDA_FREE] = true, [DLT_EV_CUDA_COPY] = true,
		[DLT_EV_CUDA_LAUNCH] = true, [DLT_EV_CUDA_STREAM] = true, [DLT_EV_CUDA_SYNC] = true,
		[DLT_EV_CUDA_OTHER] = true, [DLT_EV_COMM_CALL] = true, [DLT_EV_MAP_MAP] = true,
		[DLT_EV_FILE_OPEN] = true,
	};

	return may[type];
}

#define THREAD_FIRST(event) \
	_Static_assert(offsetof(struct dlt_ev_##event, thread) == offsetof(struct dlt_ev_cuda_other, thread), \
		       "fold_add takes it from there")
THREAD_FIRST(cpu_blas);
THREAD_FIRST(cpu_region);
THREAD_FIRST(heap_alloc);
THREAD_FIRST(heap_free);
THREAD_FIRST(full_heap_call);

/* ---- events of a batch --------------------------------------------------------------------- */

static inline int64_t taken_at(const struct records *r, uint64_t begin)
{
	return (int64_t)(records_time(r) - begin);
}

/* Are all of a batch's times its own, and in range? */
static bool is_inside(const struct fold *f, const struct records *r, uint64_t begin)
{
	return r->time >= r->floor && (int64_t)(r->time - begin) >= f->from && (int64_t)(r->end - begin) < f->to;
}

static void launched(struct fold *f, uint32_t count, int64_t first_begin, int64_t last)
{
	f->thread->events += count;
	if (last > f->thread->last)
		f->thread->last = last;
	works(f->thread, count, first_begin);
}

static inline __attribute__((always_inline)) bool next_launch(struct sight *s, const unsigned char *from)
{
	union dlt_batch_event e;
	enum dlt_event type;
	uint32_t head;

	memcpy(&head, from, sizeof(head));
	return head >> 24 == DLT_BATCH_CUDA_LAUNCH &&
	       dlt_batch_get(DLT_BATCH_CUDA_LAUNCH, from + sizeof(head), SIZE_MAX, NULL, &e, &type) &&
	       see_launch(s, &e.cuda_launch);
}

static inline uint64_t next_time(const unsigned char *from, uint64_t time, uint64_t end)
{
	uint32_t head;

	memcpy(&head, from, sizeof(head));
	time += head & 0xffffff;
	return time < end ? time : end;
}

/* Bytes ahead: traces are read once, and what lies in the page cache is far away. */
#define PREFETCH 1024

/*
 * Launches are most of what is traced on a GPU: a loop of their own, in which all that goes for the
 * whole batch is known already, and the first of a kind is left to fold_add. How many it took.
 */
static uint32_t fold_launches(struct fold *f, struct records *rest, uint64_t begin)
{
	size_t most = rest->left / DLT_BATCH_CUDA_LAUNCH_SIZE;
	const unsigned char *from = rest->at, *last;
	uint64_t owner = lane_owner(f, rest->thread), time = rest->time, shape = 0;
	struct fold_lane *l = NULL;
	uint32_t stream, what = 0, taken;
	int64_t work = INT64_MAX;

	if (!f->thread || f->thread->id != rest->thread || !is_inside(f, rest, begin))
		return 0;
	stream = f->thread->stream;
	last = from + (most < rest->count ? most : rest->count) * DLT_BATCH_CUDA_LAUNCH_SIZE;
	for (; from < last; from += DLT_BATCH_CUDA_LAUNCH_SIZE) {
		struct sight s;
		uint64_t then;
		int64_t at;

		__builtin_prefetch(from + PREFETCH);
		if (!next_launch(&s, from) || s.stream != stream)
			break;
		then = next_time(from, time, rest->end);
		at = (int64_t)(then - begin);
		if (fold_slice(at) != f->slice)
			break;
		if (!l || s.a != shape || s.what != what) {
			l = lane_at(f, owner, &s);
			if (!lane_is(l, owner, &s))
				break;
			shape = s.a;
			what = s.what;
		}
		time = then;
		cell_add(l->cell, &s, at);
		lane_beat(l, at, s.duration);
		launch_add(l->launch, &s);
		work = at - (int64_t)s.duration < work ? at - (int64_t)s.duration : work;
	}
	taken = (uint32_t)((size_t)(from - rest->at) / DLT_BATCH_CUDA_LAUNCH_SIZE);
	if (!taken)
		return 0;
	records_took(rest, taken, DLT_BATCH_CUDA_LAUNCH_SIZE, time);
	launched(f, taken, work, (int64_t)(time - begin));
	return taken;
}

uint32_t fold_records(struct fold *f, struct records *rest, uint64_t begin, uint64_t by_type[DLT_EVENTS])
{
	uint32_t had = rest->count;
	union dlt_batch_event e;
	enum dlt_event type;

	e.thread = rest->thread;
	for (;;) {
		struct records next;
		int64_t at;

		__builtin_prefetch(rest->at + PREFETCH);
		by_type[DLT_EV_CUDA_LAUNCH] += fold_launches(f, rest, begin);
		next = *rest;
		if (!records_take(&next, records_code(&next), &e, &type))
			break;
		at = taken_at(&next, begin);
		if (!fold_has_room(f, at) || !fold_add(f, type, at, &e))
			break;
		*rest = next;
		by_type[type]++;
	}
	return had - rest->count;
}

/* Only the slots in use: many folds are small. */
void fold_clear(struct fold *f)
{
	for (uint32_t i = 0; i < f->cell_count; i++)
		f->cell_slots[f->cells[i].slot] = 0;
	for (uint32_t i = 0; i < f->launch_count; i++)
		f->launch_slots[f->launches[i].slot] = 0;
	for (uint32_t i = 0; i < f->beat_count; i++)
		f->beat_slots[f->beat_places[i]] = 0;
	f->cell_count = f->launch_count = f->thread_count = f->beat_count = f->stream_count = 0;
	f->filtered = 0;
	f->thread = NULL;
	f->round++;
}

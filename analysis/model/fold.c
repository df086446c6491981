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

static __attribute__((noinline, cold)) struct fold_cell *cell_new(struct fold *f, size_t slot, uint64_t key)
{
	struct fold_cell *c = &f->cells[f->cell_count];

	c->key = key;
	c->slot = (uint16_t)slot;
	c->calls = c->total = c->nested = c->max = c->bytes = 0;
	c->squares = 0;
	c->timed = false;
	c->min = c->first = UINT64_MAX;
	c->begin = INT64_MAX;
	c->end = INT64_MIN;
	f->cell_slots[slot] = (uint16_t)++f->cell_count;
	return c;
}

static inline struct fold_cell *cell_of(struct fold *f, uint64_t key)
{
	size_t slot;

	if (f->cell && f->cell->key == key)
		return f->cell;
	for (slot = slot_of(key); f->cell_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->cells[f->cell_slots[slot] - 1].key == key)
			return f->cell = &f->cells[f->cell_slots[slot] - 1];
	return f->cell = cell_new(f, slot, key);
}

static inline struct fold_launch *launch_of(struct fold *f, uint64_t key)
{
	size_t slot;

	if (f->launch && f->launch->key == key)
		return f->launch;
	for (slot = slot_of(key); f->launch_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->launches[f->launch_slots[slot] - 1].key == key)
			return f->launch = &f->launches[f->launch_slots[slot] - 1];
	f->launch_slots[slot] = (uint16_t)++f->launch_count;
	f->launches[f->launch_count - 1] = (struct fold_launch){ .key = key, .slot = (uint16_t)slot };
	return f->launch = &f->launches[f->launch_count - 1];
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
	if (!f->thread || f->thread->id != thread)
		find_thread(f, thread);
	f->thread->events++;
	if (at > f->thread->last)
		f->thread->last = at;
}

static inline bool in_range(struct fold *f, uint32_t thread, int64_t at)
{
	emitted(f, thread, at);
	if (at >= f->from && at < f->to)
		return true;
	f->filtered++;
	return false;
}

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

static inline bool add(struct fold *f, uint32_t thread, int64_t at, uint16_t function,
		       uint16_t library, bool timed, uint32_t duration, uint32_t nested,
		       uint64_t bytes)
{
	int64_t begin = at - (int64_t)duration;
	struct fold_cell *c;

	if (!in_range(f, thread, at))
		return false;
	c = cell_of(f, (uint64_t)thread << 32 | (uint32_t)function << 16 | library);
	if (duration < c->min || duration > c->max)
		widen(c, duration);
	c->timed |= timed;
	c->calls++;
	c->total += duration;
	c->nested += nested;
	c->bytes += bytes;
	c->squares += (uint64_t)duration * duration;
	c->buckets[dlt_bucket(duration)]++;
	if (begin <= c->begin && (begin < c->begin || duration < c->first)) {
		c->begin = begin;
		c->first = duration;
	}
	if (at > c->end)
		c->end = at;
	return true;
}

/* ---- what repeats ------------------------------------------------------------------------- */

static __attribute__((noinline)) uint16_t beat_new(struct fold *f, size_t slot, const struct beat *like,
						   uint64_t hash)
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
	return f->beat_slots[slot];
}

/* Index + 1. */
static inline uint16_t beat_of(struct fold *f, const struct beat *like)
{
	uint64_t hash = beat_hash(like);
	size_t slot = (size_t)(hash >> 52) & (FOLD_SLOTS - 1);

	for (; f->beat_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->beats[f->beat_slots[slot] - 1].hash == hash)
			return f->beat_slots[slot];
	return beat_new(f, slot, like, hash);
}

static inline void beat(struct fold *f, enum beat_kind kind, uint32_t thread, uint16_t function,
			uint16_t library, uint64_t a, int64_t at, uint32_t duration)
{
	const struct beat b = {
		.kind = (uint8_t)kind, .function = function, .library = library, .thread = thread, .a = a,
	};

	beat_note(&f->beats[beat_of(f, &b) - 1], at, duration);
}

static inline void works(struct fold *f, int64_t at, uint32_t duration)
{
	struct fold_thread *thread = f->thread;

	thread->works++;
	if (at - (int64_t)duration < thread->work)
		thread->work = at - (int64_t)duration;
}

static __attribute__((noinline)) void find_stream(struct fold *f, uint16_t stream)
{
	f->thread->stream = stream;
	for (uint32_t i = 0; i < f->stream_count; i++)
		if (f->streams[i].thread == f->thread->id && f->streams[i].stream == stream)
			return;
	f->streams[f->stream_count++] = (struct fold_stream){ f->thread->id, stream };
}

static inline void names_stream(struct fold *f, uint16_t stream)
{
	if (f->thread->stream != stream)
		find_stream(f, stream);
}

/* ---- events ------------------------------------------------------------------------------- */

#define CUDA_NOT_READY 600	/* what a query answers while work runs: no failure */

static inline bool is_plain(int16_t result, uint32_t duration)
{
	return (!result || result == CUDA_NOT_READY) && duration != FOLD_AT_LEAST;
}

static bool add_other(struct fold *f, int64_t at, const struct dlt_ev_cuda_other *e)
{
	if (!is_plain(e->result, e->duration))
		return false;
	if (add(f, e->thread, at, e->function, e->library, true, e->duration, e->nested_time, 0))
		beat(f, BEAT_CUDA, e->thread, e->function, e->library, 0, at, e->duration);
	return true;
}

static bool add_copy(struct fold *f, int64_t at, const struct dlt_ev_cuda_copy *e)
{
	if (!is_plain(e->result, e->duration))
		return false;
	if (add(f, e->thread, at, e->function, e->library, true, e->duration, e->nested_time, e->size)) {
		beat(f, BEAT_CUDA, e->thread, e->function, e->library, 1 + e->direction, at, e->duration);
		names_stream(f, e->stream);
		checked_copy(&f->thread->checked, e);
	}
	return true;
}

/* Launches are the most frequent of all, and one shape is nearly always launched the same way. */
static inline struct beat *launch_beat(struct fold *f, struct fold_launch *l,
				       const struct dlt_ev_cuda_launch *e)
{
	const struct beat like = {
		.kind = BEAT_LAUNCH, .function = e->function, .library = e->library,
		.thread = e->thread, .a = e->shape,
	};
	struct beat *b = l->beat ? &f->beats[l->beat - 1] : NULL;

	if (b && b->function == e->function && b->library == e->library)
		return b;
	l->beat = beat_of(f, &like);
	return &f->beats[l->beat - 1];
}

static bool add_launch(struct fold *f, int64_t at, const struct dlt_ev_cuda_launch *e)
{
	struct fold_launch *l;

	if (e->result || e->duration == FOLD_AT_LEAST)
		return false;
	if (!add(f, e->thread, at, e->function, e->library, true, e->duration, e->nested_time, 0))
		return true;
	l = launch_of(f, (uint64_t)e->thread << 32 | e->shape);
	l->time += e->duration;
	if (e->stream & LAUNCH_CAPTURED)
		l->captured++;
	else
		l->count++;
	beat_note(launch_beat(f, l, e), at, e->duration);
	works(f, at, e->duration);
	names_stream(f, e->stream);
	return true;
}

static bool add_region(struct fold *f, int64_t at, const struct dlt_ev_cpu_region *e)
{
	if (e->duration == FOLD_AT_LEAST)
		return false;
	if (add(f, e->thread, at, e->function, e->library, true, e->duration, e->nested_time, 0)) {
		beat(f, BEAT_REGION, e->thread, e->function, e->library, e->width, at, e->duration);
		works(f, at, e->duration);
	}
	return true;
}

static void beat_blas(struct fold *f, int64_t at, const struct dlt_ev_cpu_blas *e)
{
	struct beat three[FOLD_BEATS];

	beats_of_blas(three, e);
	for (int i = 0; i < FOLD_BEATS; i++)
		beat_note(&f->beats[beat_of(f, &three[i]) - 1], at, e->duration);
}

static bool add_blas(struct fold *f, int64_t at, const struct dlt_ev_cpu_blas *e)
{
	if (e->duration == FOLD_AT_LEAST)
		return false;
	if (add(f, e->thread, at, e->function, e->library, true, e->duration, e->nested_time, 0)) {
		beat_blas(f, at, e);
		works(f, at, e->duration);
	}
	return true;
}

static bool add_block(struct fold *f, int64_t at, const struct dlt_ev_heap_alloc *e)
{
	if (!e->ptr)
		return false;
	if (add(f, e->thread, at, e->function, e->library, false, 0, 0, e->size))
		beat(f, BEAT_HEAP, e->thread, e->function, e->library, rhythm_size(e->size), at, 0);
	return true;
}

static void add_freed(struct fold *f, int64_t at, const struct dlt_ev_heap_free *e)
{
	if (add(f, e->thread, at, e->function, e->library, false, 0, 0, e->size))
		beat(f, BEAT_FREE, e->thread, 0, 0, rhythm_size(e->size), at, 0);
}

bool fold_add(struct fold *f, enum dlt_event type, int64_t at, const void *data)
{
	switch (type) {
	case DLT_EV_CUDA_LAUNCH:
		return add_launch(f, at, data);
	case DLT_EV_CUDA_COPY:
		return add_copy(f, at, data);
	/* These begin alike; calls.c asserts it. */
	case DLT_EV_CUDA_STREAM:
	case DLT_EV_CUDA_SYNC:
	case DLT_EV_CUDA_OTHER:
		return add_other(f, at, data);
	case DLT_EV_CPU_BLAS:
		return add_blas(f, at, data);
	case DLT_EV_CPU_REGION:
		return add_region(f, at, data);
	case DLT_EV_HEAP_ALLOC:
		return add_block(f, at, data);
	case DLT_EV_HEAP_FREE:
		add_freed(f, at, data);
		return true;
	case DLT_EV_FULL_HEAP_CALL:
		emitted(f, ((const struct dlt_ev_full_heap_call *)data)->thread, at);
		checked_heap_call(&f->thread->checked, data);
		return true;
	default:
		return false;
	}
}

/* ---- events of a batch --------------------------------------------------------------------- */

static inline int64_t taken_at(const struct records *r, uint64_t begin)
{
	return (int64_t)(records_time(r) - begin);
}

static inline bool is_like(const struct dlt_ev_cuda_launch *e, const struct dlt_ev_cuda_launch *like)
{
	return e->function == like->function && e->library == like->library && e->shape == like->shape &&
	       e->stream == like->stream && !e->result && e->duration != FOLD_AT_LEAST;
}

/* Of the beat's last tick, to which `at` was added: its window's last time. INT64_MIN: it went to another. */
static int64_t window_end(const struct beat *b, int64_t at)
{
	const struct tick *last = &b->ticks[b->used - 1];
	int64_t window = (int64_t)((1ULL << b->shift) - 1);

	return last->at <= at && (last->at | window) == (at | window) ? at | window : INT64_MIN;
}

/* Launches that are alike, until they are added to the cells. */
struct run {
	uint64_t count, total, nested;
	u128 squares;
	int64_t begin;			/* of the earliest */
	uint64_t first;			/* how long it took */
	struct tick tick;		/* of the beat's last window */
	uint64_t tick_time;
	int64_t window;			/* its last time */
};

static void run_tick(struct run *run, struct beat *b)
{
	run->tick.time = run->tick_time < UINT32_MAX ? (uint32_t)run->tick_time : UINT32_MAX;
	if (run->tick.count) {
		b->count += run->tick.count;
		beat_add(b, &run->tick);
	}
	run->tick.count = 0;
	run->tick_time = 0;
}

/* `at`: of the last one. */
static void run_apply(struct fold *f, const struct run *run, bool captured, int64_t at)
{
	struct fold_thread *t = f->thread;
	struct fold_cell *c = f->cell;

	t->events += run->count;
	t->works += run->count;
	t->last = at > t->last ? at : t->last;
	t->work = run->begin < t->work ? run->begin : t->work;
	c->calls += run->count;
	c->total += run->total;
	c->nested += run->nested;
	c->squares += run->squares;
	c->end = at > c->end ? at : c->end;
	if (run->begin < c->begin || (run->begin == c->begin && run->first < c->first)) {
		c->begin = run->begin;
		c->first = run->first;
	}
	f->launch->time += run->total;
	if (captured)
		f->launch->captured += run->count;
	else
		f->launch->count += run->count;
}

/*
 * One launch after another of the same kernel is what fills large traces. `like` was the one before;
 * those that follow find their cell, thread and beat where it was added. How many.
 */
static uint32_t add_launches(struct fold *f, struct records *rest, uint64_t begin,
			     const struct dlt_ev_cuda_launch *like)
{
	struct beat *b = &f->beats[f->launch->beat - 1];
	struct records next = *rest, taken = *rest;
	struct fold_cell *c = f->cell;
	int64_t at = taken_at(rest, begin), to = f->to;
	struct run run = { .begin = INT64_MAX, .tick.at = at, .window = window_end(b, at) };
	union dlt_batch_event event;
	const struct dlt_ev_cuda_launch *e = &event.cuda_launch;
	enum dlt_event type;

	while (records_code(&next) == DLT_BATCH_CUDA_LAUNCH &&
	       records_take(&next, DLT_BATCH_CUDA_LAUNCH, &event, &type) && is_like(e, like) &&
	       (at = taken_at(&next, begin)) < to) {
		uint64_t duration = e->duration;

		taken = next;
		run.count++;
		run.total += duration;
		run.nested += e->nested_time;
		run.squares += duration * duration;
		if (duration < c->min || duration > c->max)
			widen(c, duration);
		c->buckets[dlt_bucket(duration)]++;
		if (at - (int64_t)duration < run.begin ||
		    (at - (int64_t)duration == run.begin && duration < run.first)) {
			run.begin = at - (int64_t)duration;
			run.first = duration;
		}
		if (at > run.window) {
			run_tick(&run, b);
			beat_note(b, at, duration);
			run.window = window_end(b, at);
			run.tick.at = at;
			continue;
		}
		beat_seen(b, at);
		run.tick.count++;
		run.tick_time += duration >> 10;
	}
	if (!run.count)
		return 0;
	run_tick(&run, b);
	*rest = taken;
	run_apply(f, &run, like->stream & LAUNCH_CAPTURED, taken_at(&taken, begin));
	return (uint32_t)run.count;
}

uint32_t fold_records(struct fold *f, struct records *rest, uint64_t begin, uint64_t by_type[DLT_EVENTS])
{
	uint32_t had = rest->count;
	union dlt_batch_event e;
	enum dlt_event type;

	e.thread = rest->thread;
	while (fold_has_room(f)) {
		struct records next = *rest;
		int64_t at;

		if (!records_take(&next, records_code(&next), &e, &type))
			break;
		at = taken_at(&next, begin);
		if (!fold_add(f, type, at, &e))
			break;
		*rest = next;
		by_type[type]++;
		if (type == DLT_EV_CUDA_LAUNCH && at >= f->from && at < f->to)
			by_type[type] += add_launches(f, rest, begin, &e.cuda_launch);
	}
	return had - rest->count;
}

/* ---- into the model ----------------------------------------------------------------------- */

static void apply_cell(struct trace *t, const struct fold_cell *c)
{
	struct process *p = trace_thread_make(t, (uint32_t)(c->key >> 32))->process;
	struct profile *f = process_profile(p, (uint16_t)(c->key >> 16), (uint16_t)c->key);
	struct sums *s = &f->events;

	profile_seen(f, c->begin, c->end, c->first);
	f->timed |= c->timed;
	if (!s->calls || c->min < s->min)
		s->min = c->min;
	if (c->max > s->max)
		s->max = c->max;
	s->calls += c->calls;
	s->outer_calls += c->calls;
	s->total += c->total;
	s->outer_total += c->total;
	s->nested += c->nested;
	s->bytes += c->bytes;
	s->squares += c->squares;
	for (unsigned b = dlt_bucket(c->min), last = dlt_bucket(c->max); b <= last; b++)
		s->buckets[b] += c->buckets[b];
}

static void apply_thread(struct trace *t, const struct fold_thread *from)
{
	struct thread *thread = trace_thread_make(t, from->id);
	struct process *p = thread->process;

	thread->read += from->events;
	p->read += from->events;
	process_seen(p, from->last);
	p->rhythm.works += from->works;
	if (from->work < p->rhythm.work)
		p->rhythm.work = from->work;
	checked_merge(&p->checked, &from->checked);
}

static void apply_beat(struct trace *t, const struct beat *from)
{
	struct beat b = *from;

	if (b.kind == BEAT_FREE)
		b.thread = 0;	/* of the process */
	rhythm_add(&trace_thread_make(t, from->thread)->process->rhythm, &b);
}

void fold_apply(struct fold *f, struct trace *t)
{
	for (uint32_t i = 0; i < f->thread_count; i++)
		apply_thread(t, &f->threads[i]);
	for (uint32_t i = 0; i < f->cell_count; i++)
		apply_cell(t, &f->cells[i]);
	for (uint32_t i = 0; i < f->launch_count; i++) {
		const struct fold_launch *l = &f->launches[i];

		process_launches(trace_thread_make(t, (uint32_t)(l->key >> 32))->process, (uint32_t)l->key,
				 l->count, l->captured, l->time);
	}
	for (uint32_t i = 0; i < f->beat_count; i++)
		apply_beat(t, &f->beats[i]);
	for (uint32_t i = 0; i < f->stream_count; i++)
		checked_stream(&trace_thread_make(t, f->streams[i].thread)->process->checked,
			       f->streams[i].stream);
	t->filtered += f->filtered;
	fold_clear(f);
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
	f->cell = NULL;
	f->launch = NULL;
}

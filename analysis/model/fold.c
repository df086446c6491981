/* SPDX-License-Identifier: MIT */
/* Frequent events, summed before the model sees them. */
#include "analysis/model/fold.h"

#include <string.h>

#include "analysis/model/fold_lanes.h"
#include "analysis/model/memory.h"
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

/* Events of a thread come in runs. */
static __attribute__((noinline)) void find_thread(struct fold *f, uint32_t id)
{
	size_t slot;

	for (slot = fold_slot(id); f->thread_slots[slot]; slot = (slot + 1) & (FOLD_SLOTS - 1))
		if (f->threads[f->thread_slots[slot] - 1].id == id) {
			f->thread = &f->threads[f->thread_slots[slot] - 1];
			return;
		}
	f->thread_places[f->thread_count] = (uint16_t)slot;
	f->thread = &f->threads[f->thread_count++];
	f->thread_slots[slot] = (uint16_t)f->thread_count;
	*f->thread = (struct fold_thread){ .id = id, .last = INT64_MIN, .work = INT64_MAX };
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

static __attribute__((noinline)) void find_stream(struct fold *f, struct fold_lane *l, uint16_t stream)
{
	l->stream = stream;
	for (uint32_t i = 0; i < f->stream_count; i++)
		if (f->streams[i].thread == f->thread->id && f->streams[i].stream == stream)
			return;
	f->streams[f->stream_count++] = (struct fold_stream){ f->thread->id, stream };
}

/* ---- events ------------------------------------------------------------------------------- */

static void add(struct fold *f, uint32_t thread, int64_t at, const struct sight *s)
{
	uint64_t owner = lane_owner(f, thread);
	struct fold_lane *l = lane_find(f, owner, s);

	if (!l)
		l = lane_make(f, owner, s);
	lane_add(l, s, at);
	if (s->stream != l->stream && s->stream != NO_STREAM)
		find_stream(f, l, (uint16_t)s->stream);
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
		f->filtered_timed += s.kind != BEAT_HEAP && s.kind != BEAT_FREE;
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

/* Bytes ahead: traces are read once, and what lies in the page cache is far away. */
#define PREFETCH 1024

/* What a batch's records have in common while they only add to what is there already. */
struct run {
	uint64_t owner;
	uint64_t begin, before;		/* ns since 1970: the trace's begin; all of them are before this */
	struct records at;
	struct fold_lane *launch;	/* of the launch before; NULL: none */
};

static inline uint64_t load64(const unsigned char *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return word;
}

static inline uint32_t load32(const unsigned char *from)
{
	uint32_t word;

	memcpy(&word, from, sizeof(word));
	return word;
}

#define LAUNCH_AT(field) (DLT_BATCH_CUDA_LAUNCH_AT_##field)

/* Of a record of a launch, as two words: all that says which way it goes; its result lies between them. */
static inline uint64_t launch_what(uint64_t first)
{
	return first >> 24;	/* behind the time: code, function, library */
}

static inline uint64_t launch_where(const unsigned char *record)
{
	return load64(record + DLT_BATCH_CUDA_LAUNCH_SIZE - 8) >> 16;	/* shape, stream */
}

_Static_assert(LAUNCH_AT(FUNCTION) == 4 && LAUNCH_AT(LIBRARY) == 6 && LAUNCH_AT(DURATION) == 8 &&
	       LAUNCH_AT(SHAPE) == DLT_BATCH_CUDA_LAUNCH_SIZE - 6 &&
	       LAUNCH_AT(STREAM) == DLT_BATCH_CUDA_LAUNCH_SIZE - 2,
	       "launch_what and launch_where have them in one word");

/* Of so many records the squares of so short durations (ns) make no more than 64 bits. */
#define RUN_RECORDS	(1 << 16)
#define RUN_LONGEST	(1 << 24)

/*
 * Where, in a run of launches, the next one has to go the longer way: what adds to sums alone is earlier
 * than `before`, takes `min` to `min + range`, and so is neither the lane's first nor the cell's extreme.
 */
struct run_limits {
	uint64_t before;
	uint32_t min, range;
};

/* False: already the next one. */
static bool run_limits(struct run_limits *to, const struct run *r, const struct fold_lane *l)
{
	int64_t now = (int64_t)(r->at.time - r->begin), since;
	uint64_t min = l->cell->min, max = l->cell->max;

	/* Words are compared as they lie in memory. */
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || now < l->last || l->window < l->last)
		return false;
	since = now - l->begin - 1;
	if (since < 0)
		return false;
	if ((uint64_t)since < max)
		max = (uint64_t)since;
	if (max > RUN_LONGEST)
		max = RUN_LONGEST;
	if (max < min)
		return false;
	to->min = (uint32_t)min;
	to->range = (uint32_t)(max - min);
	to->before = r->begin + (uint64_t)l->window + 1;
	if (r->before < to->before)
		to->before = r->before;
	if (r->at.end < to->before)
		to->before = r->at.end;
	return true;
}

/*
 * Launches like the one that was taken last, which lies right before the next: nearly all of many a
 * trace. Their sums stay in registers, which is why it is a function of its own; what is out of the
 * ordinary ends the run and goes the longer way.
 */
static __attribute__((noinline)) uint32_t run_alike(struct run *r, struct fold_lane *l, uint32_t stream)
{
	size_t most = r->at.left / DLT_BATCH_CUDA_LAUNCH_SIZE;
	const unsigned char *from = r->at.at, *last, *before = from - DLT_BATCH_CUDA_LAUNCH_SIZE;
	const uint64_t what = launch_what(load64(before)), where = launch_where(before);
	uint64_t time = r->at.time, total = 0, nested = 0, ticks = 0, squares = 0;
	uint32_t *buckets = l->cell->buckets, count;
	struct run_limits limits;

	if (!run_limits(&limits, r, l))
		return 0;
	most = most < r->at.count ? most : r->at.count;
	last = from + (most < RUN_RECORDS ? most : RUN_RECORDS) * DLT_BATCH_CUDA_LAUNCH_SIZE;
	for (; from < last; from += DLT_BATCH_CUDA_LAUNCH_SIZE) {
		uint64_t first = load64(from), then = time + (first & 0xffffff), duration;
		uint16_t result;

		__builtin_prefetch(from + PREFETCH);
		memcpy(&result, from + LAUNCH_AT(RESULT), sizeof(result));
		if (((launch_what(first) ^ what) | (launch_where(from) ^ where) | result))
			break;
		duration = load32(from + LAUNCH_AT(DURATION));
		if (then >= limits.before || (uint32_t)duration - limits.min > limits.range)
			break;
		time = then;
		buckets[sight_bucket((uint32_t)duration)]++;
		total += duration;
		nested += load32(from + LAUNCH_AT(NESTED_TIME));
		ticks += duration >> 10;
		squares += duration * duration;
	}
	count = (uint32_t)((size_t)(from - r->at.at) / DLT_BATCH_CUDA_LAUNCH_SIZE);
	if (!count)
		return 0;
	l->calls += count;
	l->total += total;
	l->nested += nested;
	l->time += ticks;
	l->squares_low += squares;
	l->squares_high += l->squares_low < squares;
	l->captured += (uint64_t)count * (stream / LAUNCH_CAPTURED);
	l->last = (int64_t)(time - r->begin);
	r->at.left -= (size_t)(from - r->at.at);
	r->at.at = from;
	r->at.time = time;
	r->at.count -= count;
	return count;
}

/*
 * The next record, which has that code. False, with nothing taken: the first of a kind, or
 * anything else that is seldom. The code is a constant, so of all choices one is left.
 */
static inline __attribute__((always_inline)) bool run_one(struct fold *f, struct run *r, unsigned code,
							  uint64_t time, uint64_t by_type[DLT_EVENTS])
{
	union dlt_batch_event e;
	enum dlt_event type;
	struct fold_lane *l;
	struct sight s;
	unsigned size = dlt_batch_get(code, r->at.at + sizeof(uint32_t), r->at.left - sizeof(uint32_t), r->at.last, &e,
				      &type);

	if (!size)
		return false;
	if (code == DLT_BATCH_FULL_HEAP_CALL) {
		checked_heap_call(&f->thread->checked, &e.full_heap_call);
	} else {
		if (!see(&s, type, &e))
			return false;
		l = lane_find(f, r->owner, &s);
		if (!l || (s.stream != NO_STREAM && s.stream != l->stream))
			return false;
		lane_add(l, &s, (int64_t)(time - r->begin));
		if (code == DLT_BATCH_CUDA_COPY)
			checked_copy(&f->thread->checked, &e.cuda_copy);
	}
	by_type[type]++;
	r->at.at += sizeof(uint32_t) + size;
	r->at.left -= sizeof(uint32_t) + size;
	r->at.time = time;
	r->at.count--;
	if (code == DLT_BATCH_CUDA_LAUNCH) {
		/* Two in a row are likely to be more. */
		if (l == r->launch)
			by_type[type] += run_alike(r, l, s.stream);
		r->launch = l;
	}
	return true;
}

static inline __attribute__((always_inline)) bool run_next(struct fold *f, struct run *r, uint64_t by_type[DLT_EVENTS])
{
	uint64_t time;
	uint32_t head;

	if (!r->at.count || r->at.left < sizeof(head))
		return false;
	__builtin_prefetch(r->at.at + PREFETCH);
	memcpy(&head, r->at.at, sizeof(head));
	time = r->at.time + (head & 0xffffff);
	time = time < r->at.end ? time : r->at.end;
	if (time >= r->before)
		return false;
	switch (head >> 24) {
#define ONE(event) case DLT_BATCH_##event: return run_one(f, r, DLT_BATCH_##event, time, by_type)
	ONE(CUDA_LAUNCH);
	ONE(CUDA_COPY);
	ONE(CUDA_STREAM);
	ONE(CUDA_SYNC);
	ONE(CUDA_OTHER);
	ONE(CPU_BLAS);
	ONE(CPU_REGION);
	ONE(CPU_BLAS_AGAIN);
	ONE(CPU_REGION_AGAIN);
	ONE(HEAP_ALLOC);
	ONE(HEAP_FREE);
	ONE(FULL_HEAP_CALL);
#undef ONE
	default:
		return false;
	}
}

/* Until when all is in range, and in the slice of time that the fold is of. */
static uint64_t run_end(const struct fold *f, uint64_t begin)
{
	int64_t slice = (f->slice + 1) << TALLY_SHIFT;

	return begin + (uint64_t)(slice < f->to ? slice : f->to);
}

/* A loop in which all that goes for the whole batch is known already: how many it took. */
static uint32_t fold_run(struct fold *f, struct records *rest, uint64_t begin, uint64_t by_type[DLT_EVENTS])
{
	struct run r = { lane_owner(f, rest->thread), begin, run_end(f, begin), *rest, NULL };
	uint32_t taken;
	int64_t last;

	if (!f->thread || f->thread->id != rest->thread || rest->time < rest->floor ||
	    fold_slice((int64_t)(rest->time - begin)) != f->slice || (int64_t)(rest->time - begin) < f->from)
		return 0;
	while (run_next(f, &r, by_type))
		;
	taken = rest->count - r.at.count;
	if (!taken)
		return 0;
	*rest = r.at;
	last = (int64_t)(rest->time - begin);
	f->thread->events += taken;
	if (last > f->thread->last)
		f->thread->last = last;
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

		fold_run(f, rest, begin, by_type);
		next = *rest;
		if (!records_take(&next, records_code(&next), &e, &type))
			break;
		at = (int64_t)(records_time(&next) - begin);
		if (!fold_has_room(f, at) || !fold_add(f, type, at, &e))
			break;
		*rest = next;
		by_type[type]++;
	}
	return had - rest->count;
}

static void remember(struct fold *f, const struct beat *b)
{
	struct fold_known *known = fold_known(f, b->hash);

	if (known->hash != b->hash)
		*known = (struct fold_known){ .hash = b->hash, .last = INT64_MIN };
	known->count += b->count;
	known->shift = b->shift;
	if (b->last > known->last)
		known->last = b->last;
}

/* Only the slots in use: many folds are small. */
void fold_clear(struct fold *f)
{
	for (uint32_t i = 0; i < f->cell_count; i++)
		f->cell_slots[f->cells[i].slot] = 0;
	for (uint32_t i = 0; i < f->launch_count; i++)
		f->launch_slots[f->launches[i].slot] = 0;
	for (uint32_t i = 0; i < f->beat_count; i++) {
		f->beat_slots[f->beat_places[i]] = 0;
		remember(f, &f->beats[i]);
	}
	for (uint32_t i = 0; i < f->thread_count; i++)
		f->thread_slots[f->thread_places[i]] = 0;
	f->cell_count = f->launch_count = f->thread_count = f->beat_count = f->stream_count = 0;
	f->lane_count = 0;
	f->filtered = f->filtered_timed = 0;
	f->thread = NULL;
	f->round++;
}

/* SPDX-License-Identifier: MIT */
/* build: .libs/libmodel.a .libs/libreader.a */
/* Records of a batch fold into what they fold into one by one, whatever follows what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/fold.h"
#include "analysis/model/sight.h"
#include "analysis/reader/records.h"

#define RECORDS 4000
#define BEGIN 1000000		/* ns since 1970 */
#define FROM 40000
#define TO 600000000
#define SHAPES 6		/* of launches */
#define SIZES 10		/* of blocks */
#define DIMENSIONS 8

static unsigned char bytes[RECORDS * DLT_BATCH_RECORD_MOST];
static uint16_t last[DLT_BATCH_AGAINS];
static uint32_t base;		/* of what `last` tells */
static uint64_t seed = 1;

static uint32_t chance(uint32_t of)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % of;
}

static uint32_t put(uint32_t at, enum dlt_event type, const void *data)
{
	unsigned code = 0, size = dlt_batch_put(type, data, bytes + at + 4, &code);
	uint32_t head;

	if (at < base || at - base > 60000) {	/* its offsets have 16 bits */
		base = at;
		memset(last, 0, sizeof(last));
	}
	size = dlt_batch_cut(bytes + base, bytes + at + 4, size, &code, last);
	head = code << 24 | (chance(3) ? chance(2000) : chance(1 << 20));
	memcpy(bytes + at, &head, 4);
	return at + 4 + size;
}

/* Any other that goes in batches, of a few kinds each. */
static uint32_t put_other(uint32_t at)
{
	const uint32_t duration = chance(9) ? chance(5000) : UINT32_MAX - chance(2);
	const int16_t result = chance(9) ? 0 : chance(2) ? 600 : 1;
	const uint16_t library = (uint16_t)chance(2);

	switch (chance(9)) {
	case 0: return put(at, DLT_EV_CUDA_OTHER, &(struct dlt_ev_cuda_other){
			.function = 9, .library = library, .duration = duration, .result = result });
	case 1: return put(at, DLT_EV_CUDA_SYNC, &(struct dlt_ev_cuda_sync){
			.function = 10, .duration = duration, .nested_time = chance(3), .result = result });
	case 2: return put(at, DLT_EV_CUDA_STREAM, &(struct dlt_ev_cuda_stream){
			.function = 11, .library = library, .duration = duration });
	case 3: return put(at, DLT_EV_CUDA_COPY, &(struct dlt_ev_cuda_copy){
			.function = 12, .library = library, .duration = duration, .result = result,
			.size = chance(3) * 100, .direction = (uint8_t)chance(6),
			.stream = (uint16_t)(chance(2) << 15 | chance(3)) });
	case 4: return put(at, DLT_EV_CPU_BLAS, &(struct dlt_ev_cpu_blas){
			.function = 13, .duration = duration, .m = (int32_t)chance(DIMENSIONS), .n = (int32_t)chance(DIMENSIONS),
			.k = (int32_t)chance(DIMENSIONS) });
	case 5: return put(at, DLT_EV_CPU_REGION, &(struct dlt_ev_cpu_region){
			.function = 14, .duration = duration, .width = (uint16_t)chance(3) });
	case 6: return put(at, DLT_EV_HEAP_ALLOC, &(struct dlt_ev_heap_alloc){
			.function = 15, .library = library, .size = 65536 + 32 * chance(SIZES), .ptr = chance(50) });
	case 7: return put(at, DLT_EV_HEAP_FREE, &(struct dlt_ev_heap_free){
			.function = 16, .library = library, .size = 65536 + 32 * chance(SIZES), .ptr = 64 });
	default: return put(at, DLT_EV_FULL_HEAP_CALL, &(struct dlt_ev_full_heap_call){
			.function = 15, .operation = (uint8_t)(1 + chance(3)), .size = chance(999) });
	}
}

/* Launches in runs of up to `run`, which now and then one breaks that differs in a single field. */
static struct records make_batch(uint32_t thread, uint32_t run)
{
	struct dlt_ev_cuda_launch e = { .function = 1, .library = 1, .shape = 1 };
	uint32_t used = 0;

	base = UINT32_MAX;
	for (int i = 0; i < RECORDS; i++) {
		e.duration = chance(9) ? chance(5000) : chance(UINT32_MAX - 1);
		e.nested_time = chance(3);
		e.result = 0;
		if (!chance(run))
			switch (chance(6)) {
			case 0: e.function = (uint16_t)chance(3); break;
			case 1: e.library = (uint16_t)chance(3); break;
			case 2: e.shape = chance(SHAPES); break;
			case 3: e.stream = (uint16_t)(chance(2) << 15 | chance(3)); break;
			case 4: e.result = 1; break;
			case 5: e.duration = SIGHT_AT_LEAST; break;
			}
		used = chance(run) ? put(used, DLT_EV_CUDA_LAUNCH, &e) : put_other(used);
	}
	return (struct records){
		.at = bytes, .left = used, .count = RECORDS, .thread = thread,
		.time = BEGIN, .floor = BEGIN + 5000, .end = BEGIN + TO + 100000,
	};
}

/* The one that cannot be folded is left out; one of another slice goes into the same sums here. */
static void pass_over(struct fold *f, struct records *r)
{
	union dlt_batch_event e;
	enum dlt_event type;
	struct records next = *r;

	assert_true(records_take(&next, records_code(&next), &e, &type));
	if (fold_slice((int64_t)(records_time(&next) - BEGIN)) != f->slice) {
		f->slice = fold_slice((int64_t)(records_time(&next) - BEGIN));
		return;
	}
	assert_true(records_take(r, records_code(r), &e, &type));
}

static void fold_whole(struct fold *f, struct records r, uint64_t *by_type)
{
	while (r.count) {
		uint32_t before = r.count, taken = fold_records(f, &r, BEGIN, by_type);

		assert_int_equal(taken, before - r.count);
		if (r.count)
			pass_over(f, &r);
	}
	assert_int_equal(r.left, 0);
}

static void fold_each(struct fold *f, struct records r, uint64_t *by_type)
{
	union dlt_batch_event e = { .thread = r.thread };
	enum dlt_event type;

	while (records_take(&r, records_code(&r), &e, &type))
		if (fold_add(f, type, (int64_t)(records_time(&r) - BEGIN), &e))
			by_type[type]++;
}

static void same_cell(const struct fold_cell *a, const struct fold_cell *b)
{
	assert_memory_equal(a, b, offsetof(struct fold_cell, buckets));
	for (unsigned i = dlt_bucket(a->min); i <= dlt_bucket(a->max); i++)
		assert_int_equal(a->buckets[i], b->buckets[i]);
}

static void same_beat(const struct beat *a, const struct beat *b)
{
	assert_int_equal(a->hash, b->hash);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(a->used, b->used);
	assert_memory_equal(a->ticks, b->ticks, a->used * sizeof(*a->ticks));
}

static void same_fold(const struct fold *a, const struct fold *b)
{
	assert_int_equal(a->filtered, b->filtered);
	assert_int_equal(a->cell_count, b->cell_count);
	assert_int_equal(a->launch_count, b->launch_count);
	assert_int_equal(a->thread_count, b->thread_count);
	assert_int_equal(a->beat_count, b->beat_count);
	assert_int_equal(a->stream_count, b->stream_count);
	for (uint32_t i = 0; i < a->cell_count; i++)
		same_cell(&a->cells[i], &b->cells[i]);
	for (uint32_t i = 0; i < a->beat_count; i++)
		same_beat(&a->beats[i], &b->beats[i]);
	assert_memory_equal(a->launches, b->launches, a->launch_count * sizeof(*a->launches));
	assert_memory_equal(a->threads, b->threads, a->thread_count * sizeof(*a->threads));
	assert_memory_equal(a->streams, b->streams, a->stream_count * sizeof(*a->streams));
}

static bool is_coarse(const struct fold *f)
{
	for (uint32_t i = 0; i < f->beat_count; i++)
		if (f->beats[i].shift)
			return true;
	return false;
}

/* Three threads' batches over the same time: ticks come late, too. */
static void runs_fold_as_each_does(void **unused)
{
	static const uint32_t runs[] = { 2, 20, 500, 3000 };

	(void)unused;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct fold *whole = fold_new(FROM, TO), *each = fold_new(FROM, TO);
		uint64_t by_whole[DLT_EVENTS] = {0}, by_each[DLT_EVENTS] = {0};

		for (uint32_t thread = 1; thread < 13; thread++) {
			struct records r = make_batch(1 + thread % 3, runs[i]);

			fold_whole(whole, r, by_whole);
			fold_each(each, r, by_each);
		}
		assert_true(each->filtered);
		assert_true(runs[i] < 500 || is_coarse(each));
		fold_settle(whole);
		fold_settle(each);
		same_fold(whole, each);
		assert_memory_equal(by_whole, by_each, sizeof(by_each));
		fold_free(whole);
		fold_free(each);
	}
}

static void tell(struct fold *f, struct rhythm *r)
{
	fold_settle(f);
	for (uint32_t i = 0; i < f->beat_count; i++)
		rhythm_add(r, &f->beats[i]);
	fold_clear(f);
}

/* Launches of one kind from `at` to before `end`, some us apart, folded and each by itself. */
static void launch_until(struct fold *f, struct rhythm *folded, struct rhythm *noted, int64_t at, int64_t end)
{
	const struct beat beat = { .kind = BEAT_LAUNCH, .function = 1, .library = 2, .thread = 3, .a = 4 };

	for (; at < end; at += 1 + chance(9000)) {
		const struct dlt_ev_cuda_launch e = {
			.thread = 3, .function = 1, .library = 2, .shape = 4, .duration = chance(3000),
		};

		if (!fold_is_empty(f) && !fold_has_room(f, at))
			tell(f, folded);
		assert_true(fold_add(f, DLT_EV_CUDA_LAUNCH, at, &e));
		rhythm_note(noted, &beat, at, e.duration);
	}
	tell(f, folded);
}

/* What a fold still knows of those before it saves work and changes nothing. */
static void folds_follow_each_other(void **unused)
{
	struct fold *f = fold_new(INT64_MIN, INT64_MAX);
	struct rhythm folded, noted;
	const struct beat *a, *b;

	(void)unused;
	rhythm_init(&folded);
	rhythm_init(&noted);
	launch_until(f, &folded, &noted, 100000, 1000000000);
	assert_true(fold_known(f, folded.beats[0].hash)->shift);
	/* Time goes back: these are among the earliest. */
	launch_until(f, &folded, &noted, 5000, 90000);
	rhythm_end(&folded);
	rhythm_end(&noted);
	a = &folded.beats[0];
	b = &noted.beats[0];
	same_beat(a, b);
	assert_true(b->shift && b->count > 50 * RHYTHM_TICKS);
	assert_int_equal(a->last, b->last);
	assert_int_equal(a->head_used, b->head_used);
	assert_memory_equal(a->head, b->head, b->head_used * sizeof(*b->head));
	assert_int_equal(a->pace->count, b->pace->count);
	assert_int_equal(a->pace->total, b->pace->total);
	rhythm_release(&folded);
	rhythm_release(&noted);
	fold_free(f);
}

static void buckets_are_those_of_the_box(void **unused)
{
	(void)unused;
	for (unsigned octave = 0; octave < 32; octave++)
		for (uint32_t eighth = 0; eighth < 16; eighth++) {
			uint32_t ns = (uint32_t)((1ULL << octave) + ((uint64_t)eighth << octave >> 4));

			assert_int_equal(sight_bucket(ns), dlt_bucket(ns));
			assert_int_equal(sight_bucket(ns - 1), dlt_bucket(ns - 1));
		}
	assert_int_equal(sight_bucket(0), 0);
	assert_int_equal(sight_bucket(UINT32_MAX), dlt_bucket(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_fold_as_each_does),
		cmocka_unit_test(folds_follow_each_other),
		cmocka_unit_test(buckets_are_those_of_the_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

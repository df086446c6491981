/* SPDX-License-Identifier: MIT */
/* Events in batches: what is put is what is given; nothing broken is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "reader_all.h"

#define OFFSET 1000000

static unsigned char records[4096] __attribute__((aligned(8)));
static size_t used;
static uint16_t last[DLT_BATCH_AGAINS];

static void put(enum dlt_event type, const void *data, uint32_t gap)
{
	unsigned code = 0, size = dlt_batch_put(type, data, records + used + 4, &code);
	uint32_t head;

	assert_true(size > 0 && size + 4 <= DLT_BATCH_RECORD_MOST);
	size = dlt_batch_cut(records, records + used + 4, size, &code, last);
	head = code << 24 | gap;
	memcpy(records + used, &head, 4);
	used += 4 + size;
}

static void begin(struct reader *r, uint32_t count, uint32_t layout)
{
	static struct dlt_ev_batch_records e;
	struct reader_event event = { .time = OFFSET + 5000, .type = DLT_EV_BATCH_RECORDS, .data = &e };

	e = (struct dlt_ev_batch_records){
		.thread = 77, .count = count, .layout = layout, .begin = 1000,
		.records = (const uint64_t *)records, .records_count = (uint32_t)(used + 7) / 8,
	};
	*r = (struct reader){ .info = { .clock_offset = OFFSET } };
	batch_begin(r, &event);
}

static void finish(struct reader *r)
{
	batch_release(&r->batch);
	forget_problems(r, 0);
	free(r->problems);
	memset(records, 0, sizeof(records));
	memset(last, 0, sizeof(last));
	used = 0;
}

static void same_fields(const struct reader_event *event, const void *expected)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[event->type];

	for (size_t i = 0; i < desc->field_count; i++)
		assert_int_equal(value_get(&desc->fields[i], event->data), value_get(&desc->fields[i], expected));
}

/* Every kind, each field with bytes of its own. */
static void every_kind_comes_back(void **state)
{
	union dlt_batch_event in[DLT_EVENTS];
	enum dlt_event kinds[DLT_EVENTS];
	struct reader_event event;
	unsigned count = 0;
	struct reader r;

	(void)state;
	for (unsigned type = 0; type < DLT_EVENTS; type++) {
		const struct dlt_event_desc *desc = &dlt_event_descs[type];

		if (!(DLT_EVENTS_BATCHED >> type & 1))
			continue;
		memset(&in[count], 0, sizeof(in[count]));
		for (size_t i = 0; i < desc->field_count; i++)
			value_set(&desc->fields[i], &in[count],
				  i ? 0x8182838485868788 + 0x0101010101010101 * i * type : 77);
		kinds[count] = (enum dlt_event)type;
		put((enum dlt_event)type, &in[count++], 100);
	}
	assert_int_equal(count, __builtin_popcountll(DLT_EVENTS_BATCHED));
	begin(&r, count, DLT_BATCH_LAYOUT);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(batch_next(&r, &event), 1);
		assert_int_equal(event.type, kinds[i]);
		assert_int_equal(event.time, OFFSET + 1000 + 100 * (i + 1));
		same_fields(&event, &in[i]);
	}
	assert_int_equal(batch_next(&r, &event), 0);
	assert_int_equal(r.info.problem_count, 0);
	finish(&r);
}

/* What is like the last one of its kind takes 8 bytes, whatever came in between; what is not, all of them. */
static void repetitions_come_back(void **state)
{
	struct dlt_ev_cpu_region regions[] = {
		{ .thread = 77, .function = 5, .library = 2, .duration = 1000, .width = 2 },
		{ .thread = 77, .function = 5, .library = 2, .duration = 0xfffffffe, .width = 2 },
		{ .thread = 77, .function = 5, .library = 3, .duration = 1100, .width = 2 },	/* another caller */
		{ .thread = 77, .function = 5, .library = 2, .duration = 1200, .width = 2 },
		{ .thread = 77, .function = 5, .library = 2, .duration = 1300, .width = 2 },
		{ .thread = 77, .function = 5, .library = 2, .duration = 1300, .width = 0x102 },
	};
	struct dlt_ev_cpu_blas product = { .thread = 77, .function = 9, .duration = 7, .m = 1, .n = 2, .k = 3 };
	static const bool whole[] = { true, false, true, true, false, true };
	struct reader_event event;
	struct reader r;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		size_t before = used;

		put(DLT_EV_CPU_REGION, &regions[i], 10);
		assert_int_equal(used - before, whole[i] ? DLT_BATCH_CPU_REGION_SIZE : 8);
		before = used;
		put(DLT_EV_CPU_BLAS, &product, 10);
		assert_int_equal(used - before, i ? 8 : DLT_BATCH_CPU_BLAS_SIZE);
		product.duration++;
	}
	begin(&r, 12, DLT_BATCH_LAYOUT);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(batch_next(&r, &event), 1);
		assert_int_equal(event.type, DLT_EV_CPU_REGION);
		same_fields(&event, &regions[i]);
		assert_int_equal(batch_next(&r, &event), 1);
		product.duration = 7 + i;
		assert_int_equal(event.type, DLT_EV_CPU_BLAS);
		same_fields(&event, &product);
		assert_int_equal(event.time, OFFSET + 1000 + 20 * (i + 1));
	}
	assert_int_equal(batch_next(&r, &event), 0);
	assert_int_equal(r.info.problem_count, 0);
	finish(&r);
}

static void no_event_is_later_than_its_batch(void **state)
{
	const struct dlt_ev_heap_free e = { .thread = 77, .size = 5 };
	struct reader_event event;
	struct reader r;

	(void)state;
	put(DLT_EV_HEAP_FREE, &e, 0xffffff);
	begin(&r, 1, DLT_BATCH_LAYOUT);
	assert_int_equal(batch_next(&r, &event), 1);
	assert_int_equal(event.time, OFFSET + 5000);
	finish(&r);
}

static void one_that_comes_twice_is_given_once(void **state)
{
	const struct dlt_ev_heap_free e = { .thread = 77, .size = 5 };
	struct dlt_ev_batch_records batch;
	struct reader_event first, event = { .type = DLT_EV_BATCH_RECORDS, .data = &batch };
	struct reader r;
	int given = 0;

	(void)state;
	put(DLT_EV_HEAP_FREE, &e, 1);
	put(DLT_EV_HEAP_FREE, &e, 1);
	begin(&r, 2, DLT_BATCH_LAYOUT);
	while (batch_next(&r, &first))
		given++;
	batch = (struct dlt_ev_batch_records){
		.thread = 77, .first = 0, .count = 2, .layout = DLT_BATCH_LAYOUT,
		.records = (const uint64_t *)records, .records_count = (uint32_t)(used + 7) / 8,
	};
	batch_begin(&r, &event);	/* the same again */
	while (batch_next(&r, &first))
		given++;
	assert_int_equal(given, 2);
	batch.thread = 78;		/* another thread's, and the next one of the same */
	batch_begin(&r, &event);
	while (batch_next(&r, &first))
		given++;
	batch.thread = 77;
	batch.first = 2;
	batch_begin(&r, &event);
	while (batch_next(&r, &first))
		given++;
	assert_int_equal(given, 6);
	assert_int_equal(r.info.problem_count, 0);
	finish(&r);
}

static void broken_ones_are_told(void **state)
{
	const struct dlt_ev_heap_free e = { .thread = 77, .size = 5 };
	const struct dlt_ev_cpu_region region = { .thread = 77, .duration = 5 };
	struct reader_event event;
	struct reader r;

	(void)state;
	put(DLT_EV_HEAP_FREE, &e, 1);
	begin(&r, 1, DLT_BATCH_LAYOUT + 1);
	assert_int_equal(batch_next(&r, &event), 0);
	reader_end(&r);
	assert_string_equal(r.info.problems[0].kind, "layout");
	finish(&r);

	put(DLT_EV_HEAP_FREE, &e, 1);
	begin(&r, 3, DLT_BATCH_LAYOUT);	/* it says three, there is one */
	assert_int_equal(batch_next(&r, &event), 1);
	assert_int_equal(batch_next(&r, &event), 0);
	assert_string_equal(r.info.problems[0].kind, "corrupt");
	assert_int_equal(r.info.problems[0].value, 2);
	finish(&r);

	put(DLT_EV_HEAP_FREE, &e, 1);
	records[3] = 255;		/* no such code */
	begin(&r, 1, DLT_BATCH_LAYOUT);
	assert_int_equal(batch_next(&r, &event), 0);
	assert_string_equal(r.info.problems[0].kind, "corrupt");
	finish(&r);

	put(DLT_EV_CPU_REGION, &region, 1);
	put(DLT_EV_CPU_REGION, &region, 1);
	memmove(records, records + DLT_BATCH_CPU_REGION_SIZE, 8);	/* like one that is not there */
	used = 8;
	begin(&r, 1, DLT_BATCH_LAYOUT);
	assert_int_equal(batch_next(&r, &event), 0);
	assert_string_equal(r.info.problems[0].kind, "corrupt");
	finish(&r);

	put(DLT_EV_HEAP_FREE, &e, 1);
	used -= 8;			/* the last word is missing */
	begin(&r, 1, DLT_BATCH_LAYOUT);
	assert_int_equal(batch_next(&r, &event), 0);
	assert_string_equal(r.info.problems[0].kind, "corrupt");
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_comes_back),
		cmocka_unit_test(repetitions_come_back),
		cmocka_unit_test(no_event_is_later_than_its_batch),
		cmocka_unit_test(one_that_comes_twice_is_given_once),
		cmocka_unit_test(broken_ones_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What came by outboxes, as a reader gives it: what is put is what is given; nothing broken is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "reader_all.h"
#include "tests/apps/odd.h"

#define OFFSET 1000000

static unsigned char records[1 << 16] __attribute__((aligned(8)));
static size_t used;

static void put(enum dlt_event type, const void *data, uint32_t gap)
{
	uint32_t head = (uint32_t)type << 24 | gap;
	size_t size = dlt_outbox_size(type, data);

	memcpy(records + used, &head, sizeof(head));
	assert_int_equal(dlt_outbox_put(type, data, records + used + sizeof(head), size), size);
	assert_int_equal(dlt_outbox_length(type, records + used + sizeof(head), size), size);
	used += sizeof(head) + size;
}

/* The reader with `count` events in `size` bytes; to the byte, so that the sanitizer sees one more. */
static struct reader *given(uint32_t count, size_t size, uint32_t layout, unsigned char **copy)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct dlt_ev_outbox_events e = { .count = count, .layout = layout, .begin = 1000 };
	struct reader_event event = { .time = OFFSET + 900000, .type = DLT_EV_OUTBOX_EVENTS, .data = &e };

	*copy = calloc((size + 7) / 8, 8);
	memcpy(*copy, records, size);
	e.records = (const uint64_t *)(const void *)*copy;
	e.records_count = (uint32_t)((size + 7) / 8);
	r->info.clock_offset = OFFSET;
	outbox_begin(r, &event);
	return r;
}

static void release(struct reader *r, unsigned char *copy)
{
	outbox_release(&r->outbox);
	forget_problems(r, 0);
	free(r->problems);
	free(r);
	free(copy);
}

/* Every event there is, with odd content. */
static void as_put(void **state)
{
	struct odd odd = { .random = 5, .longest = 60, .words = 9 };
	static struct odd copies[DLT_EVENTS];
	struct reader_event event;
	unsigned char *copy;
	uint64_t time = OFFSET + 1000;
	uint32_t count = 0;
	struct reader *r;

	(void)state;
	used = 0;
	for (int type = 0; type < DLT_EVENTS; type++) {
		if (DLT_EVENTS_OF_EVENTS >> type & 1)
			continue;
		copies[type] = odd;
		odd_event(&odd, (enum dlt_event)type);
		put((enum dlt_event)type, odd.data, (uint32_t)type);
		count++;
	}
	r = given(count, used, DLT_OUTBOX_LAYOUT, &copy);
	for (int type = 0; type < DLT_EVENTS; type++) {
		if (DLT_EVENTS_OF_EVENTS >> type & 1)
			continue;
		assert_int_equal(outbox_next(r, &event), 1);
		assert_int_equal(event.type, type);
		time += (unsigned)type;
		assert_int_equal(event.time, time);
		odd_event(&copies[type], (enum dlt_event)type);
		for (size_t i = 0; i < dlt_event_descs[type].field_count; i++) {
			const struct dlt_field *f = &dlt_event_descs[type].fields[i];
			const uint64_t *words, *want;
			uint32_t n, wanted;

			if (f->type == DLT_STR) {
				assert_string_equal(value_get_string(f, event.data), value_get_string(f, copies[type].data));
			} else if (f->type == DLT_SEQ64) {
				words = value_get_sequence(f, event.data, &n);
				want = value_get_sequence(f, copies[type].data, &wanted);
				assert_int_equal(n, wanted);
				if (n)
					assert_memory_equal(words, want, 8 * n);
			} else {
				assert_int_equal(value_get(f, event.data), value_get(f, copies[type].data));
			}
		}
	}
	assert_int_equal(outbox_next(r, &event), 0);
	assert_int_equal(r->info.problem_count, 0);
	release(r, copy);
}

static void cut_anywhere(void **state)
{
	const struct dlt_ev_proc_object object = {
		.process = 1, .values = (const uint64_t[]){ 1, 2, 3 }, .values_count = 3, .name = "kernel",
	};
	const struct dlt_ev_heap_free block = { .thread = 1, .size = 4096 };
	struct reader_event event;
	unsigned char *copy;

	(void)state;
	used = 0;
	for (unsigned i = 0; i < 3; i++) {
		put(DLT_EV_PROC_OBJECT, &object, 1);
		put(DLT_EV_HEAP_FREE, &block, 1);
	}
	for (size_t size = 0; size < used; size += 8) {
		struct reader *r = given(6, size, DLT_OUTBOX_LAYOUT, &copy);
		unsigned got = 0;

		while (outbox_next(r, &event))
			got++;
		assert_true(got < 6);
		assert_int_equal(r->info.problem_count, 1);
		assert_string_equal(r->info.problems[0].kind, "corrupt");
		release(r, copy);
	}
}

static void not_believed(void **state)
{
	struct odd odd = { .random = 99 };
	struct reader_event event;
	unsigned char *copy;
	struct reader *r;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		used = 8 * (1 + odd_draw(&odd) % 100);
		for (size_t i = 0; i < used; i++)
			records[i] = (unsigned char)(odd_draw(&odd) % (i % 4 == 3 ? DLT_EVENTS + 2 : 256));
		r = given(1 + (uint32_t)odd_draw(&odd) % 50, used, DLT_OUTBOX_LAYOUT, &copy);
		while (outbox_next(r, &event))
			assert_true(event.type < DLT_EVENTS && !(DLT_EVENTS_OF_EVENTS >> event.type & 1));
		release(r, copy);
	}
	r = given(7, used, DLT_OUTBOX_LAYOUT + 1, &copy);
	assert_int_equal(outbox_next(r, &event), 0);
	assert_int_equal(r->info.problem_count, 0);	/* once, when all is read */
	reader_end(r);
	assert_string_equal(r->info.problems[0].kind, "layout");
	assert_int_equal(r->info.problems[0].value, 7);
	release(r, copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_put),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

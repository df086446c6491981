/* SPDX-License-Identifier: MIT */
/* The window that brings records into order: sorted, stable, bounded, and honest about what is late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "analysis/model/window.c"

struct given {
	int64_t last;
	uint64_t count, out_of_order, unstable;
	uint64_t last_a;
};

static void take(void *owner, const struct window_record *r)
{
	struct given *g = owner;

	g->out_of_order += r->time < g->last;
	g->unstable += r->time == g->last && r->a < g->last_a;
	g->last = r->time;
	g->last_a = r->a;
	g->count++;
}

/* Batches of threads, each up to half a second late. */
static void late_batches_come_in_order(void **state)
{
	struct given g = { .last = INT64_MIN };
	struct window w;
	uint64_t n = 0;

	(void)state;
	window_init(&w, take, &g);
	srand(1);
	for (int64_t now = 1000000000; now < 6000000000; now += 100000) {
		struct window_record r = { .time = now - rand() % (WINDOW_NS / 2) / 1000 * 1000, .a = n++ };

		window_add(&w, &r);
		window_pass(&w, now);
	}
	assert_true(g.count > n * 2 / 3 && w.count < n / 3);
	window_flush(&w);
	assert_int_equal(g.count, n);
	assert_int_equal(g.out_of_order, 0);
	assert_int_equal(g.unstable, 0);
	assert_int_equal(w.late, 0);
	window_release(&w);
}

static void what_is_too_late_is_counted(void **state)
{
	struct given g = { .last = INT64_MIN };
	struct window w;

	(void)state;
	window_init(&w, take, &g);
	for (int64_t t = 1; t <= 4; t++)
		window_add(&w, &(struct window_record){ .time = t * WINDOW_NS });
	window_pass(&w, 4 * (int64_t)WINDOW_NS);
	assert_int_equal(g.count, 2);
	window_add(&w, &(struct window_record){ .time = WINDOW_NS / 2 });
	window_flush(&w);
	assert_int_equal(g.count, 5);
	assert_int_equal(g.out_of_order, 0);
	assert_int_equal(w.late, 1);
	assert_int_equal(w.late_most, 3 * (int64_t)WINDOW_NS / 2);
	window_release(&w);
}

/* At equal times the smaller type comes first: a call ends before the next one begins. */
static void types_order_equal_times(void **state)
{
	struct given g = { .last = INT64_MIN };
	struct window w;

	(void)state;
	window_init(&w, take, &g);
	window_add(&w, &(struct window_record){ .time = 5, .type = 1, .a = 2 });
	window_add(&w, &(struct window_record){ .time = 5, .type = 0, .a = 1 });
	window_add(&w, &(struct window_record){ .time = 5, .type = 1, .a = 3 });
	window_flush(&w);
	assert_int_equal(g.count, 3);
	assert_int_equal(g.unstable, 0);
	window_release(&w);
}

static void memory_is_bounded(void **state)
{
	struct given g = { .last = INT64_MIN };
	struct window w;

	(void)state;
	window_init(&w, take, &g);
	for (uint64_t i = 0; i < WINDOW_RECORDS + 1000; i++)
		window_add(&w, &(struct window_record){ .time = (int64_t)(i ^ 1), .a = i });
	assert_int_equal(w.count, WINDOW_RECORDS);
	assert_int_equal(g.count, 1000);
	assert_int_equal(g.out_of_order, 0);
	window_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_batches_come_in_order),
		cmocka_unit_test(what_is_too_late_is_counted),
		cmocka_unit_test(types_order_equal_times),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

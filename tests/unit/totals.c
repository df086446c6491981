/* SPDX-License-Identifier: MIT */
/* Totals: sums, squares over 64 bits, entries claimed, shared and taken over, the late ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/totals.c"

struct dlt_box_header *dlt_box;

bool dlt_box_back(const void *p, size_t size)
{
	(void)p;
	(void)size;
	return true;
}

static int make_box(void **state)
{
	(void)state;
	dlt_box = aligned_alloc(4096, 64 * 1024);
	memset(dlt_box, 0, 64 * 1024);
	dlt_box->totals_offset = 4096;
	dlt_box->totals_count = 4;
	dlt_box->late_offset = 4096 + 8192;
	dlt_box->late_count = 10;
	return 0;
}

static int free_box(void **state)
{
	(void)state;
	free(dlt_box);
	return 0;
}

static void sums_are_sums(void **state)
{
	struct dlt_box_totals *t = dlt_totals_claim(7, 3, 2);
	const struct dlt_totals_call long_call = {
		.duration = 1ULL << 40, .outer = true, .ok = true, .bytes = 5,
	};
	const struct dlt_totals_call short_call = { .duration = 100, .nested = 60, .flops = 9 };

	(void)state;
	assert_non_null(t);
	for (int i = 0; i < 3; i++)
		dlt_totals_add(t, &long_call);
	dlt_totals_add(t, &short_call);
	assert_int_equal(t->key, 3 << 16 | 2);
	assert_int_equal(t->sums.calls, 4);
	assert_int_equal(t->sums.outer_calls, 3);
	assert_int_equal(t->sums.failed, 1);
	assert_int_equal(t->sums.total, (3ULL << 40) + 100);
	assert_int_equal(t->sums.outer_total, 3ULL << 40);
	assert_int_equal(t->sums.nested, 60);
	assert_int_equal(t->sums.first, 1ULL << 40);
	assert_int_equal(t->sums.least, 101);
	assert_int_equal(t->sums.max, 1ULL << 40);
	assert_int_equal(t->sums.squares_high, 3ULL << 16);
	assert_int_equal(t->sums.squares_low, 10000);
	assert_int_equal(t->sums.bytes, 15);
	assert_int_equal(t->sums.flops, 9);
	assert_int_equal(t->buckets[dlt_bucket(1ULL << 40)], 3);
	assert_int_equal(t->buckets[dlt_bucket(100)], 1);
}

/* More than 32 bits hold: an hour of a million tiny calls a second. */
static void buckets_are_wide(void **state)
{
	struct dlt_box_totals *t = dlt_totals_claim(7, 3, 2);
	const struct dlt_totals_call call = { .duration = 100 };
	unsigned bucket = dlt_bucket(100);

	(void)state;
	t->buckets[bucket] = UINT32_MAX;
	dlt_totals_add(t, &call);
	dlt_totals_add_untimed(t, 100, bucket, 0, 0, true, true);
	dlt_totals_add_rest(t, 100, bucket, UINT32_MAX);
	assert_int_equal(t->buckets[bucket], 2ULL * UINT32_MAX + 2);
}

/* Of calls that are known to be short none may be timed for a while. */
static void the_first_timed_one_is_the_first(void **state)
{
	struct dlt_box_totals *t = dlt_totals_claim(7, 3, 2);
	const struct dlt_totals_call calls[] = { { .duration = 100 }, { .duration = 90 }, { .duration = 110 } };

	(void)state;
	dlt_totals_add_first(t, 70, 0);
	dlt_totals_add_untimed(t, 70, dlt_bucket(70), 0, 0, true, true);
	for (int i = 0; i < 3; i++)
		dlt_totals_add(t, &calls[i]);
	assert_int_equal(t->sums.first, 100);
	assert_int_equal(t->sums.least, 91);
	assert_int_equal(t->sums.max, 110);
}

/* Within one tick of the clock. */
static void a_call_of_no_time_is_the_shortest(void **state)
{
	struct dlt_box_totals *t = dlt_totals_claim(7, 3, 2);
	const struct dlt_totals_call calls[] = { { .duration = 10 }, { .duration = 0 }, { .duration = 20 } };

	(void)state;
	assert_int_equal(t->sums.least, 0);
	for (int i = 0; i < 3; i++)
		dlt_totals_add(t, &calls[i]);
	assert_int_equal(t->sums.least, 1);
	for (int i = 0; i < 3; i++)
		dlt_totals_add_late(3, &calls[i]);
	assert_int_equal(dlt_box_late(3)->sums.least, 1);
}

static void entries_have_one_owner(void **state)
{
	struct dlt_box_totals *a = dlt_totals_claim(1, 3, 2), *b = dlt_totals_claim(2, 3, 2);

	(void)state;
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(a, dlt_totals_claim(1, 3, 2));
	assert_ptr_not_equal(a, dlt_totals_claim(1, 3, 1));
	dlt_totals_release(1);
	assert_ptr_equal(a, dlt_totals_claim(5, 3, 2));
	assert_int_equal(a->owner, 5);
	assert_non_null(dlt_totals_claim(5, 4, 2));
	assert_null(dlt_totals_claim(5, 5, 2));
	assert_int_equal(dlt_box->totals_used, 4);
}

static void late_ones_are_shared(void **state)
{
	struct dlt_box_sums *s = &dlt_box_late(9)->sums;
	const struct dlt_totals_call call = { .duration = 3ULL << 31, .outer = true, .ok = true };
	const struct dlt_totals_call other = { .duration = 50 };

	(void)state;
	for (int i = 0; i < 4; i++)
		dlt_totals_add_late(9, &call);
	dlt_totals_add_late(9, &other);
	dlt_totals_add_late(10, &call);		/* beyond the table */
	assert_int_equal(dlt_box->late_used, 10);
	assert_int_equal(s->calls, 5);
	assert_int_equal(s->failed, 1);
	assert_int_equal(s->least, 51);
	assert_int_equal(s->max, 3ULL << 31);
	assert_int_equal(s->first, 3ULL << 31);
	/* 4 * 9 * 2^62 = 9 * 2^64 */
	assert_int_equal(s->squares_high, 9);
	assert_int_equal(s->squares_low, 2500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_are_sums, make_box, free_box),
		cmocka_unit_test_setup_teardown(buckets_are_wide, make_box, free_box),
		cmocka_unit_test_setup_teardown(the_first_timed_one_is_the_first, make_box, free_box),
		cmocka_unit_test_setup_teardown(a_call_of_no_time_is_the_shortest, make_box, free_box),
		cmocka_unit_test_setup_teardown(entries_have_one_owner, make_box, free_box),
		cmocka_unit_test_setup_teardown(late_ones_are_shared, make_box, free_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

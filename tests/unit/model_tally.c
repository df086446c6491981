/* SPDX-License-Identifier: MIT */
/* Tallies: bounded, nothing lost, the same in any order and any split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/tally.c"

#define MS 1000000LL

static void fill(struct tally *t, int begin, int end, int step)
{
	for (int i = begin; i < end; i += step)
		tally_add(t, i * MS, (unsigned)(i & 1), (uint64_t)(i & 7));
}

static void same_tally(const struct tally *a, const struct tally *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->shift, b->shift);
	assert_memory_equal(a->buckets, b->buckets, a->count * sizeof(*a->buckets));
}

static void nothing_is_lost(void **unused)
{
	struct tally t = {0};
	uint64_t n[TALLY_WORDS];

	(void)unused;
	fill(&t, 0, 80000, 1);
	assert_true(t.count <= TALLY_BUCKETS && t.count > TALLY_BUCKETS / 4);
	tally_sum(&t, 0, INT64_MAX, n);
	assert_int_equal(n[0], 10000 * (2 + 4 + 6));
	assert_int_equal(n[1], 10000 * (1 + 3 + 5 + 7));
	tally_sum(&t, tally_begin(&t, &t.buckets[1]), tally_begin(&t, &t.buckets[2]), n);
	assert_int_equal(n[0], t.buckets[1].n[0]);
	tally_release(&t);
}

static void order_and_split_do_not_matter(void **unused)
{
	struct tally whole = {0}, backwards = {0}, a = {0}, b = {0}, odd = {0}, even = {0};

	(void)unused;
	fill(&whole, -5000, 20000, 1);
	for (int i = 19999; i >= -5000; i--)
		tally_add(&backwards, i * MS, (unsigned)(i & 1), (uint64_t)(i & 7));
	same_tally(&whole, &backwards);
	fill(&a, -5000, 300, 1);
	fill(&b, 300, 20000, 1);
	tally_merge(&a, &b);
	same_tally(&whole, &a);
	fill(&odd, -4999, 20000, 2);
	fill(&even, -5000, 20000, 2);
	tally_merge(&even, &odd);
	same_tally(&whole, &even);
	tally_release(&whole);
	tally_release(&backwards);
	tally_release(&a);
	tally_release(&b);
	tally_release(&odd);
	tally_release(&even);
}

static void extremes_do_no_harm(void **unused)
{
	struct tally t = {0};
	uint64_t n[TALLY_WORDS];

	(void)unused;
	for (int i = 0; i < 500; i++) {
		tally_add(&t, i & 1 ? INT64_MAX - i * MS : INT64_MIN + i * MS, 0, 1);
		tally_add(&t, i * (INT64_MAX / 512), 2, UINT64_MAX);
	}
	assert_true(t.count <= TALLY_BUCKETS);
	tally_sum(&t, INT64_MIN, INT64_MAX, n);
	assert_int_equal(n[0], 500);
	tally_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(order_and_split_do_not_matter),
		cmocka_unit_test(extremes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

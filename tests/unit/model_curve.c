/* SPDX-License-Identifier: MIT */
/* Curves: bounded, peaks kept, the same in any order and any split. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/curve.c"

#define LIMIT 64
#define MS 1000000

static int64_t value_at(int i)
{
	return i == 77777 ? 1000000 : i == 50001 ? -5 : i % 100;
}

static void fill(struct curve *c, int begin, int end, int step)
{
	for (int i = begin; i < end; i += step)
		curve_add(c, LIMIT, (int64_t)i * MS, value_at(i));
}

static void same_value(const struct curve_value *a, const struct curve_value *b)
{
	assert_int_equal(a->t, b->t);
	assert_int_equal(a->value, b->value);
}

static void same_curve(const struct curve *a, const struct curve *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->shift, b->shift);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->buckets[i].at, b->buckets[i].at);
		same_value(&a->buckets[i].min, &b->buckets[i].min);
		same_value(&a->buckets[i].max, &b->buckets[i].max);
		same_value(&a->buckets[i].last, &b->buckets[i].last);
	}
}

static void stays_small_and_keeps_peaks(void **unused)
{
	struct curve c = { 0 };
	int64_t min = INT64_MAX;

	(void)unused;
	fill(&c, 0, 100000, 1);
	assert_true(c.count <= LIMIT && c.count > LIMIT / 4);
	assert_int_equal(curve_max(&c), 1000000);
	for (size_t i = 0; i < c.count; i++) {
		if (c.buckets[i].min.value < min)
			min = c.buckets[i].min.value;
		if (c.buckets[i].max.value == 1000000)
			assert_int_equal(c.buckets[i].max.t, 77777LL * MS);
	}
	assert_int_equal(min, -5);
	assert_int_equal(c.buckets[c.count - 1].last.t, 99999LL * MS);
	curve_release(&c);
}

/* One value of ten million, wherever it is, also where it lasts a nanosecond. */
static void one_peak_of_ten_million(void **unused)
{
	static const int where[] = { 0, 4999999, 7340033, 9999999 };

	(void)unused;
	for (size_t k = 0; k < sizeof(where) / sizeof(where[0]); k++) {
		struct curve c = { 0 };
		size_t found = 0;

		for (int i = 0; i < 10000000; i++)
			curve_add(&c, 512, (int64_t)i * 2000, i == where[k] ? 101 : i % 100);
		assert_true(c.count <= 512);
		for (size_t i = 0; i < c.count; i++) {
			struct curve_value p[3];
			size_t n = curve_points(&c.buckets[i], p);

			while (n--)
				found += p[n].value == 101 && p[n].t == (int64_t)where[k] * 2000;
		}
		assert_int_equal(found, 1);
		curve_release(&c);
	}
}

static void few_values_stay_as_they_are(void **unused)
{
	struct curve c = { 0 };
	struct curve_value p[3];

	(void)unused;
	for (int i = 0; i < LIMIT; i++)
		curve_add(&c, LIMIT, (int64_t)i * 10000 * MS, i);
	assert_int_equal(c.count, LIMIT);
	assert_int_equal(c.shift, CURVE_SHIFT);
	for (int i = 0; i < LIMIT; i++) {
		assert_int_equal(curve_points(&c.buckets[i], p), 1);
		assert_int_equal(p[0].value, i);
	}
	curve_release(&c);
}

/* What rises and falls at one time has been high. */
static void a_peak_of_no_time(void **unused)
{
	struct curve c = { 0 };
	struct curve_value p[3];

	(void)unused;
	curve_add(&c, LIMIT, 5 * MS, 7);
	curve_add(&c, LIMIT, 5 * MS, 0);
	assert_int_equal(curve_points(&c.buckets[0], p), 2);
	assert_int_equal(p[0].value, 7);
	assert_int_equal(p[1].value, 0);
	assert_int_equal(curve_at(&c, 5 * MS), 0);
	curve_release(&c);
}

static void order_and_split_do_not_matter(void **unused)
{
	struct curve whole = { 0 }, backwards = { 0 }, a = { 0 }, b = { 0 }, odd = { 0 }, even = { 0 };

	(void)unused;
	fill(&whole, -5000, 20000, 1);
	for (int i = 19999; i >= -5000; i--)
		curve_add(&backwards, LIMIT, (int64_t)i * MS, value_at(i));
	same_curve(&whole, &backwards);
	fill(&a, -5000, 300, 1);
	fill(&b, 300, 20000, 1);
	curve_merge(&a, &b, LIMIT);
	same_curve(&whole, &a);
	fill(&odd, -4999, 20000, 2);
	fill(&even, -5000, 20000, 2);
	curve_merge(&odd, &even, LIMIT);
	same_curve(&whole, &odd);
	curve_release(&whole);
	curve_release(&backwards);
	curve_release(&a);
	curve_release(&b);
	curve_release(&odd);
	curve_release(&even);
}

static void points_come_by_time(void **unused)
{
	struct curve c = { 0 };
	struct curve_value p[3];

	(void)unused;
	curve_add(&c, LIMIT, 100, 9);
	curve_add(&c, LIMIT, 200, 1);
	curve_add(&c, LIMIT, 300, 5);
	assert_int_equal(curve_points(&c.buckets[0], p), 3);
	assert_int_equal(p[0].value, 9);
	assert_int_equal(p[1].value, 1);
	assert_int_equal(p[2].value, 5);
	curve_release(&c);
}

static double mean(const struct curve *c)
{
	return curve_mean(c, INT64_MIN, INT64_MAX, NULL);
}

/* Whatever is left of a bucket, its mean is of all that was in it. */
static void mean_is_over_time(void **unused)
{
	struct curve levels = { 0 }, rates = { 0 }, few = { 0 };
	uint64_t values;

	(void)unused;
	assert_true(isnan(mean(&few)));
	for (int i = 0; i < 6000; i++) {	/* every twentieth is 100, the others are 5 */
		curve_add(&levels, LIMIT, (int64_t)i * 100 * MS, i % 20 ? 5 : 100);
		curve_add_rate(&rates, LIMIT, (int64_t)i * 100 * MS, (int64_t)(i + 1) * 100 * MS, i % 20 ? 5 : 100);
	}
	assert_true(levels.count <= LIMIT);
	assert_float_equal(mean(&levels), 9.75, 0.01);
	assert_float_equal(mean(&rates), 9.75, 1e-9);
	assert_float_equal(curve_mean(&levels, 100000LL * MS, 400000LL * MS, &values), 9.75, 0.2);
	assert_in_range(values, 2500, 3300);

	curve_add(&few, LIMIT, 0, 8);		/* for a second of ten */
	assert_true(isnan(mean(&few)));
	curve_add(&few, LIMIT, 1000LL * MS, 3);
	curve_add(&few, LIMIT, 10000LL * MS, 100);	/* for no time */
	assert_float_equal(mean(&few), 3.5, 1e-9);
	curve_release(&levels);
	curve_release(&rates);
	curve_release(&few);
}

static void mean_of_parts_is_the_same(void **unused)
{
	struct curve whole = { 0 };

	(void)unused;
	fill(&whole, -5000, 20000, 1);
	for (int cut = -4000; cut < 20000; cut += 777) {
		struct curve a = { 0 }, b = { 0 };

		fill(&a, -5000, cut, 1);
		fill(&b, cut, 20000, 1);
		curve_merge(&a, &b, LIMIT);
		assert_true(mean(&a) == mean(&whole));
		curve_release(&a);
		curve_release(&b);
	}
	curve_release(&whole);
}

static void huge_times_end(void **unused)
{
	struct curve c = { 0 };

	(void)unused;
	/* A hostile trace: the whole range of times. */
	for (int i = 0; i < 1000; i++)
		curve_add(&c, LIMIT, (int64_t)((uint64_t)i * 18446744073709551ULL), i);
	assert_true(c.count <= LIMIT);
	curve_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays_small_and_keeps_peaks),
		cmocka_unit_test(one_peak_of_ten_million),
		cmocka_unit_test(few_values_stay_as_they_are),
		cmocka_unit_test(a_peak_of_no_time),
		cmocka_unit_test(order_and_split_do_not_matter),
		cmocka_unit_test(points_come_by_time),
		cmocka_unit_test(mean_is_over_time),
		cmocka_unit_test(mean_of_parts_is_the_same),
		cmocka_unit_test(huge_times_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Durations of what repeats: exact sums, near quantiles, the longest, in any order and any split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/curve.c"
#include "analysis/model/pace.c"

#define MS 1000000LL
#define COUNT 5000

/* Beats 10 to 19 ms apart, one of 500 ms, moments that fill(…) notes. */
static int64_t moments[COUNT];

static int setup(void **unused)
{
	uint32_t seed = 7;

	(void)unused;
	for (int i = 1; i < COUNT; i++) {
		seed = seed * 1103515245 + 12345;
		moments[i] = moments[i - 1] + (i == 3000 ? 500 * MS : 10 * MS + (seed >> 16) % 9000000);
	}
	return 0;
}

static void fill(struct pace *p, int from, int to)
{
	for (int i = from; i < to; i++)
		pace_note(p, moments[i]);
}

static void same_pace(struct pace *a, struct pace *b)
{
	assert_int_equal(a->curve.count, b->curve.count);
	assert_memory_equal(a->curve.buckets, b->curve.buckets, a->curve.count * sizeof(*a->curve.buckets));
	assert_memory_equal(a->buckets, b->buckets, sizeof(a->buckets));
	assert_memory_equal(a->sums, b->sums, sizeof(a->sums));
	assert_memory_equal(a->longest, b->longest, sizeof(a->longest));
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->total, b->total);
	assert_true(a->squares == b->squares);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->moments, b->moments);
	assert_false(a->disordered || b->disordered);
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void near(double told, double is)
{
	assert_true(told > 0.98 * is && told < 1.02 * is);
}

static void sums_and_quantiles(void **unused)
{
	static int64_t d[COUNT], far[COUNT];
	struct pace *p = pace_new();
	int64_t total = 0;
	double limit = 400e6, mean, squares = 0;

	(void)unused;
	fill(p, 0, COUNT);
	pace_end(p);
	for (int i = 1; i < COUNT; i++)
		total += d[i - 1] = moments[i] - moments[i - 1];
	mean = (double)total / (COUNT - 1);
	for (int i = 0; i < COUNT - 1; i++)
		squares += ((double)d[i] - mean) * ((double)d[i] - mean);
	qsort(d, COUNT - 1, sizeof(*d), by_value);
	for (int i = 0; i < COUNT - 1; i++)
		far[i] = llabs(d[i] - d[COUNT / 2 - 1]);
	qsort(far, COUNT - 1, sizeof(*far), by_value);
	assert_int_equal(p->count, COUNT - 1);
	assert_int_equal(p->total, total);
	assert_int_equal(p->min, d[0]);
	assert_int_equal(p->max, 500 * MS);
	near(pace_deviation(p), sqrt(squares / (COUNT - 1)));
	for (int percent = 1; percent < 100; percent++)
		near(pace_quantile(p, percent / 100.0), (double)d[(COUNT - 2) * percent / 100]);
	assert_true(fabs(pace_spread(p) - (double)far[COUNT / 2 - 1]) < 0.5e6);
	assert_int_equal(pace_above(p, &limit), 1);
	assert_true(limit >= 400e6 && limit < 413e6);
	pace_free(p);
}

static void the_longest_and_peaks_stay(void **unused)
{
	struct pace *p = pace_new();

	(void)unused;
	fill(p, 0, COUNT);
	pace_end(p);
	assert_int_equal(p->longest_count, PACE_LONGEST);
	assert_int_equal(p->longest[0].number, 3000);
	assert_int_equal(p->longest[0].begin, moments[2999]);
	assert_int_equal(p->longest[0].duration, 500 * MS);
	for (int i = 1; i < PACE_LONGEST; i++)
		assert_true(p->longest[i].duration <= p->longest[i - 1].duration);
	assert_true(p->curve.count <= PACE_POINTS && p->curve.count > PACE_POINTS / 4);
	assert_int_equal(curve_max(&p->curve), 500 * MS);
	pace_free(p);
}

static void any_split_is_the_same(void **unused)
{
	(void)unused;
	for (int at = 1; at < COUNT; at += 377) {
		struct pace *whole = pace_new(), *a = pace_new(), *b = pace_new();

		fill(whole, 0, COUNT);
		fill(a, 0, at);
		fill(b, at, COUNT);
		pace_end(whole);
		pace_merge(a, b);
		pace_end(a);
		same_pace(whole, a);
		pace_free(whole);
		pace_free(a);
		pace_free(b);
	}
}

/* A few places late, and more than one in a window, whose first one counts. */
static void order_does_not_matter(void **unused)
{
	struct pace *whole = pace_new(), *mixed = pace_new();

	(void)unused;
	fill(whole, 0, COUNT);
	for (int i = 0; i < COUNT; i += 10)
		for (int k = 9; k >= 0; k--) {
			int64_t border = ((moments[i + k] >> PACE_SHIFT) + 1) << PACE_SHIFT;

			pace_note(mixed, border - 1);
			pace_note(mixed, moments[i + k]);
		}
	pace_end(whole);
	pace_end(mixed);
	same_pace(whole, mixed);
	pace_free(whole);
	pace_free(mixed);
}

static void much_too_late_is_told(void **unused)
{
	struct pace *p = pace_new();

	(void)unused;
	fill(p, 1, COUNT);
	pace_note(p, moments[0]);
	assert_true(p->disordered);
	pace_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_quantiles),
		cmocka_unit_test(the_longest_and_peaks_stay),
		cmocka_unit_test(any_split_is_the_same),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(much_too_late_is_told),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Sums of calls: quantiles against exact ones, deviation in 128 bits, merging in any split. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/sums.c"

#define CALLS 10000

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Durations over seven orders of magnitude. */
static void fill(uint64_t *durations)
{
	uint64_t state = 42;

	for (int i = 0; i < CALLS; i++)
		durations[i] = (next_random(&state) & 0xfff) << next_random(&state) % 20;
}

static void quantiles_are_within_their_error(void **unused)
{
	static const double wanted[] = { 0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	static uint64_t durations[CALLS];
	struct sums s = { 0 };

	(void)unused;
	fill(durations);
	for (int i = 0; i < CALLS; i++)
		sums_add(&s, durations[i], 0);
	qsort(durations, CALLS, sizeof(*durations), compare);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		double error, exact, got = sums_quantile(&s, wanted[i], &error);

		exact = (double)durations[(size_t)(wanted[i] * (CALLS - 1) + 0.5)];
		assert_true(error <= (exact < 64 ? 1 : 0.0626));
		assert_true(fabs(got - exact) <= error * exact + 1e-9 || exact < 64);
	}
}

static void one_call_has_exact_quantiles(void **unused)
{
	struct sums s = { 0 };
	double error;

	(void)unused;
	sums_add(&s, 123456, 0);
	assert_true(sums_quantile(&s, 0.5, &error) == 123456);
	assert_true(error == 0);
	assert_true(sums_deviation(&s) == 0);
}

static void none_has_none(void **unused)
{
	struct sums s = { 0 };
	double error;

	(void)unused;
	assert_true(sums_quantile(&s, 0.5, &error) == 0);
	assert_true(sums_deviation(&s) == 0);
	assert_int_equal(sums_counted(&s), 0);
}

/* Squares of hours in ns do not fit in 64 bits, and doubles would lose the difference. */
static void deviation_survives_large_values(void **unused)
{
	const uint64_t hour = 3600000000000ULL;
	struct sums s = { 0 };

	(void)unused;
	for (int i = 0; i < 1000; i++)
		sums_add(&s, hour + (i & 1 ? 10 : 0), 0);
	assert_true(fabs(sums_deviation(&s) - 5) < 1e-6);
}

static void any_split_merges_into_the_same(void **unused)
{
	static uint64_t durations[CALLS];
	struct sums whole = { 0 };

	(void)unused;
	fill(durations);
	for (int i = 0; i < CALLS; i++)
		sums_add(&whole, durations[i], durations[i] / 3);
	for (int cut = 0; cut <= CALLS; cut += 1999) {
		struct sums a = { 0 }, b = { 0 };

		for (int i = 0; i < CALLS; i++)
			sums_add(i < cut ? &a : &b, durations[i], durations[i] / 3);
		sums_merge(&b, &a);
		assert_memory_equal(&b, &whole, sizeof(whole));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_within_their_error),
		cmocka_unit_test(one_call_has_exact_quantiles),
		cmocka_unit_test(none_has_none),
		cmocka_unit_test(deviation_survives_large_values),
		cmocka_unit_test(any_split_merges_into_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

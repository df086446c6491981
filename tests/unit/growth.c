/* SPDX-License-Identifier: MIT */
/* A heap that grows is told from one that is large, steps once, or goes up and down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/growth.c"
#include "analysis/model/curve.c"

#define MIB (1024LL * 1024)
#define SAMPLES 600	/* a minute */

static bool grows(int64_t (*value)(int i), struct growth *g)
{
	struct curve c = { 0 };
	bool result;

	for (int i = 0; i < SAMPLES; i++)
		curve_add(&c, 512, i * 100000000LL, value(i));
	result = curve_growth(&c, curve_start_up(&c), INT64_MAX, g);
	curve_release(&c);
	return result;
}

static int64_t leak(int i)
{
	return 200 * MIB + i * MIB / 10;
}

static int64_t leak_under_a_sawtooth(int i)
{
	return leak(i) + (i % 7) * 50 * MIB;
}

static int64_t start_up(int i)
{
	return i < 150 ? i * 4 * MIB : 600 * MIB;
}

static int64_t one_step(int i)
{
	return i < 300 ? 200 * MIB : 500 * MIB;
}

static int64_t sawtooth(int i)
{
	return 200 * MIB + (i % 90) * 3 * MIB;
}

static int64_t creeping(int i)
{
	return 1000 * MIB + i * MIB / 100;
}

static void leaks_are_found(void **unused)
{
	struct growth g;

	(void)unused;
	assert_true(grows(leak, &g));
	assert_true(g.per_second > 0.9 * MIB && g.per_second < 1.1 * MIB);
	assert_true(grows(leak_under_a_sawtooth, &g));
	assert_true(g.per_second > 0.8 * MIB && g.per_second < 1.2 * MIB);
}

static void other_shapes_are_not(void **unused)
{
	struct growth g;

	(void)unused;
	assert_false(grows(start_up, &g));
	assert_false(grows(one_step, &g));
	assert_false(grows(sawtooth, &g));
	assert_false(grows(creeping, &g));
}

/* Of so many points, so many ms apart; the first third is not looked at. */
static bool judged(int points, int64_t ms)
{
	struct curve c = { 0 };
	struct growth g;
	bool result;

	for (int i = 0; i < points; i++)
		curve_add(&c, 512, i * ms * 1000000, i * 1000 * MIB);
	result = curve_growth(&c, curve_start_up(&c), INT64_MAX, &g);
	curve_release(&c);
	return result;
}

static void short_curves_are_not_judged(void **unused)
{
	(void)unused;
	assert_false(judged(0, 1000));
	assert_false(judged(17, 1000));	/* 11 of them */
	assert_true(judged(18, 1000));
	assert_false(judged(18, 170));	/* 1.87 s */
	assert_true(judged(18, 190));
}

/* Only within the range: a start-up that grows is none of its business, nor is what comes after. */
static void a_range_is_judged(void **unused)
{
	struct curve c = { 0 };
	struct growth g;

	(void)unused;
	for (int i = 0; i < SAMPLES; i++)
		curve_add(&c, 512, i * 100000000LL, i < 200 ? i * 4 * MIB : i < 400 ? 800 * MIB : i * 2 * MIB);
	assert_true(curve_growth(&c, 0, 20000000000LL, &g));
	assert_false(curve_growth(&c, 20000000000LL, 40000000000LL, &g));
	assert_true(curve_growth(&c, 40000000000LL, INT64_MAX, &g));
	assert_true(g.begin >= 40000000000LL && g.per_second > 18 * MIB && g.per_second < 22 * MIB);
	curve_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaks_are_found),
		cmocka_unit_test(other_shapes_are_not),
		cmocka_unit_test(short_curves_are_not_judged),
		cmocka_unit_test(a_range_is_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

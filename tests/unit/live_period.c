/* SPDX-License-Identifier: MIT */
/* The period of a curve: found where it is one, also with growth, noise and uneven turns; else none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/live/period.c"

static uint32_t seed = 1;

static double noise(void)
{
	seed = seed * 1664525 + 1013904223;
	return (double)(seed >> 8) / (1 << 24) - 0.5;
}

/* One turn: up, a step, down. 0 <= x < 1 */
static double turn(double x)
{
	return x < 0.5 ? 2 * x : x < 0.7 ? 0.9 : 3 * (1 - x);
}

/* Turns of `steps` values, each longer or shorter by up to `jitter` of it; each works as much. How many. */
static double turns(struct period *p, double steps, double jitter, double growth, double loud, bool works)
{
	double x = 0, length = steps, done = 0;

	for (size_t i = 0; i < PERIOD_VALUES + 100; i++) {
		period_note(p, 100 * turn(x) + growth * (double)i + loud * noise(), works ? 1e4 * x + done : 0);
		x += 1 / length;
		if (x >= 1) {
			x -= 1;
			done += 1e4;
			length = steps * (1 + 2 * jitter * noise());
		}
	}
	return done / 1e4 + x;
}

static void about(uint64_t expected, uint64_t found, double tolerance)
{
	assert_true(fabs((double)found - (double)expected) <= tolerance * (double)expected);
}

static void test_periods(void **state)
{
	static const double steps[] = { 5, 12.4, 25, 50, 110 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct period *p = calloc(1, sizeof(*p));

		turns(p, steps[i], 0, i % 2 ? 0.5 : 0, 5, i % 2);
		about((uint64_t)(steps[i] * PERIOD_STEP), period_find(p), 0.03);
		free(p);
	}
}

static void test_uneven_turns(void **state)
{
	struct period *p = calloc(1, sizeof(*p));

	(void)state;
	turns(p, 25, 0.2, 0, 5, false);
	about((uint64_t)(25 * PERIOD_STEP), period_find(p), 0.08);
	free(p);
}

/* On a machine that others use, too, turns last three times as long now and then. */
static void test_by_work(void **state)
{
	static const double steps[] = { 12.4, 16, 40 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct period *p = calloc(1, sizeof(*p));
		double count = turns(p, steps[i], 0.6, 0, 5, true);

		about((uint64_t)((PERIOD_VALUES + 100) / count * PERIOD_STEP), period_find(p), 0.08);
		*p = (struct period){ .count = 0 };
		turns(p, steps[i], 0.6, 0, 5, false);
		assert_int_equal(0, period_find(p));
		free(p);
	}
}

/* Work that goes on evenly beside values that do not repeat. */
static void test_none(void **state)
{
	struct period *p = calloc(1, sizeof(*p));

	(void)state;
	assert_int_equal(0, period_find(p));
	for (int i = 0; i < 2000; i++)
		period_note(p, 1000, i);
	assert_int_equal(0, period_find(p));
	for (int i = 0; i < 2000; i++)
		period_note(p, noise(), 3 * i + noise());
	assert_int_equal(0, period_find(p));
	for (int i = 0; i < 2000; i++)
		period_note(p, i * 3.0 + noise(), 9 * i + 5 * noise());
	assert_int_equal(0, period_find(p));
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_uneven_turns),
		cmocka_unit_test(test_by_work),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

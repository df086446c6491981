/* SPDX-License-Identifier: MIT */
/* The period of a curve: found where it is one, also with growth, noise and uneven turns; else none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Steps are not all as long. */
static void note(struct period *p, size_t i, double value, double work)
{
	period_note(p, (uint64_t)(((double)i + 0.3 * noise() + 1) * PERIOD_STEP), value, work);
}

/* Turns of `steps` values, each longer or shorter by up to `jitter` of it; each works as much. How many. */
static double turns(struct period *p, double steps, double jitter, double growth, double loud, bool works)
{
	double x = 0, length = steps, done = 0;

	for (size_t i = 0; i < PERIOD_VALUES + 100; i++) {
		note(p, i, 100 * turn(x) + growth * (double)i + loud * noise(), works ? 1e4 * x + done : 0);
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
	static const double steps[] = { 20, 49.6, 100, 200, 440 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct period p = { .count = 0 };

		turns(&p, steps[i], 0, i % 2 ? 0.5 : 0, 5, i % 2);
		about((uint64_t)(steps[i] * PERIOD_STEP), period_find(&p), 0.03);
		period_release(&p);
	}
}

/* Turns that are no whole number of steps, and do most within one step: two or three of them may look more alike.
   What is too short to be told has no multiple told either. */
static void test_short_turns(void **state)
{
	static const double steps[] = { 4.9, 5.4, 7.7, 9.3, 12.5, 13.4, 14.6, 15.5, 16.7, 21.3 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct period p = { .count = 0 };
		double x = 0, length = steps[i];

		for (size_t k = 0; k < PERIOD_VALUES; k++) {
			note(&p, k, x < 0.2 ? 100 : 20 * x, 0);
			x += 1 / length;
			if (x >= 1) {
				x -= 1;
				length = steps[i] * (1 + 0.04 * noise());
			}
		}
		about(steps[i] < 12 ? 0 : (uint64_t)(steps[i] * PERIOD_STEP), period_find(&p), 0.03);
		period_release(&p);
	}
}

/* Values that come late are no shorter turns; what was before a second without any is another story. */
static void test_late(void **state)
{
	struct period p = { .count = 0 };
	uint64_t at = 0;

	(void)state;
	for (size_t i = 0; i < PERIOD_VALUES; i++) {
		at += PERIOD_STEP * (i % 10 ? 1 : 4);
		period_note(&p, at, turn(fmod((double)at / (37.0 * PERIOD_STEP), 1)), 0);
	}
	about(37 * PERIOD_STEP, period_find(&p), 0.03);
	period_note(&p, at + 1100000000, 0, 0);
	assert_int_equal(1, p.count);
	assert_int_equal(0, period_find(&p));
	period_release(&p);
}

static void test_uneven_turns(void **state)
{
	struct period p = { .count = 0 };

	(void)state;
	turns(&p, 100, 0.2, 0, 5, false);
	about((uint64_t)(100 * PERIOD_STEP), period_find(&p), 0.08);
	period_release(&p);
}

/* On a machine that others use, too, turns last three times as long now and then. */
static void test_by_work(void **state)
{
	static const double steps[] = { 49.6, 64, 160 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct period p = { .count = 0 };
		double count = turns(&p, steps[i], 0.6, 0, 5, true);

		about((uint64_t)((PERIOD_VALUES + 100) / count * PERIOD_STEP), period_find(&p), 0.08);
		period_release(&p);
		turns(&p, steps[i], 0.6, 0, 5, false);
		assert_int_equal(0, period_find(&p));
		period_release(&p);
	}
}

/* Work that goes on evenly beside values that do not repeat. */
static void test_none(void **state)
{
	struct period p = { .count = 0 };

	(void)state;
	assert_int_equal(0, period_find(&p));
	for (size_t i = 0; i < 8000; i++)
		note(&p, i, 1000, (double)i);
	assert_int_equal(0, period_find(&p));
	period_release(&p);
	for (size_t i = 0; i < 8000; i++)
		note(&p, i, noise(), 3 * (double)i + noise());
	assert_int_equal(0, period_find(&p));
	period_release(&p);
	for (size_t i = 0; i < 8000; i++)
		note(&p, i, 3 * (double)i + noise(), 9 * (double)i + 5 * noise());
	assert_int_equal(0, period_find(&p));
	period_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_short_turns),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_uneven_turns),
		cmocka_unit_test(test_by_work),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

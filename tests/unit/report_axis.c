/* SPDX-License-Identifier: MIT */
/* Axes of time that begin later than 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/report/axis.c"

static void a_part_has_round_ticks(void **state)
{
	struct axis a = axis_time(4.13e9, 4.4e9, 6);
	char buf[32];
	double tick;

	(void)state;
	assert_true(a.lo == 4.13e9 && a.hi == 4.4e9 && a.step == 50e6);
	assert_string_equal(a.unit, "s");
	assert_true(axis_tick(&a, 0, &tick));
	assert_string_equal(axis_label(&a, tick, buf), "4.15");
	assert_true(axis_tick(&a, 5, &tick));
	assert_string_equal(axis_label(&a, tick, buf), "4.40");
	assert_false(axis_tick(&a, 6, &tick));
}

static void all_of_it_begins_at_0(void **state)
{
	struct axis a = axis_time(0, 41e9, 6);
	double tick;

	(void)state;
	assert_true(axis_tick(&a, 0, &tick));
	assert_true(tick == 0 && a.lo == 0 && a.hi == 41e9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_has_round_ticks),
		cmocka_unit_test(all_of_it_begins_at_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

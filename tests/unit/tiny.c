/* SPDX-License-Identifier: MIT */
/* Tiny calls of which some are timed: counts stay exact, the sum comes out right within the error that is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "interpose/tiny.h"

#define FUNCTION 23

static const char here[2];
static uint64_t state;

static uint64_t kind_of(uint64_t flops)
{
	return dlt_tiny_kind(FUNCTION, dlt_tiny_work(flops));
}

static uint64_t any(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 20;
}

struct outcome {
	uint64_t calls, timed;
	double truth, told, variance, longest;
};

/* So many calls with so much work, of which the i-th takes duration(i) ns. */
static struct outcome run(struct dlt_tiny *places, const void *caller, uint64_t flops, unsigned calls,
			  unsigned (*duration)(unsigned i))
{
	struct outcome o = { 0 };

	for (unsigned i = 0; i < calls; i++) {
		struct dlt_tiny *t = dlt_tiny_place(places, caller, kind_of(flops));
		unsigned ns = duration(i);

		o.truth += ns;
		o.calls++;
		if (!dlt_tiny_is(t, caller, kind_of(flops)) || !dlt_tiny_skips(t)) {
			o.variance += (double)dlt_tiny_timed(t, caller, kind_of(flops), 3 * ns, ns, ns < 500, any()) *
				(1 << DLT_BOX_ERROR_SHIFT);
			o.timed++;
		}
		assert_int_equal(t->ticks, 3 * t->ns);
		assert_int_equal(t->bucket, dlt_bucket(t->ns));
		o.told += t->ns;
		o.longest = fmax(o.longest, t->ns);
	}
	return o;
}

static unsigned even(unsigned i)
{
	(void)i;
	return 50;
}

static unsigned in_turn(unsigned i)
{
	return 40 + 20 * (i % 16);
}

static unsigned with_outliers(unsigned i)
{
	return any() % 500 == 0 ? 9000 : 60 + i % 7;
}

static unsigned slow(unsigned i)
{
	return 600 + i % 9;
}

static unsigned slower_later(unsigned i)
{
	return i < 20000 ? 60 : 900;
}

static void one_in_many_is_timed(void **data)
{
	struct dlt_tiny places[DLT_TINY_PLACES] = { 0 };
	struct outcome o = run(places, &here[0], 1152, 100000, even);

	(void)data;
	assert_in_range(o.timed, 100000 / 25, 100000 / 20);
	o = run(places, &here[0], 1152, 100000, even);
	assert_in_range(o.timed, 100000 / 27, 100000 / 22);
	assert_true(o.told == o.truth);
}

/* Durations that repeat as often as calls are timed on average: chance keeps them apart. */
static void the_sum_is_right_within_its_error(void **data)
{
	unsigned (*const shapes[])(unsigned) = { in_turn, with_outliers };
	unsigned outside = 0;
	double off = 0;

	(void)data;
	for (unsigned i = 0; i < 200; i++) {
		struct dlt_tiny places[DLT_TINY_PLACES] = { 0 };
		struct outcome o = run(places, &here[0], 1152, 100000, shapes[i % 2]);

		outside += fabs(o.told - o.truth) > 2 * sqrt(o.variance);
		off += o.told / o.truth - 1;
	}
	assert_true(fabs(off / 200) < 0.01);
	/* 5 % of them are expected outside of two standard errors; fewer, since the error is never told too small. */
	assert_in_range(outside, 0, 20);
}

static void errors_are_no_larger_than_they_need_be(void **data)
{
	struct dlt_tiny places[DLT_TINY_PLACES] = { 0 };
	struct outcome o = run(places, &here[0], 1152, 1000000, in_turn);

	(void)data;
	assert_true(sqrt(o.variance) < 0.007 * o.truth);
	assert_true(fabs(o.told - o.truth) < 0.02 * o.truth);
}

static void slow_ones_are_all_timed(void **data)
{
	struct dlt_tiny places[DLT_TINY_PLACES] = { 0 };
	struct outcome o = run(places, &here[0], 1152, 5000, slow);

	(void)data;
	assert_int_equal(o.timed, 5000);
	assert_true(o.told == o.truth);
	assert_true(o.variance == 0);
	/* And again from when they become slow on; what was left out before that is little. */
	o = run(places, &here[1], 1152, 40000, slower_later);
	assert_true(o.timed > 20000 - 12 * 25);
}

static void sizes_and_callers_are_apart(void **data)
{
	struct dlt_tiny places[DLT_TINY_PLACES] = { 0 };
	struct dlt_tiny *t = dlt_tiny_place(places, &here[0], kind_of(1152));
	uint32_t left, untimed;

	(void)data;
	run(places, &here[0], 1152, 1000, even);
	while (!t->skip)
		dlt_tiny_timed(t, &here[0], kind_of(1152), 9, 3, true, 0);
	assert_ptr_equal(dlt_tiny_find(places, &here[0], kind_of(2047)), t);
	assert_ptr_not_equal(dlt_tiny_find(places, &here[1], kind_of(1152)), t);
	assert_ptr_not_equal(dlt_tiny_find(places, &here[0], dlt_tiny_kind(FUNCTION + 1, dlt_tiny_work(1152))), t);
	assert_ptr_not_equal(dlt_tiny_find(places, &here[0], kind_of(2048)), t);
	/* Those that are not timed since: so many were given, less those that are left. */
	left = t->skip;
	untimed = dlt_tiny_untimed(t);
	assert_true(dlt_tiny_skips(t));
	assert_int_equal(t->skip, left - 1);
	assert_int_equal(dlt_tiny_untimed(t), untimed + 1);
	assert_int_equal(dlt_tiny_owed(t), untimed + 1);
	t->paid++;
	assert_int_equal(dlt_tiny_owed(t), untimed);
	assert_true(t != dlt_tiny_place(places, &here[0], kind_of(2048)));
	/* Who takes another's place stands for none of its calls. */
	assert_int_equal(dlt_tiny_timed(t, &here[1], kind_of(1152), 9, 3, true, 0), 0);
	assert_int_equal(t->known, 1);
	assert_int_equal(t->skip, 0);
}

/* The next caller after `from` whose place would be that of `like_this`. */
static const void *of_the_same_place(const void *from, const void *like_this)
{
	static struct dlt_tiny places[DLT_TINY_PLACES];
	const struct dlt_tiny *wanted = dlt_tiny_place(places, like_this, kind_of(1152));
	uintptr_t caller = (uintptr_t)from;

	do
		caller++;
	while (dlt_tiny_place(places, (const void *)caller, kind_of(1152)) != wanted);
	return (const void *)caller;
}

/* Two that would be in one place do not put each other out; a third one, seldom called, puts out neither for long. */
static void two_of_one_place_are_known(void **data)
{
	struct dlt_tiny places[DLT_TINY_PLACES] = { 0 };
	const void *other = of_the_same_place(&here[0], &here[0]), *third = of_the_same_place(other, &here[0]);
	uint64_t timed = 0, calls = 0;

	(void)data;
	for (unsigned i = 0; i < 1000; i++) {
		struct outcome a = run(places, &here[0], 1152, 50, even), b = run(places, other, 1152, 50, even);

		timed += a.timed + b.timed;
		calls += a.calls + b.calls;
		if (i % 100 == 99)
			run(places, third, 1152, 1, even);
	}
	assert_in_range(timed, calls / 30, calls / 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_of_one_place_are_known),
		cmocka_unit_test(one_in_many_is_timed),
		cmocka_unit_test(the_sum_is_right_within_its_error),
		cmocka_unit_test(errors_are_no_larger_than_they_need_be),
		cmocka_unit_test(slow_ones_are_all_timed),
		cmocka_unit_test(sizes_and_callers_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

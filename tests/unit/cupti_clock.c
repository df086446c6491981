/* SPDX-License-Identifier: MIT */
/* CUPTI's clock onto ours: however it runs, times are off by no more than what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "interpose/cupti/clock.c"

static int no_clock(uint64_t *timestamp)
{
	(void)timestamp;
	return 1;
}

/* A clock: ours at each of theirs. */
struct run {
	double theirs, ours;	/* ns */
	double rate;		/* theirs by ours */
};

static void advance(struct run *r, double ns)
{
	r->ours += ns;
	r->theirs += ns * r->rate;
}

static void add(const struct run *r, uint64_t half, double off)
{
	const struct clock_pair pair = { (uint64_t)r->theirs, (uint64_t)(r->ours + off), half };

	cupti_clock_add(&pair);
}

static void reset(void)
{
	memset(clocks, 0, sizeof(clocks));
}

/* Converts what was seen; all errors within what is said, which is at most `most`. */
static void compare(const struct run *seen, size_t count, uint64_t most)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t error, ours = cupti_clock_convert((uint64_t)seen[i].theirs, &error);
		double off = (double)ours - seen[i].ours;

		if ((off < 0 ? -off : off) > (double)error + 2)
			fail_msg("off by %g, said %llu", off, (unsigned long long)error);
		assert_true(error <= most);
	}
}

#define STEPS 300

/* 250 ms between pairs, each read to within 40 ns; times in between, the rate changing each second. */
static void drift(double offset, double rate, double wobble, uint64_t most)
{
	struct run r = { 1e6 + offset, 5e12, rate }, seen[STEPS * 4];
	size_t count = 0;

	reset();
	srand(1);
	add(&r, 40, 0);
	for (int i = 0; i < STEPS; i++) {
		r.rate = rate * (1 + (i / 4 % 2 ? wobble : -wobble));
		for (int j = 0; j < 4; j++) {
			advance(&r, 62500000);
			seen[count++] = r;
		}
		add(&r, 40, rand() % 60 - 30);
	}
	compare(seen, count, most);
}

static void steady(void **state)
{
	(void)state;
	drift(0, 1, 0, 200);
	drift(3e15, 1.00005, 0, 200);
}

static void wobbling(void **state)
{
	(void)state;
	/* 40 parts in a million at once, over a stretch of 250 ms: 10 us at most. */
	drift(3e15, 1.00005, 20e-6, 10500);
}

static void other_units(void **state)
{
	(void)state;
	drift(0, 2.9, 0, 200);	/* a TSC */
	drift(0, 0.001, 0, 3000);	/* microseconds */
}

static void changed(void **state)
{
	struct run r = { 1e18, 5e12, 1 }, old[8], new[8];

	(void)state;
	reset();
	for (int i = 0; i < 8; i++) {
		add(&r, 20, 0);
		advance(&r, 100e6);
		old[i] = r;
	}
	add(&r, 20, 0);
	cupti_clock_changed();
	r.theirs = 7e12;
	for (int i = 0; i < 8; i++) {
		add(&r, 20, 0);
		advance(&r, 100e6);
		new[i] = r;
	}
	add(&r, 20, 0);
	compare(old, 8, 100);
	compare(new, 8, 100);
}

/* Two sessions of a profiler with a clock of its own: what comes in CUPTI's own is still understood. */
static void first_again(void **state)
{
	struct run own = { 1.7e18, 5e12, 1 }, tsc = { 9e13, 5.8e12, 2.9 }, late[4];
	uint64_t error;

	(void)state;
	reset();
	for (int i = 0; i < 8; i++, advance(&own, 100e6))
		add(&own, 20, 0);
	for (int session = 0; session < 2; session++) {
		cupti_clock_changed();
		for (int i = 0; i < 8; i++, advance(&tsc, 100e6))
			add(&tsc, 20, 0);
	}
	for (int i = 0; i < 4; i++, advance(&own, 200e6))
		late[i] = own;
	compare(late, 4, 2000);
	/* Of no clock that was ever there. */
	assert_int_equal(cupti_clock_convert((uint64_t)3e16, &error), 0);
	assert_int_equal(cupti_clock_convert(1, &error), 0);
}

/* A step of CLOCK_REALTIME: what is said covers it. */
static void steps(void **state)
{
	struct run r = { 1e18, 5e12, 1 }, seen;

	(void)state;
	reset();
	for (int i = 0; i < 4; i++) {
		add(&r, 20, 0);
		advance(&r, 100e6);
	}
	seen = r;
	r.theirs += 3e9;
	advance(&r, 100e6);
	add(&r, 20, 0);
	compare(&seen, 1, 10000000000);
}

static void little(void **state)
{
	struct run r = { 500, 5e12, 1 };
	struct clock_pair pair;
	uint64_t error;

	(void)state;
	reset();
	assert_false(cupti_clock_read(no_clock, &pair));
	assert_int_equal(cupti_clock_convert(1, &error), 0);
	add(&r, 20, 0);
	assert_int_equal(cupti_clock_convert(600, &error), (uint64_t)5e12 + 100);
	assert_int_equal(error, 120);	/* the rate is not known */
	/* pairs close together, as a burst of buffers makes them: few are kept */
	for (int i = 0; i < 100; i++) {
		advance(&r, 1000);
		add(&r, 20, 0);
	}
	assert_true(clocks[0].count <= 3);
	add(&r, 20, -50);	/* another thread's, read before: dropped */
	assert_true(clocks[0].count <= 3);
}

/* Outside of all pairs, which are close together and read badly: what is said grows with the distance. */
static void outside(void **state)
{
	struct run r = { 1e18, 5e12, 1 }, seen[2];

	(void)state;
	reset();
	advance(&r, -50e6);
	seen[0] = r;
	advance(&r, 50e6);
	add(&r, 1000, 900);
	advance(&r, 25e6);
	add(&r, 1000, -900);
	advance(&r, 200e6);
	seen[1] = r;
	compare(seen, 2, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady), cmocka_unit_test(wobbling), cmocka_unit_test(other_units),
		cmocka_unit_test(changed), cmocka_unit_test(first_again), cmocka_unit_test(steps), cmocka_unit_test(little),
		cmocka_unit_test(outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

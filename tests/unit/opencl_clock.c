/* SPDX-License-Identifier: MIT */
/* When OpenCL's commands began: the true time is never farther off than is said, and what several say counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/opencl_clock.c"

#define AHEAD UINT64_C(5000000000000)	/* ns by which the device's clock is ahead of ours */
#define MS UINT64_C(1000000)

/* ns by our clock: queued somewhere in [called, returned], begun 10 us later, ran for 100 us. */
static struct dlt_cl_times command(uint64_t called, uint64_t queued, uint64_t returned, uint64_t seen)
{
	return (struct dlt_cl_times){
		.queued = queued + AHEAD, .started = queued + 10000 + AHEAD, .ended = queued + 110000 + AHEAD,
		.called = called, .returned = returned, .seen = seen,
	};
}

static int forget(void **state)
{
	(void)state;
	memset(differences, 0, sizeof(differences));
	return 0;
}

static uint64_t begin(const struct dlt_cl_times *t, uint64_t *error)
{
	dlt_cl_clock_learn(0, t);
	return dlt_cl_clock_begin(0, t, error);
}

static void a_command_alone(void **state)
{
	struct dlt_cl_times t = command(10 * MS, 11 * MS, 14 * MS, 0);
	uint64_t error, at = begin(&t, &error);

	(void)state;
	assert_in_range(at, 12 * MS + 10000 - 1, 12 * MS + 10000 + 1);
	assert_in_range(error, 2 * MS, 2 * MS + 400);
}

/* It had ended when it was seen to: so it was not queued at the end of its long call. */
static void its_end_says_more(void **state)
{
	struct dlt_cl_times t = command(10 * MS, 10 * MS, 14 * MS, 10 * MS + 120000);
	uint64_t error, at = begin(&t, &error);

	(void)state;
	assert_in_range(error, 1, 6000);
	assert_true(at + error >= 10 * MS + 10000 && at <= 10 * MS + 10000 + error);
}

/* A long call leaves much open on one side, the next one on the other: together little is left. */
static void two_say_more_than_each(void **state)
{
	struct dlt_cl_times early = command(10 * MS, 10 * MS + 3000, 14 * MS, 0);
	struct dlt_cl_times late = command(20 * MS, 24 * MS - 3000, 24 * MS, 0);
	uint64_t error, at;

	(void)state;
	begin(&early, &error);
	assert_true(error > MS);
	at = begin(&late, &error);
	assert_in_range(error, 1, 3000 + 2000 + 10);	/* half of both, and 10 ms of drift */
	assert_true(at + error >= 24 * MS + 7000 && at <= 24 * MS + 7000 + error);
	/* The first one, told now, is as well off. */
	at = dlt_cl_clock_begin(0, &early, &error);
	assert_in_range(error, 1, 3000 + 3000 + 10);
	assert_true(at + error >= 10 * MS + 13000 && at <= 10 * MS + 13000 + error);
	/* What is known of one device says nothing of another one. */
	dlt_cl_clock_begin(1, &early, &error);
	assert_true(error > MS);
}

/* Clocks drift: an old difference counts for less, and never for nothing. */
static void what_is_old_counts_for_less(void **state)
{
	struct dlt_cl_times sharp = command(10 * MS, 10 * MS + 500, 10 * MS + 1000, 0);
	struct dlt_cl_times later = command(5010 * MS, 5012 * MS, 5014 * MS, 0);
	uint64_t error;

	(void)state;
	begin(&sharp, &error);
	assert_in_range(error, 1, 600);
	begin(&later, &error);
	assert_in_range(error, 500 * 1000, 502 * 1000);	/* 5 s at a ten thousandth */
}

/* A device whose clock was set has another difference from then on. */
static void a_clock_is_set(void **state)
{
	struct dlt_cl_times before = command(10 * MS, 10 * MS + 500, 10 * MS + 1000, 0);
	struct dlt_cl_times after = command(30 * MS, 30 * MS + 500, 30 * MS + 1000, 0);
	uint64_t error, at;

	(void)state;
	begin(&before, &error);
	after.queued += 7 * MS;
	after.started += 7 * MS;
	after.ended += 7 * MS;
	at = begin(&after, &error);
	assert_in_range(error, 1, 600);
	assert_in_range(at, 30 * MS + 10500 - error, 30 * MS + 10500 + error);
	/* An end that cannot have been seen says nothing. */
	after.seen = 20 * MS;
	forget(NULL);
	at = begin(&after, &error);
	assert_in_range(error, 1, 600);
	assert_in_range(at, 30 * MS + 10500 - error, 30 * MS + 10500 + error);
}

/* A device's clock that is fast by 90 millionths, and a command that waits for long: its end says less of its call. */
static void what_runs_late(void **state)
{
	struct dlt_cl_times t = command(10 * MS, 13 * MS + 900000, 14 * MS, 6010 * MS + 1000);
	uint64_t error, at;

	(void)state;
	t.started = 5010 * MS + 450000 + AHEAD;
	t.ended = 6010 * MS + 540000 + AHEAD;
	at = begin(&t, &error);
	assert_true(at + error >= 5010 * MS && at <= 5010 * MS + error);
	/* One that begins at once, and runs for six seconds. */
	t.called = 13 * MS + 300000;
	t.started = 13 * MS + 910000 + AHEAD;
	forget(NULL);
	at = begin(&t, &error);
	assert_true(at + error >= 13 * MS + 910000 && at <= 13 * MS + 910000 + error);
	t.started = 5010 * MS + 450000 + AHEAD;
	/* A short call, whose command begins late: the clocks drift until then. */
	t.called = 13 * MS + 899900;
	t.returned = 13 * MS + 900100;
	t.seen = 0;
	forget(NULL);
	at = begin(&t, &error);
	assert_in_range(error, 1, MS);
	assert_true(at + error >= 5010 * MS && at <= 5010 * MS + error);
}

/* Whatever calls look like, and with clocks that drift by 50 millionths: the truth is within the error. */
static void the_truth_is_within(void **state)
{
	uint64_t now = 1000 * MS, worst = 0;

	(void)state;
	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t length = rand() % 20 ? 2000 + (uint64_t)rand() % 20000 : (uint64_t)rand() % (3 * MS);
		uint64_t queued = now + (uint64_t)rand() % length, error, at;
		struct dlt_cl_times t = command(now, queued, now + length, now + length + (uint64_t)rand() % MS + 110000);
		uint64_t drifted = queued / 20000;

		t.queued += drifted;
		t.started += drifted;
		t.ended += drifted;
		at = begin(&t, &error);
		assert_true(at + error >= queued + 10000 && at <= queued + 10000 + error);
		if (i > 100 && error > worst)
			worst = error;
		now += length + (uint64_t)rand() % (2 * MS);
	}
	assert_in_range(worst, 1, 15000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_command_alone, forget),
		cmocka_unit_test_setup(its_end_says_more, forget),
		cmocka_unit_test_setup(two_say_more_than_each, forget),
		cmocka_unit_test_setup(what_is_old_counts_for_less, forget),
		cmocka_unit_test_setup(a_clock_is_set, forget),
		cmocka_unit_test_setup(what_runs_late, forget),
		cmocka_unit_test_setup(the_truth_is_within, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

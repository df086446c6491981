/* SPDX-License-Identifier: MIT */
/* A trace that crashes, stalls or eats the report's worker is left out; the others are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define STALL_SECONDS 1

#include "analysis/worker.c"

bool team_is_meant(void)
{
	return false;
}

static char *names[] = { "a", "b", "c", "d", "e" };
static const struct options options = { .traces = names, .trace_count = 5 };

/* Every trace but the first and last is bad in a way of its own; 0 when exactly those were left out. */
static int read_all(const struct options *o, struct worker *w, char *const *broken)
{
	for (int i = 0; i < o->trace_count; i++) {
		w->trace = i;
		worker_progress();
		if (broken[i])
			continue;
		if (i == 1)
			abort();
		if (i == 2)
			for (volatile int forever = 1; forever; )
				;
		if (i == 3)
			exit(STATUS_NOTHING);	/* as when memory runs out */
	}
	w->stage = STAGE_REPORTING;
	return !broken[0] && strstr(broken[1], "crashed") && strstr(broken[2], "CPU time") &&
	       strstr(broken[3], "memory") && !broken[4] ? STATUS_OK : STATUS_FAIL_IF;
}

static void bad_traces_are_left_out(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, read_all), STATUS_OK);
}

static int fail_when_writing(const struct options *o, struct worker *w, char *const *broken)
{
	(void)o;
	(void)broken;
	w->trace = 1;
	w->stage = STAGE_REPORTING;
	abort();
}

/* Crashing there is our own fault: no trace is blamed, and nothing is tried again. */
static void writing_is_not_repeated(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, fail_when_writing), STATUS_UNWRITTEN);
}

static int say_partly(const struct options *o, struct worker *w, char *const *broken)
{
	(void)o;
	(void)broken;
	w->stage = STAGE_REPORTING;
	return STATUS_PARTLY;
}

static void status_is_passed_on(void **state)
{
	(void)state;
	assert_int_equal(worker_run(&options, say_partly), STATUS_PARTLY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_traces_are_left_out),
		cmocka_unit_test(writing_is_not_repeated),
		cmocka_unit_test(status_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

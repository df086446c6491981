/* SPDX-License-Identifier: MIT */
/* What limits dltrace-record sets for its helpers, on machines that are made up. */
#include <sys/resource.h>

static struct rlimit files, stack;
static int changes;

static struct rlimit *limit_of(int which)
{
	static struct rlimit other;

	other = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
	return which == RLIMIT_NOFILE ? &files : which == RLIMIT_STACK ? &stack : &other;
}

static int made_up_get(int which, struct rlimit *limit)
{
	*limit = *limit_of(which);
	return 0;
}

static int made_up_set(int which, const struct rlimit *limit)
{
	changes++;
	*limit_of(which) = *limit;
	return 0;
}

#define getrlimit(which, limit) made_up_get((int)(which), limit)
#define setrlimit(which, limit) made_up_set((int)(which), limit)
#include "record/limits.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void set_from(rlim_t soft, rlim_t hard)
{
	files = (struct rlimit){ soft, hard };
	stack = (struct rlimit){ STACK, RLIM_INFINITY };
	changes = 0;
	limits_set();
}

/* LTTng's daemons look at each number below the soft limit as they start: of 2^30 that takes minutes. */
static void descriptors_are_enough_and_not_a_billion(void **state)
{
	(void)state;
	set_from(1 << 30, 1 << 30);
	assert_int_equal(files.rlim_cur, FILES);
	assert_int_equal(files.rlim_max, FILES_MOST);
	set_from(1024, 1 << 19);
	assert_int_equal(files.rlim_cur, FILES);
	assert_int_equal(files.rlim_max, 1 << 19);
	set_from(256, 4096);
	assert_int_equal(files.rlim_cur, 4096);
	assert_int_equal(files.rlim_max, 4096);
	set_from(FILES, FILES_MOST);
	assert_int_equal(changes, 0);
}

/* Without a limit glibc takes less for a thread's. */
static void stacks_are_only_raised(void **state)
{
	(void)state;
	files = (struct rlimit){ FILES, FILES };
	stack = (struct rlimit){ 64 << 10, 4 << 20 };
	limits_set();
	assert_int_equal(stack.rlim_cur, 4 << 20);
	stack = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
	limits_set();
	assert_true(stack.rlim_cur == RLIM_INFINITY);
}

static void the_tightest_is_named(void **state)
{
	(void)state;
	files = (struct rlimit){ 64, 1024 };
	stack = (struct rlimit){ 64 << 10, RLIM_INFINITY };
	assert_null(limits_too_tight());
	files.rlim_max = 64;
	assert_string_equal(limits_too_tight(), "too few file descriptors for LTTng's daemons (ulimit -n)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_are_enough_and_not_a_billion),
		cmocka_unit_test(stacks_are_only_raised),
		cmocka_unit_test(the_tightest_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

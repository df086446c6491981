/* SPDX-License-Identifier: MIT */
/* The black box's duration buckets: every floor falls into its own bucket, and steps are 1/8 octave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "box.h"

static void floor_is_in_its_bucket(void **state)
{
	(void)state;
	for (unsigned b = 1; b < DLT_BUCKETS; b++) {
		assert_int_equal(dlt_bucket(dlt_bucket_floor(b)), b);
		assert_int_equal(dlt_bucket(dlt_bucket_floor(b) - 1), b - 1);
	}
	assert_int_equal(dlt_bucket(0), 0);
	assert_int_equal(dlt_bucket(UINT64_MAX), DLT_BUCKETS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floor_is_in_its_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

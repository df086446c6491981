/* SPDX-License-Identifier: MIT */
/* The first and last calls are the same however a process is cut into parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/leaves.c"

static struct leaves *part(uint64_t from, uint64_t to)
{
	struct leaves *l = NULL;

	for (uint64_t i = from; i < to; i++)
		leaves_add(&l, (int64_t)(10 * i), (int64_t)(10 * i + 5));
	return l;
}

static void check(const struct leaves *l, uint64_t count)
{
	assert_int_equal(count, l ? l->count : 0);
	for (uint64_t i = 0; i < count + 2; i++) {
		const struct leave *leave = leaves_get(l, i);
		bool kept = i < count && (i < LEAVES_KEPT || i + LEAVES_KEPT >= count);

		assert_int_equal(kept, leave != NULL);
		if (leave)
			assert_true(leave->begin == (int64_t)(10 * i) && leave->end == (int64_t)(10 * i + 5));
	}
}

static void test_any_split(void **state)
{
	static const uint64_t counts[] = { 0, 1, 255, 256, 257, 511, 512, 513, 1000, 3000 };
	static const uint64_t cuts[] = { 0, 1, 100, 255, 256, 257, 600, 2900 };

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
		for (size_t a = 0; a < sizeof(cuts) / sizeof(*cuts); a++)
			for (size_t b = a; b < sizeof(cuts) / sizeof(*cuts); b++) {
				uint64_t n = counts[c], i = cuts[a] < n ? cuts[a] : n, j = cuts[b] < n ? cuts[b] : n;
				struct leaves *x = part(0, i), *y = part(i, j), *z = part(j, n);

				leaves_merge(&x, y);
				leaves_merge(&x, z);
				check(x, n);
				free(x);
				free(y);
				free(z);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_any_split) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

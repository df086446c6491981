/* SPDX-License-Identifier: MIT */
/* The map of ids and the pool of names against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/model/idmap.c"
#define find find_name
#define grow grow_names
#define hash hash_name
#include "analysis/model/names.c"

#define KEYS 500

/* Puts and takes keys at random; the array knows what must be there. */
static void behaves_like_an_array(void **unused)
{
	uint64_t expected[KEYS] = { 0 }, state = 7, value;
	struct idmap m = { 0 };

	(void)unused;
	assert_null(idmap_get(&m, 5));
	assert_false(idmap_take(&m, 5, NULL));
	for (int i = 1; i < 20000; i++) {
		uint64_t key;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		key = (state >> 33) % KEYS;
		if (state >> 60 & 1) {
			*idmap_put(&m, key * 4096) = (uint64_t)i;
			expected[key] = (uint64_t)i;
		} else {
			assert_int_equal(idmap_take(&m, key * 4096, &value), expected[key] != 0);
			if (expected[key])
				assert_int_equal(value, expected[key]);
			expected[key] = 0;
		}
	}
	for (uint64_t key = 0; key < KEYS; key++) {
		uint64_t *at = idmap_get(&m, key * 4096);

		assert_int_equal(at ? *at : 0, expected[key]);
	}
	idmap_release(&m);
}

static void equal_names_are_equal_pointers(void **unused)
{
	const char *kept[1000];
	struct names n = { 0 };
	char text[32];

	(void)unused;
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		kept[i] = names_keep(&n, text);
	}
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		assert_ptr_equal(names_keep(&n, text), kept[i]);
		assert_string_equal(kept[i], text);
	}
	assert_ptr_equal(names_keep(&n, NULL), names_keep(&n, ""));
	names_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behaves_like_an_array),
		cmocka_unit_test(equal_names_are_equal_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

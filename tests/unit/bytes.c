/* SPDX-License-Identifier: MIT */
/* Copying and filling of our own does what the C library's does, for all small sizes and places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>

#define memcpy own_memcpy
#define memmove own_memmove
#define memset own_memset
#define strcpy own_strcpy
#define stpcpy own_stpcpy
#include "interpose/bytes.c"
#undef memcpy
#undef memmove
#undef memset
#undef strcpy
#undef stpcpy

#include <string.h>

#define SIZE 400

static unsigned char from[SIZE], ours[SIZE], theirs[SIZE];

static void fill(void)
{
	for (size_t i = 0; i < SIZE; i++) {
		from[i] = (unsigned char)(i * 7 + 1);
		ours[i] = theirs[i] = (unsigned char)(i * 3);
	}
}

static void test_copies(void **state)
{
	(void)state;
	for (size_t size = 0; size < 300; size++)
		for (size_t at = 0; at < 20; at++) {
			fill();
			assert_ptr_equal(own_memcpy(ours + at, from + 19 - at, size), ours + at);
			memcpy(theirs + at, from + 19 - at, size);
			assert_memory_equal(ours, theirs, SIZE);
		}
}

static void test_moves(void **state)
{
	(void)state;
	for (size_t size = 0; size < 200; size++)
		for (size_t at = 0; at < 200; at += 1 + at / 8) {
			fill();
			own_memmove(ours + at, ours + 100, size);
			memmove(theirs + at, theirs + 100, size);
			assert_memory_equal(ours, theirs, SIZE);
		}
}

static void test_fills(void **state)
{
	(void)state;
	for (size_t size = 0; size < 300; size++) {
		fill();
		assert_ptr_equal(own_memset(ours + 5, 0x1f7, size), ours + 5);
		memset(theirs + 5, 0xf7, size);
		assert_memory_equal(ours, theirs, SIZE);
	}
}

static void test_strings(void **state)
{
	char text[16] = "xxxxxxxxxxxxxxx";

	(void)state;
	assert_ptr_equal(own_strcpy(text, "abc"), text);
	assert_string_equal(text, "abc");
	assert_int_equal(text[4], 'x');
	assert_ptr_equal(own_stpcpy(text + 3, ""), text + 3);
	assert_ptr_equal(own_stpcpy(text + 3, "de"), text + 5);
	assert_string_equal(text, "abcde");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_fills),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

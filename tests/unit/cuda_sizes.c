/* SPDX-License-Identifier: MIT */
/* Bytes of CUDA's arrays by their descriptions, and of copies by the arrays that they name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "interpose/arrays.c"
#undef BITS
#include "interpose/handles.c"

static const void *handle(uintptr_t value)
{
	return (const void *)value;
}

static void formats_have_sizes(void **state)
{
	static const struct {
		int format;
		unsigned channels;
		size_t bytes;	/* of 8 by 8 elements */
	} formats[] = {
		{ 0x01, 4, 256 }, { 0x02, 1, 128 }, { 0x0a, 2, 512 }, { 0x10, 4, 512 }, { 0x20, 4, 1024 },
		{ 0xc0, 1, 64 }, { 0xc2, 4, 256 }, { 0xc3, 1, 128 }, { 0xc4, 2, 256 }, { 0xc5, 4, 512 },
		{ 0xc7, 2, 128 }, { 0xcb, 4, 512 }, { 0x50, 4, 256 },
		{ 0x91, 4, 32 }, { 0x93, 4, 64 }, { 0x98, 1, 32 }, { 0x99, 2, 64 }, { 0x9b, 3, 64 }, { 0x9e, 4, 64 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct dlt_cu_array a = { 8, 8, formats[i].format, formats[i].channels };

		assert_int_equal(dlt_cu_array_size(&a), formats[i].bytes);
	}
}

static void levels_are_summed(void **state)
{
	const struct dlt_cuda_channel one = { .x = 32, .kind = 2 }, bc1 = { 8, 8, 8, 8, 17 };
	struct dlt_cu_array3d a = { 1024, 1024, 0, 0x20, 1, 0 };

	(void)state;
	assert_int_equal(dlt_cu_array3d_size(&a, 1), 4 << 20);
	assert_int_equal(dlt_cu_array3d_size(&a, 0), 4 << 20);
	assert_int_equal(dlt_cu_array3d_size(&a, 11), 5592404);
	assert_int_equal(dlt_cu_array3d_size(&a, 1000), 5592404);	/* there are no more */
	assert_int_equal(dlt_cuda_array_size(&one, dlt_extent(1024, 1024, 0), 0, 11), 5592404);
	/* Depth is halved, layers and faces are not. */
	assert_int_equal(dlt_cuda_array_size(&one, dlt_extent(1024, 1024, 16), 0, 2), (64 << 20) + (8 << 20));
	assert_int_equal(dlt_cuda_array_size(&one, dlt_extent(1024, 1024, 16), 1, 2), (64 << 20) + (16 << 20));
	assert_int_equal(dlt_cuda_array_size(&one, dlt_extent(16, 16, 6), 4, 5), 6 * 4 * 341);
	assert_int_equal(dlt_cuda_array_size(&one, dlt_extent(16, 0, 3), 1, 2), 3 * 4 * 24);
	/* A block is the least that there is of it. */
	assert_int_equal(dlt_cuda_array_size(&bc1, dlt_extent(8, 8, 0), 0, 4), (4 + 1 + 1 + 1) * 8);
}

static void copies_count_elements(void **state)
{
	const struct dlt_cuda_channel four = { 32, 32, 32, 32, 2 }, bc1 = { 8, 8, 8, 8, 17 };
	struct dlt_cuda_copy3d copy = { .to_array = (void *)0x5000, .extent = { 256, 256, 1 } };
	struct dlt_cu_copy3d_op ops[] = {
		{ .from = { .type = 1, .what = handle(0x5000) }, .to = { .type = 1 }, .width = 10, .height = 2, .depth = 3 },
		{ .from = { .type = 2, .what = handle(0x5000) }, .to = { .type = 1 }, .width = 10, .height = 2, .depth = 3 },
		{ .from = { .type = 1 }, .to = { .type = 2, .what = handle(0x6000) }, .width = 5, .height = 1, .depth = 1 },
	};

	(void)state;
	assert_int_equal(dlt_array_copied(&copy), 65536);	/* nobody knows it */
	dlt_array_made_of(handle(0x5000), &four);
	dlt_array_made_as(handle(0x7000), 0x10, 2);
	dlt_array_level(handle(0x6000), handle(0x7000));
	assert_int_equal(dlt_array_copied(&copy), 1 << 20);
	assert_int_equal(dlt_array_copied_batch(ops, 3), 60 + 16 * 60 + 4 * 5);
	copy.from_array = (void *)0x9000;	/* unknown: the other side tells */
	assert_int_equal(dlt_array_copied(&copy), 1 << 20);
	dlt_array_made_of(handle(0x5000), &bc1);
	assert_int_equal(dlt_array_copied(&copy), 65536);
	dlt_array_gone(handle(0x6000));
	assert_int_equal(dlt_array_copied_batch(ops + 2, 1), 5);
}

/* Handles that are gone make room for others, and all that are there are found. */
static void handles_come_and_go(void **state)
{
	static struct handle few[1 << 6];

	(void)state;
	for (uintptr_t i = 1; i < 10000; i++) {
		dlt_handle_note(few, 6, handle(i * 512), (uint32_t)i);
		assert_int_equal(dlt_handle_noted(few, 6, handle(i * 512)), i);
		if (i > 40)
			dlt_handle_gone(few, 6, handle((i - 40) * 512));
		assert_int_equal(dlt_handle_noted(few, 6, handle((i - 40) * 512)), 0);
	}
	for (uintptr_t i = 9961; i < 10000; i++)
		assert_int_equal(dlt_handle_noted(few, 6, handle(i * 512)), i);
	/* More than there is room for: nothing is noted, nothing is lost. */
	for (uintptr_t i = 20000; i < 20100; i++)
		dlt_handle_note(few, 6, handle(i * 512), 7);
	assert_int_equal(dlt_handle_noted(few, 6, handle(20099 * 512)), 0);
	assert_int_equal(dlt_handle_noted(few, 6, handle(9999 * 512)), 9999);
	dlt_handle_note(few, 6, NULL, 7);
	assert_int_equal(dlt_handle_noted(few, 6, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_have_sizes),
		cmocka_unit_test(levels_are_summed),
		cmocka_unit_test(copies_count_elements),
		cmocka_unit_test(handles_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

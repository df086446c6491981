/* SPDX-License-Identifier: MIT */
/* Many blocks, devices, kinds and libraries: how many rows of the ledger there are, and what becomes of more. */
#include "tests/unit/ledger_fixture.h"

static void many_blocks_and_libraries(void **state)
{
	const unsigned count = 300000;

	(void)state;
	for (unsigned i = 1; i <= count; i++)
		alloc(DLT_MEMORY_POOL, 0x7f0000000000 + i * 512ull, 2);
	assert_int_equal(live(DLT_MEMORY_POOL), 2 * count);
	assert_int_equal(row(DLT_MEMORY_STRAY, GPU, LIBRARY)->failed, 0);
	for (unsigned i = 1; i <= count; i++)
		assert_int_equal(give(DLT_MEMORY_POOL, 0x7f0000000000 + i * 512ull, 0, true), 2);
	assert_int_equal(live(DLT_MEMORY_POOL), 0);
	/* More libraries than rows: the rest share one, the sum stays right. */
	for (unsigned i = 1; i < 1000; i++) {
		struct dlt_ledger l;

		dlt_ledger_begin(&l);
		dlt_ledger_allocated(&l, true, DLT_MEMORY_DEVICE, GPU, (uint16_t)i, i * 4096, 1, 0);
	}
	assert_int_equal(gpu(), 999);
	assert_true(live_of(row(DLT_MEMORY_DEVICE, GPU, DLT_BOX_OTHERS)) > 500);
}

static void alloc_on(enum dlt_memory kind, unsigned device, unsigned library, uint64_t size)
{
	static uint64_t handle;
	struct dlt_ledger l;

	handle += 4096;
	dlt_ledger_begin(&l);
	dlt_ledger_allocated(&l, true, kind, (uint8_t)device, (uint16_t)library, handle, size, 0);
}

/* What a large machine needs has rows: 16 GPUs, six kinds of memory, three libraries. */
static void many_devices(void **state)
{
	const enum dlt_memory kinds[] = { DLT_MEMORY_DEVICE, DLT_MEMORY_POOL, DLT_MEMORY_PHYSICAL, DLT_MEMORY_MAPPED,
					  DLT_MEMORY_PINNED, DLT_MEMORY_MANAGED };

	(void)state;
	for (unsigned device = 0; device < 16; device++)
		for (unsigned i = 0; i < 6; i++)
			for (unsigned library = 1; library <= 3; library++)
				alloc_on(kinds[i], device, library, 100 + library);
	for (unsigned device = 0; device < 16; device++) {
		for (unsigned i = 0; i < 6; i++)
			for (unsigned library = 1; library <= 3; library++)
				assert_int_equal(live_of(row(kinds[i], device, library)), 100 + library);
		assert_int_equal(live_of(row(DLT_MEMORY_GPU, device, 0)), 3 * 306);
	}
}

/* More devices than that: what finds no row is in no sum, and is counted as missing. */
static void devices_without_a_row(void **state)
{
	int64_t held = 0, sums = 0;
	struct dlt_ledger l;

	(void)state;
	for (unsigned i = 1; i < 400; i++)
		alloc_on(DLT_MEMORY_PINNED, 0, i, 1);
	for (unsigned device = 0; device < 250; device++)
		alloc_on(DLT_MEMORY_DEVICE, device, 7, 1);
	for (unsigned device = 0; device < 250; device++) {
		held += live_of(row(DLT_MEMORY_DEVICE, device, DLT_BOX_OTHERS));
		sums += live_of(row(DLT_MEMORY_GPU, device, 0));
	}
	assert_int_equal(dlt_box->memory_used, DLT_BOX_MEMORY);
	assert_true(held > 60 && held < 250);
	assert_int_equal(held, sums);
	assert_int_equal(held + (int64_t)row(DLT_MEMORY_STRAY, 0, DLT_BOX_OTHERS)->failed, 250);
	/* Nothing is taken out again that was never in. */
	dlt_ledger_begin(&l);
	dlt_ledger_allocated(&l, true, DLT_MEMORY_DEVICE, 249, 7, 0x77777000, 1, 0);
	assert_int_equal(give(DLT_MEMORY_DEVICE, 0x77777000, 0, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(many_blocks_and_libraries),
		TEST(many_devices),
		TEST(devices_without_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

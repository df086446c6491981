/* SPDX-License-Identifier: MIT */
/*
 * The ledger of GPU memory: nesting, failed frees, strays, addresses that come again, physical memory
 * that lives until its last name and mapping are gone, ranges of mappings, resets, many blocks, rows
 * with a thread of their own.
 */
#include <pthread.h>

#include "tests/unit/ledger_fixture.h"

static void blocks_are_found_by_address(void **state)
{
	(void)state;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	alloc(DLT_MEMORY_MANAGED, 0x2000, 30);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 100);
	assert_int_equal(gpu(), 100);
	/* cudaFree does not know the kind. */
	assert_int_equal(give(DLT_MEMORY_DEVICE, 0x2000, 0, true), 30);
	assert_int_equal(live(DLT_MEMORY_MANAGED), 0);
	assert_int_equal(frees(row(DLT_MEMORY_MANAGED, GPU, LIBRARY)), 1);
	assert_int_equal(give(DLT_MEMORY_DEVICE, 0, 0, true), 0);
	assert_int_equal(frees(row(DLT_MEMORY_STRAY, GPU, LIBRARY + 1)), 0);
	assert_int_equal(give(DLT_MEMORY_DEVICE, 0x3000, 0, true), 0);
	assert_int_equal(frees(row(DLT_MEMORY_STRAY, GPU, LIBRARY + 1)), 1);
}

static void failed_calls_change_nothing(void **state)
{
	struct dlt_ledger l;

	(void)state;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	assert_int_equal(give(DLT_MEMORY_DEVICE, 0x1000, 0, false), 0);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 100);
	dlt_ledger_begin(&l);
	dlt_ledger_allocated(&l, false, DLT_MEMORY_DEVICE, GPU, LIBRARY, 0, 5000, 0);
	assert_int_equal(row(DLT_MEMORY_DEVICE, GPU, LIBRARY)->failed, 1);
	assert_int_equal(row(DLT_MEMORY_DEVICE, GPU, LIBRARY)->refused, 5000);
	assert_int_equal(row(DLT_MEMORY_DEVICE, GPU, LIBRARY)->refused_at != 0, true);
	assert_int_equal(give(DLT_MEMORY_DEVICE, 0x1000, 0, true), 100);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 0);
}

static void only_the_outermost_counts(void **state)
{
	struct dlt_ledger l[2];	/* the stack grows down: [1] is the outer one's */

	(void)state;
	assert_true(dlt_ledger_begin(&l[1]));
	assert_false(dlt_ledger_begin(&l[0]));
	dlt_ledger_allocated(&l[0], true, DLT_MEMORY_DEVICE, GPU, LIBRARY, 0x1000, 64, 0);
	dlt_ledger_allocated(&l[1], true, DLT_MEMORY_DEVICE, GPU, LIBRARY, 0x1000, 60, 0);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 60);
	assert_int_equal(allocations(row(DLT_MEMORY_DEVICE, GPU, LIBRARY)), 1);
	/* An outer call that was left by an exception does not stay in the way. */
	assert_true(dlt_ledger_begin(&l[0]));
	assert_true(dlt_ledger_begin(&l[1]));
	dlt_ledger_allocated(&l[1], true, DLT_MEMORY_DEVICE, GPU, LIBRARY, 0x2000, 5, 0);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 65);
}

/* Another thread gets the address before the free has returned. */
static void an_address_comes_again(void **state)
{
	struct dlt_ledger l;

	(void)state;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	dlt_ledger_begin(&l);
	dlt_ledger_take(&l, DLT_MEMORY_DEVICE, 0x1000, 0);
	dlt_ledger_at = 0;	/* as in another thread */
	alloc(DLT_MEMORY_DEVICE, 0x1000, 7);
	dlt_ledger_freed(&l, true, GPU, LIBRARY);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 7);
	/* Handed out though nobody was seen to free it: the old one is gone. */
	alloc(DLT_MEMORY_POOL, 0x1000, 3);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 0);
	assert_int_equal(gpu(), 3);
}

static void physical_memory_lives_while_it_is_mapped(void **state)
{
	(void)state;
	alloc(DLT_MEMORY_ADDRESS, 0x100000, 1000);
	alloc(DLT_MEMORY_PHYSICAL, 42, 400);
	alloc_from(DLT_MEMORY_MAPPED, 0x100000, 400, 42);	/* at the range's own address */
	assert_int_equal(live(DLT_MEMORY_ADDRESS), 1000);
	assert_int_equal(live(DLT_MEMORY_MAPPED), 400);
	assert_int_equal(gpu(), 400);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 42, 0, true), 0);
	assert_int_equal(gpu(), 400);
	/* The handle's number may name other memory now. */
	alloc(DLT_MEMORY_PHYSICAL, 42, 50);
	assert_int_equal(gpu(), 450);
	assert_int_equal(give(DLT_MEMORY_MAPPED, 0x100000, 400, true), 400);
	assert_int_equal(gpu(), 50);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 42, 0, true), 50);
	assert_int_equal(gpu(), 0);
	assert_int_equal(give(DLT_MEMORY_ADDRESS, 0x100000, 1000, true), 1000);
	assert_int_equal(blocks_next(0), 0);
}

static void a_handle_may_have_several_names(void **state)
{
	(void)state;
	alloc(DLT_MEMORY_PHYSICAL, 42, 400);
	alloc(DLT_MEMORY_PHYSICAL, 42, 0);	/* cuMemRetainAllocationHandle */
	assert_int_equal(allocations(row(DLT_MEMORY_PHYSICAL, GPU, LIBRARY)), 1);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 42, 0, true), 0);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 42, 0, false), 0);
	assert_int_equal(live(DLT_MEMORY_PHYSICAL), 400);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 42, 0, true), 400);
	assert_int_equal(live(DLT_MEMORY_PHYSICAL), 0);
	alloc(DLT_MEMORY_PHYSICAL, 43, 7);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 43, 0, false), 0);
	assert_int_equal(give(DLT_MEMORY_PHYSICAL, 43, 0, true), 7);
}

static void a_range_of_mappings_goes_at_once(void **state)
{
	(void)state;
	alloc(DLT_MEMORY_PHYSICAL, 42, 100);
	alloc(DLT_MEMORY_PHYSICAL, 43, 100);
	alloc_from(DLT_MEMORY_MAPPED, 0x100000, 100, 42);
	alloc_from(DLT_MEMORY_MAPPED, 0x100064, 100, 43);
	assert_int_equal(give(DLT_MEMORY_MAPPED, 0x100000, 200, false), 0);
	assert_int_equal(live(DLT_MEMORY_MAPPED), 200);
	give(DLT_MEMORY_PHYSICAL, 43, 0, true);
	assert_int_equal(give(DLT_MEMORY_MAPPED, 0x100000, 200, true), 200);
	assert_int_equal(live(DLT_MEMORY_MAPPED), 0);
	assert_int_equal(live(DLT_MEMORY_PHYSICAL), 100);
}

static void a_reset_frees_what_belongs_to_contexts(void **state)
{
	struct dlt_ledger l;

	(void)state;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	alloc(DLT_MEMORY_PINNED, 0x2000, 100);
	alloc(DLT_MEMORY_PHYSICAL, 42, 10);
	dlt_ledger_begin(&l);
	dlt_ledger_allocated(&l, true, DLT_MEMORY_DEVICE, GPU + 1, LIBRARY, 0x3000, 9, 0);
	dlt_ledger_reset(GPU);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 0);
	assert_int_equal(live(DLT_MEMORY_PINNED), 0);
	assert_int_equal(live(DLT_MEMORY_PHYSICAL), 10);
	assert_int_equal(live_of(row(DLT_MEMORY_DEVICE, GPU + 1, LIBRARY)), 9);
}

static void a_context_takes_its_own(void **state)
{
	(void)state;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	dlt_context_current = 3;
	alloc(DLT_MEMORY_DEVICE, 0x2000, 20);
	give(DLT_MEMORY_DEVICE, 0x2000, 0, false);
	alloc(DLT_MEMORY_PHYSICAL, 42, 10);
	dlt_context_current = 0;
	dlt_ledger_context_gone(3);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 100);
	assert_int_equal(live(DLT_MEMORY_PHYSICAL), 10);
	dlt_ledger_reset(GPU);
	assert_int_equal(live(DLT_MEMORY_DEVICE), 0);
}

static struct dlt_box_memory *device_row(void)
{
	return (struct dlt_box_memory *)row(DLT_MEMORY_DEVICE, GPU, LIBRARY);
}

/* A row is its first thread's own, until another one comes; and the next one's after its end. */
static void rows_have_a_thread(void **state)
{
	struct dlt_box_memory *r;

	(void)state;
	record.id = 7;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	alloc(DLT_MEMORY_DEVICE, 0x2000, 50);
	r = device_row();
	assert_int_equal(r->alone, 150);
	assert_int_equal(r->live, 0);
	dlt_ledger_thread_end(&record);
	record.id = 8;
	give(DLT_MEMORY_DEVICE, 0x2000, 0, true);
	assert_int_equal(r->alone, 100);
	assert_int_equal(r->owners[0], 8);
	assert_int_equal(r->peak, 150);
	record.id = 9;	/* while 8 is there */
	alloc(DLT_MEMORY_DEVICE, 0x3000, 60);
	assert_int_equal(r->owners[1], 9);
	assert_int_equal(r->alone, 100);
	assert_int_equal(r->live, 60);
	assert_int_equal(r->peak, 160);
	assert_int_equal(gpu(), 160);
	record.id = 8;
	give(DLT_MEMORY_DEVICE, 0x3000, 0, true);
	give(DLT_MEMORY_DEVICE, 0x1000, 0, true);
	assert_int_equal(r->alone, 100);
	assert_int_equal(live_of(r), 0);
	alloc(DLT_MEMORY_DEVICE, 0x4000, 161);
	assert_int_equal(live_of(r), 161);
	assert_int_equal(r->peak, 161);
	assert_int_equal(row(DLT_MEMORY_GPU, GPU, 0)->peak, 161);
	assert_int_equal(allocations(r), 4);
	assert_int_equal(frees(r), 3);
	record.id = 0;
}

/* What a thread gives back it takes again without touching what is shared; the sum is exact meanwhile. */
static void threads_keep_what_they_give_back(void **state)
{
	struct dlt_box_memory *r;
	int64_t shared;

	(void)state;
	record.id = 7;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	record.id = 8;
	alloc(DLT_MEMORY_DEVICE, 0x2000, 50);
	r = device_row();
	shared = r->live;
	give(DLT_MEMORY_DEVICE, 0x2000, 0, true);
	assert_int_equal(live_of(r), 100);
	assert_int_equal(dlt_box_kept(r->own[1].kept), 50);
	alloc(DLT_MEMORY_DEVICE, 0x2000, 30);
	assert_int_equal(live_of(r), 130);
	assert_int_equal(dlt_box_kept(r->own[1].kept), 20);
	assert_int_equal(r->live, shared);
	assert_int_equal(gpu(), 130);
	/* Each change shows, be the bytes the same again: that is how a reader knows. */
	assert_int_equal(r->own[1].kept >> 32, 2);
	/* Its part goes to the next thread with all that is in it. */
	dlt_ledger_thread_end(&record);
	record.id = 10;
	give(DLT_MEMORY_DEVICE, 0x2000, 0, true);
	assert_int_equal(r->owners[1], 10);
	assert_int_equal(dlt_box_kept(r->own[1].kept), 50);
	assert_int_equal(live_of(r), 100);
	assert_int_equal(r->peak, 150);
	record.id = 0;
}

/* Two threads that never hold something at once: no peak comes of what one of them keeps. */
static void what_is_kept_makes_no_peak(void **state)
{
	struct dlt_box_memory *r;

	(void)state;
	record.id = 7;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	r = device_row();
	for (unsigned i = 0; i < 20; i++) {
		record.id = 7 + i % 5;	/* the last of them has no part of its own */
		give(DLT_MEMORY_DEVICE, 0x1000 * (i + 1), 0, true);
		assert_int_equal(live_of(r), 0);
		record.id = 7 + (i + 1) % 5;
		alloc(DLT_MEMORY_DEVICE, 0x1000 * (i + 2), 100);
		assert_int_equal(live_of(r), 100);
		assert_int_equal(r->peak, 100);
		assert_int_equal(gpu(), 100);
	}
	assert_int_equal(row(DLT_MEMORY_GPU, GPU, 0)->peak, 100);
	alloc(DLT_MEMORY_DEVICE, 0x100000, 1);
	assert_int_equal(r->peak, 101);
	assert_int_equal(allocations(r), 22);
	assert_int_equal(frees(r), 20);
	record.id = 0;
}

/* More than is kept at once: blocks of 3 GiB, of which one fits. */
static void not_all_is_kept(void **state)
{
	const uint64_t size = 3ull << 30;
	struct dlt_box_memory *r;

	(void)state;
	record.id = 7;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 1);
	record.id = 8;
	alloc(DLT_MEMORY_DEVICE, 0x2000, size);
	alloc(DLT_MEMORY_DEVICE, 0x3000, size);
	r = device_row();
	assert_int_equal(r->peak, 2 * size + 1);
	give(DLT_MEMORY_DEVICE, 0x2000, 0, true);
	assert_int_equal(dlt_box_kept(r->own[1].kept), size);
	give(DLT_MEMORY_DEVICE, 0x3000, 0, true);
	assert_int_equal(dlt_box_kept(r->own[1].kept), size);
	assert_int_equal(live_of(r), 1);
	assert_int_equal(r->peak, 2 * size + 1);
	record.id = 0;
}

#define TOGETHER 6	/* threads, of which two have no part of their own */
#define ROUNDS 20000

static void *asks_and_gives_back(void *data)
{
	uint64_t at = 0x10000000 * (uint64_t)(uintptr_t)data;
	struct dlt_thread mine = { .id = (uint32_t)(uintptr_t)data };

	dlt_thread_tls = &mine;
	alloc(DLT_MEMORY_DEVICE, at, 1000);
	for (unsigned i = 0; i < ROUNDS; i++) {
		alloc(DLT_MEMORY_DEVICE, at + 0x1000, 1 + i % 7);
		give(DLT_MEMORY_DEVICE, at + 0x1000, 0, true);
	}
	dlt_ledger_thread_end(&mine);
	return NULL;
}

/* Never less than what stays, never more than all of it at once; at the end each byte is there. */
static void threads_at_once(void **state)
{
	pthread_t threads[TOGETHER];
	const struct dlt_box_memory *r;

	(void)state;
	for (uintptr_t i = 0; i < TOGETHER; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, asks_and_gives_back, (void *)(i + 1)), 0);
	for (unsigned i = 0; i < TOGETHER; i++)
		pthread_join(threads[i], NULL);
	r = device_row();
	assert_int_equal(live_of(r), TOGETHER * 1000);
	assert_int_equal(gpu(), TOGETHER * 1000);
	assert_int_equal(allocations(r), TOGETHER * (ROUNDS + 1));
	assert_int_equal(frees(r), TOGETHER * ROUNDS);
	assert_true(r->peak > TOGETHER * 1000 && r->peak <= TOGETHER * 1007);
}

static void physical_memory_says_where_it_is(void **state)
{
	const int on_gpu[] = { 1, 0, 1, 3 }, on_host[] = { 1, 0, 3, 1 }, on_part[] = { 1, 0, 6, 0x0105 };

	(void)state;
	assert_int_equal(dlt_cu_prop_memory(on_gpu), DLT_MEMORY_PHYSICAL);
	assert_int_equal(dlt_cu_prop_device(on_gpu), 3);
	assert_int_equal(dlt_cu_prop_memory(on_host), DLT_MEMORY_HOST);
	assert_int_equal(dlt_cu_prop_device(on_host), 0);
	/* A locality domain of device 5: id 1 of it. */
	assert_int_equal(dlt_cu_prop_memory(on_part), DLT_MEMORY_PHYSICAL);
	assert_int_equal(dlt_cu_prop_device(on_part), 5);
	assert_int_equal(dlt_cu_prop_memory(NULL), DLT_MEMORY_PHYSICAL);
	assert_int_equal(dlt_cu_prop_device(NULL), 0);
}

/* What finds no room is missing from the sums, and that is said. */
static void more_blocks_than_there_is_room_for(void **state)
{
	const unsigned count = 1300000;
	uint64_t held, missing;

	(void)state;
	for (unsigned i = 1; i <= count; i++)
		alloc(DLT_MEMORY_POOL, 0x7f0000000000 + i * 512ull, 2);
	held = (uint64_t)live(DLT_MEMORY_POOL) / 2;
	missing = row(DLT_MEMORY_STRAY, GPU, LIBRARY)->failed;
	assert_true(missing > 0);
	assert_int_equal(held + missing, count);
}

/* A graph's node that allocates, as cudaGraphAddNode tells it: freed by a node's, by nobody else. */
static void a_node_allocates(void **state)
{
	struct dlt_cuda_node_memory memory = { .size = 300, .p = (void *)0x7000 };

	(void)state;
	dlt_ledger_graph(&memory);
	assert_int_equal(live_of(row(DLT_MEMORY_GRAPH, 0, 0)), 300);
	dlt_process.traced = false;
	memory.p = (void *)0x8000;
	dlt_ledger_graph(&memory);
	dlt_process.traced = true;
	assert_int_equal(live_of(row(DLT_MEMORY_GRAPH, 0, 0)), 300);
}

/* A part of a buffer of OpenCL's, and a part's image: what they show goes with the last of them. */
static void parts_hold_what_they_show(void **state)
{
	(void)state;
	alloc(DLT_MEMORY_OPENCL, 0x1000, 500);
	alloc_from(DLT_MEMORY_OPENCL, 0x2000, 0, 0x1000);
	alloc_from(DLT_MEMORY_OPENCL, 0x3000, 0, 0x2000);
	assert_int_equal(give(DLT_MEMORY_OPENCL, 0x1000, 0, true), 0);
	assert_int_equal(give(DLT_MEMORY_OPENCL, 0x2000, 0, true), 0);
	assert_int_equal(live(DLT_MEMORY_OPENCL), 500);
	assert_int_equal(give(DLT_MEMORY_OPENCL, 0x3000, 0, true), 500);
	assert_int_equal(live(DLT_MEMORY_OPENCL), 0);
	assert_int_equal(frees(row(DLT_MEMORY_STRAY, GPU, LIBRARY + 1)), 0);
}

/* Each way in which a block goes tells the stack that had asked for it. */
static void stacks_hold_what_is_live(void **state)
{
	(void)state;
	stacks_wanted = 1;
	stacks_held = 0;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	alloc(DLT_MEMORY_MANAGED, 0x2000, 30);
	alloc(DLT_MEMORY_PINNED, 0x3000, 7);
	assert_int_equal(stacks_held, 137);
	give(DLT_MEMORY_DEVICE, 0x1000, 0, false);
	assert_int_equal(stacks_held, 137);
	give(DLT_MEMORY_DEVICE, 0x1000, 0, true);
	assert_int_equal(stacks_held, 37);
	alloc(DLT_MEMORY_PINNED, 0x3000, 8);
	assert_int_equal(stacks_held, 38);
	dlt_ledger_reset(GPU);
	assert_int_equal(stacks_held, 0);
	stacks_wanted = 0;
	alloc(DLT_MEMORY_DEVICE, 0x1000, 100);
	give(DLT_MEMORY_DEVICE, 0x1000, 0, true);
	assert_int_equal(stacks_held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(blocks_are_found_by_address),
		TEST(failed_calls_change_nothing),
		TEST(only_the_outermost_counts),
		TEST(an_address_comes_again),
		TEST(physical_memory_lives_while_it_is_mapped),
		TEST(a_handle_may_have_several_names),
		TEST(a_range_of_mappings_goes_at_once),
		TEST(a_reset_frees_what_belongs_to_contexts),
		TEST(a_context_takes_its_own),
		TEST(rows_have_a_thread),
		TEST(threads_keep_what_they_give_back),
		TEST(what_is_kept_makes_no_peak),
		TEST(not_all_is_kept),
		TEST(threads_at_once),
		TEST(physical_memory_says_where_it_is),
		TEST(more_blocks_than_there_is_room_for),
		TEST(a_node_allocates),
		TEST(parts_hold_what_they_show),
		TEST(stacks_hold_what_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

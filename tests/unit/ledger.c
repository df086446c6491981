/* SPDX-License-Identifier: MIT */
/*
 * The ledger of GPU memory: nesting, failed frees, strays, addresses that come again, physical memory
 * that lives until its last name and mapping are gone, ranges of mappings, resets, many blocks, rows
 * with a thread of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/blocks.c"
#include "interpose/ledger.c"
#include "interpose/ledger_rows.c"

struct dlt_box_header *dlt_box;
struct dlt_process dlt_process = { .traced = true };
static struct dlt_thread record;
__thread struct dlt_thread *dlt_thread_tls = &record;
struct dlt_alive dlt_alive = { .mask = ~(uintptr_t)0 };

struct dlt_thread *dlt_thread_make(void)
{
	return &record;
}

bool dlt_box_back(const void *p, size_t size)
{
	(void)p;
	(void)size;
	return true;
}

#define GPU 2
#define LIBRARY 5

__thread uint8_t dlt_context_current;

static int make_box(void **state)
{
	(void)state;
	dlt_box = aligned_alloc(4096, 512 * 1024);
	memset(dlt_box, 0, 512 * 1024);
	dlt_box->memory_offset = 4096;
	dlt_box->memory_count = DLT_BOX_MEMORY;
	dlt_ledger_after_fork();
	return 0;
}

static int free_box(void **state)
{
	(void)state;
	free(dlt_box);
	return 0;
}

static const struct dlt_box_memory *row(enum dlt_memory kind, unsigned device, unsigned library)
{
	static const struct dlt_box_memory none;

	for (unsigned i = 0; i < dlt_box->memory_used; i++)
		if (dlt_box_memory(i)->key == dlt_box_memory_key(kind, device, library))
			return dlt_box_memory(i);
	return &none;
}

static int64_t live_of(const struct dlt_box_memory *r)
{
	return dlt_box_memory_live(r);
}

static uint64_t allocations(const struct dlt_box_memory *r)
{
	uint64_t sum = r->allocations;

	for (unsigned i = 0; i < DLT_BOX_OWNS; i++)
		sum += r->own[i].allocations;
	return sum;
}

static uint64_t frees(const struct dlt_box_memory *r)
{
	uint64_t sum = r->frees;

	for (unsigned i = 0; i < DLT_BOX_OWNS; i++)
		sum += r->own[i].frees;
	return sum;
}

static int64_t live(enum dlt_memory kind)
{
	return live_of(row(kind, GPU, LIBRARY));
}

static int64_t gpu(void)
{
	return live_of(row(DLT_MEMORY_GPU, GPU, 0));
}

static void alloc_from(enum dlt_memory kind, uint64_t handle, uint64_t size, uint64_t backing)
{
	struct dlt_ledger l;

	dlt_ledger_begin(&l);
	dlt_ledger_allocated(&l, true, kind, GPU, LIBRARY, handle, size, backing);
}

static void alloc(enum dlt_memory kind, uint64_t handle, uint64_t size)
{
	alloc_from(kind, handle, size, 0);
}

/* What the call freed. */
static uint64_t give(enum dlt_memory kind, uint64_t handle, uint64_t size, bool ok)
{
	struct dlt_ledger l;

	dlt_ledger_begin(&l);
	dlt_ledger_take(&l, kind, handle, size);
	dlt_ledger_freed(&l, ok, GPU, LIBRARY + 1);
	return l.size;
}

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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_box, free_box)
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
		TEST(many_blocks_and_libraries),
		TEST(many_devices),
		TEST(devices_without_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

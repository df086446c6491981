/* SPDX-License-Identifier: MIT */
/* A ledger of GPU memory in a box of its own, for its tests: who asks, who gives back, what the rows say. */
#ifndef DLT_UNIT_LEDGER_FIXTURE_H
#define DLT_UNIT_LEDGER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/blocks.c"
#include "interpose/ledger.c"
#include "interpose/ledger_rows.c"
#include "tests/unit/clock_of.h"

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

/* Somebody wants stacks where `stacks_wanted` is 1: each block's own number is one. */
extern int stacks_wanted;
extern int64_t stacks_held;		/* bytes that stacks hold, as events tell */
int stacks_wanted;
int64_t stacks_held;
static uint32_t stacks_taken;
const int *dlt_states[DLT_EVENTS] = { [0 ... DLT_EVENTS - 1] = &stacks_wanted };

uint32_t dlt_stack_take(struct dlt_thread *t)
{
	(void)t;
	return ++stacks_taken;
}

void dlt_stack_allocated(struct dlt_thread *t, const struct dlt_stack_block *b)
{
	(void)t;
	stacks_held += (int64_t)b->size;
}

void dlt_stack_freed(struct dlt_thread *t, const struct dlt_stack_block *b)
{
	(void)t;
	assert_in_range(b->stack, 1, stacks_taken);
	stacks_held -= (int64_t)b->size;
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

static inline const struct dlt_box_memory *row(enum dlt_memory kind, unsigned device, unsigned library)
{
	static const struct dlt_box_memory none;

	for (unsigned i = 0; i < dlt_box->memory_used; i++)
		if (dlt_box_memory(i)->key == dlt_box_memory_key(kind, device, library))
			return dlt_box_memory(i);
	return &none;
}

static inline int64_t live_of(const struct dlt_box_memory *r)
{
	return dlt_box_memory_live(r);
}

static inline uint64_t allocations(const struct dlt_box_memory *r)
{
	uint64_t sum = r->allocations;

	for (unsigned i = 0; i < DLT_BOX_OWNS; i++)
		sum += r->own[i].allocations;
	return sum;
}

static inline uint64_t frees(const struct dlt_box_memory *r)
{
	uint64_t sum = r->frees;

	for (unsigned i = 0; i < DLT_BOX_OWNS; i++)
		sum += r->own[i].frees;
	return sum;
}

static inline int64_t live(enum dlt_memory kind)
{
	return live_of(row(kind, GPU, LIBRARY));
}

static inline int64_t gpu(void)
{
	return live_of(row(DLT_MEMORY_GPU, GPU, 0));
}

static inline void alloc_from(enum dlt_memory kind, uint64_t handle, uint64_t size, uint64_t backing)
{
	struct dlt_ledger l;

	dlt_ledger_begin(&l);
	dlt_ledger_allocated(&l, true, kind, GPU, LIBRARY, handle, size, backing);
}

static inline void alloc(enum dlt_memory kind, uint64_t handle, uint64_t size)
{
	alloc_from(kind, handle, size, 0);
}

/* What the call freed. */
static inline uint64_t give(enum dlt_memory kind, uint64_t handle, uint64_t size, bool ok)
{
	struct dlt_ledger l;

	dlt_ledger_begin(&l);
	dlt_ledger_take(&l, kind, handle, size);
	dlt_ledger_freed(&l, ok, GPU, LIBRARY + 1);
	return l.size;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_box, free_box)

#endif

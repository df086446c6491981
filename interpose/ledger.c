/* SPDX-License-Identifier: MIT */
/* The ledger of GPU memory: what each call does to the table of blocks, and to the rows (ledger_rows.h). */
#include "ledger.h"

#include <stddef.h>

#include "blocks.h"
#include "box_private.h"
#include "contexts.h"
#include "ledger_rows.h"
#include "stacks.h"
#include "streams.h"

__thread uintptr_t dlt_ledger_at;

/* ---- blocks -------------------------------------------------------------------------------- */

/* Addresses end below 2^57, so the space fits above; 0 for a handle that means none. */
static uint64_t key_of(enum dlt_memory memory, uint64_t handle)
{
	uint64_t key = handle ^ (uint64_t)dlt_memory_kind(memory)->space << 60;

	return handle && key > BLOCK_NAMELESS ? key : 0;
}

static struct dlt_stack_block told_of(unsigned row, uint32_t stack, uint64_t size)
{
	uint64_t key = row < DLT_BOX_MEMORY ? dlt_box_memory(row)->key : 0;

	return (struct dlt_stack_block){
		.memory = (uint8_t)(key >> 24), .device = (uint8_t)(key >> 16), .stack = stack, .size = size,
	};
}

/* Counts a block as live; who asked for it, if anybody wants to know. */
static void allocate(struct block *b)
{
	rows_alloc(b->row, b->size);
	if (b->stack) {
		struct dlt_stack_block told = told_of(b->row, b->stack, b->size);

		dlt_stack_allocated(dlt_thread_self(), &told);
	}
}

static void release(unsigned row, uint32_t stack, uint64_t size)
{
	rows_free(row, size);
	if (stack) {
		struct dlt_stack_block told = told_of(row, stack, size);

		dlt_stack_freed(dlt_thread_self(), &told);
	}
}

/* The block is not held any more by one of its names, or by a mapping of it. Bytes that this frees. */
static uint64_t unuse(uint32_t place)
{
	struct block *b = blocks_at(place), taken;

	if (__atomic_sub_fetch(&b->uses, 1, __ATOMIC_ACQ_REL))
		return 0;
	if (!blocks_take(place, BLOCK_NAMELESS, &taken) && !blocks_take(place, b->key, &taken))
		return 0;
	release(taken.row, taken.stack, taken.size);
	return taken.size + (taken.backing ? unuse(taken.backing) : 0);
}

/* Takes a block out for good; what is mapped somewhere lives on without its name. */
static void drop(uint32_t place, struct block *taken)
{
	struct block *b = blocks_at(place);
	uint64_t key = __atomic_load_n(&b->key, __ATOMIC_RELAXED);

	if (key <= BLOCK_NAMELESS)
		return;
	if (__atomic_load_n(&b->uses, __ATOMIC_ACQUIRE) > 1) {
		if (__atomic_compare_exchange_n(&b->key, &key, BLOCK_NAMELESS, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			unuse(place);
		return;
	}
	if (!blocks_take(place, key, taken))
		return;
	release(taken->row, taken->stack, taken->size);
	if (taken->backing)
		unuse(taken->backing);
}

/* Whose references are counted: asked for again with size 0, freed by the last one. */
static bool has_names(enum dlt_memory memory)
{
	return memory == DLT_MEMORY_PHYSICAL || memory == DLT_MEMORY_OPENCL ||
	       memory == DLT_MEMORY_FOREIGN || memory == DLT_MEMORY_IMPORTED;
}

static bool add_name(uint64_t key)
{
	uint32_t place = blocks_find(key);

	if (!place)
		return false;
	__atomic_add_fetch(&blocks_at(place)->names, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&blocks_at(place)->uses, 1, __ATOMIC_RELAXED);
	return true;
}

/*
 * Physical memory by what is mapped of it at an address (cuMemRetainAllocationHandle): it may live
 * without its handle, which names it again from now on.
 */
static bool name_again(uint64_t key, uint64_t address)
{
	uint32_t mapping = address ? blocks_find(key_of(DLT_MEMORY_MAPPED, address)) : 0;
	uint32_t place = mapping ? blocks_at(mapping)->backing : 0;
	uint64_t nameless = BLOCK_NAMELESS;
	struct block *b;

	if (!place)
		return false;
	b = blocks_at(place);
	__atomic_add_fetch(&b->uses, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&b->names, 1, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&b->key, &nameless, key, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED))
		return true;
	__atomic_sub_fetch(&b->uses, 1, __ATOMIC_RELAXED);
	return false;
}

/* What is mapped, or what a part of a buffer or an image of it shows: that lives as long as these do. */
static uint32_t back(enum dlt_memory memory, uint64_t handle)
{
	enum dlt_memory of = memory == DLT_MEMORY_OPENCL ? memory : DLT_MEMORY_PHYSICAL;
	uint32_t place = handle ? blocks_find(key_of(of, handle)) : 0;

	if (place)
		__atomic_add_fetch(&blocks_at(place)->uses, 1, __ATOMIC_RELAXED);
	return place;
}

static void put(enum dlt_memory memory, uint8_t device, uint16_t library, uint64_t key, uint64_t size,
		uint64_t backing)
{
	struct block block = { .key = key, .size = size, .uses = 1, .names = 1 }, old;
	uint32_t place = blocks_find(key);

	/* It was given back behind our back: the address would not be handed out otherwise. */
	if (place)
		drop(place, &old);
	block.row = (uint16_t)rows_of(memory, device, library);
	block.context = dlt_context_current;
	block.backing = back(memory, backing);
	block.stack = dlt_stacks_wanted() ? dlt_stack_take(dlt_thread_self()) : 0;
	if (block.row != ROWS_NONE && blocks_put(&block))
		allocate(&block);
	else
		rows_refused(rows_of(DLT_MEMORY_STRAY, device, library), size);
}

void dlt_ledger_allocated(struct dlt_ledger *l, bool ok, enum dlt_memory memory, uint8_t device,
			  uint16_t library, uint64_t handle, uint64_t size, uint64_t backing)
{
	uint64_t key = key_of(memory, handle);

	if (!l->outer)
		return;
	dlt_ledger_at = 0;
	if (!ok)
		rows_refused(rows_of(memory, device, library), size);
	else if (key && !(size == 0 && has_names(memory) && (add_name(key) || name_again(key, backing))))
		put(memory, device, library, key, size, backing);
}

/* ---- frees --------------------------------------------------------------------------------- */

static void describe(struct dlt_ledger *l, const struct block *b)
{
	l->row = b->row;
	l->context = b->context;
	l->stack = b->stack;
	l->size += b->size;
	l->found = true;
	if (b->row < DLT_BOX_MEMORY) {
		uint64_t key = dlt_box_memory(b->row)->key;

		l->memory = (uint8_t)(key >> 24);
		l->device = (uint8_t)(key >> 16);
		l->library = (uint16_t)key;
	}
}

static enum dlt_memory memory_of(uint32_t place)
{
	uint16_t row = blocks_at(place)->row;

	return row < DLT_BOX_MEMORY ? dlt_box_memory(row)->key >> 24 & 255 : DLT_MEMORIES;
}

/* A handle of physical memory: only its last release frees, and only where nothing is mapped. */
static void take_name(struct dlt_ledger *l, uint32_t place)
{
	struct block *b = blocks_at(place);
	uint64_t key = l->key;

	l->backing = place;
	describe(l, b);
	if (__atomic_sub_fetch(&b->names, 1, __ATOMIC_ACQ_REL))
		l->size = 0;
	else if (__atomic_compare_exchange_n(&b->key, &key, BLOCK_NAMELESS, false, __ATOMIC_ACQ_REL,
					     __ATOMIC_RELAXED) && b->uses > 1)
		l->size = 0;
}

void dlt_ledger_take(struct dlt_ledger *l, enum dlt_memory memory, uint64_t handle, uint64_t size)
{
	struct block taken;
	uint32_t place;

	if (!l->outer)
		return;
	l->memory = (uint8_t)memory;
	l->key = key_of(memory, handle);
	l->row = ROWS_NONE;
	/* Who unmaps knows the addresses: nobody maps there before the call has returned. */
	if (memory == DLT_MEMORY_MAPPED) {
		l->backing = 0;
		l->size = size;
		return;
	}
	place = l->key ? blocks_find(l->key) : 0;
	/* A node's allocation comes again with the next launch; only another node ends it. */
	if (place && memory != DLT_MEMORY_GRAPH && memory_of(place) == DLT_MEMORY_GRAPH)
		l->key = 0;
	else if (place && has_names(memory))
		take_name(l, place);
	else if (place && blocks_take(place, l->key, &taken))
		describe(l, &taken);
}

static void put_back(struct dlt_ledger *l)
{
	struct block block = {
		.key = l->key, .size = l->size, .row = l->row, .uses = 1, .names = 1,
		.context = l->context, .stack = l->stack,
	};

	if (!l->found)
		return;
	l->found = false;
	if (l->backing) {
		__atomic_add_fetch(&blocks_at(l->backing)->names, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&blocks_at(l->backing)->key, l->key, __ATOMIC_RELEASE);
	} else {
		blocks_put(&block);
	}
}

/* A range may hold several mappings, one behind the other. */
static void unmap(struct dlt_ledger *l)
{
	uint64_t left = l->size, key = l->key;

	l->size = 0;
	while (key && left) {
		uint32_t place = blocks_find(key);
		struct block taken = { .size = 0 };

		if (place)
			drop(place, &taken);
		if (!taken.size || taken.size > left)
			break;
		describe(l, &taken);
		left -= taken.size;
		key += taken.size;
	}
}

void dlt_ledger_freed(struct dlt_ledger *l, bool ok, uint8_t device, uint16_t library)
{
	if (!l->outer)
		return;
	dlt_ledger_at = 0;
	if (!ok) {
		put_back(l);
		l->size = 0;
		return;
	}
	if (l->memory == DLT_MEMORY_MAPPED)
		unmap(l);
	else if (l->found && l->backing)
		l->size = unuse(l->backing);
	else if (l->found)
		release(l->row, l->stack, l->size);
	if (!l->found && l->key) {
		l->memory = DLT_MEMORY_STRAY;
		l->device = device;
		l->library = library;
		l->size = 0;
		rows_free(rows_of(DLT_MEMORY_STRAY, device, library), 0);
	}
}

/* All that belongs to a context; the primary one's (0) of this device alone. */
static void sweep(uint8_t context, uint8_t device)
{
	struct block taken;

	for (uint32_t place = blocks_next(0); place; place = blocks_next(place)) {
		const struct block *b = blocks_at(place);
		uint64_t key = b->row < DLT_BOX_MEMORY ? dlt_box_memory(b->row)->key : 0;

		if (key && b->context == context && dlt_memory_kind(key >> 24 & 255)->context &&
		    (context || (uint8_t)(key >> 16) == device))
			drop(place, &taken);
	}
}

void dlt_ledger_reset(uint8_t device)
{
	sweep(0, device);
}

void dlt_ledger_context_gone(uint8_t context)
{
	sweep(context, 0);
}

void dlt_ledger_graph(const struct dlt_cuda_node_memory *memory)
{
	uint64_t key = key_of(DLT_MEMORY_GRAPH, (uintptr_t)memory->p);

	if (key && dlt_process.traced)
		put(DLT_MEMORY_GRAPH, dlt_device(), 0, key, memory->size, 0);
}

void dlt_ledger_told(uint8_t device, uint64_t free, uint64_t total)
{
	unsigned row = dlt_process.traced ? rows_of(DLT_MEMORY_GPU, device, 0) : ROWS_NONE;

	if (row == ROWS_NONE)
		return;
	dlt_box_memory(row)->told_free = free;
	dlt_box_memory(row)->told_total = total;
}

void dlt_ledger_after_fork(void)
{
	blocks_forget();
	dlt_ledger_at = 0;
	rows_forget();
}

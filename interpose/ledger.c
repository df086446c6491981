/* SPDX-License-Identifier: MIT */
/* The ledger of GPU memory: rows in the black box, blocks in a table of the process's own. */
#include "ledger.h"

#include <stddef.h>

#include "blocks.h"
#include "box_private.h"
#include "clock.h"
#include "contexts.h"
#include "streams.h"

#define PLACES 256		/* of rows, by hash; a power of 2, twice DLT_BOX_MEMORY */
#define KEPT 32			/* rows that only kinds and devices get, when there are many libraries */
#define NO_ROW DLT_BOX_MEMORY

__thread uintptr_t dlt_ledger_at;

/* index in the box + 1; 0: free. Wrong ones (a forked child's) are found out by the row's key. */
static uint8_t places[PLACES];

static void add(uint64_t *sum, uint64_t value)
{
	__atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

static uint64_t value_of(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* A row more, or NO_ROW. */
static unsigned row_make(uint64_t key, unsigned keep)
{
	uint32_t index = __atomic_load_n(&dlt_box->memory_used, __ATOMIC_RELAXED);
	struct dlt_box_memory *row;

	/* Backed before it counts as used: readers go that far. */
	do {
		row = dlt_box_memory(index);
		if (index + keep >= dlt_box->memory_count || !dlt_box_back(row, sizeof(*row)))
			return NO_ROW;
	} while (!__atomic_compare_exchange_n(&dlt_box->memory_used, &index, index + 1, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	__atomic_store_n(&row->key, key, __ATOMIC_RELEASE);
	return index;
}

static unsigned row_by_key(uint64_t key, unsigned keep)
{
	unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15) >> 56), made = NO_ROW;

	for (unsigned i = 0; i < PLACES; i++, at = (at + 1) % PLACES) {
		uint8_t seen = __atomic_load_n(&places[at], __ATOMIC_ACQUIRE);

		if (!seen) {
			if (made == NO_ROW)
				made = row_make(key, keep);
			if (made == NO_ROW ||
			    __atomic_compare_exchange_n(&places[at], &seen, (uint8_t)(made + 1), false,
							__ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
				return made;
		}
		if (value_of(&dlt_box_memory(seen - 1)->key) != key)
			continue;
		/* Somebody else was quicker: ours stays unused. */
		if (made != NO_ROW)
			__atomic_store_n(&dlt_box_memory(made)->key, 0, __ATOMIC_RELAXED);
		return seen - 1u;
	}
	return NO_ROW;
}

/* The caller's row; where there are too many callers, one of its kind and device. */
static unsigned row_of(enum dlt_memory memory, uint8_t device, uint16_t library)
{
	unsigned row = row_by_key(dlt_box_memory_key(memory, device, library), library ? KEPT : 0);

	return row == NO_ROW && library ? row_of(memory, device, 0) : row;
}

static void raise_peak(int64_t *peak, int64_t live)
{
	int64_t now = __atomic_load_n(peak, __ATOMIC_RELAXED);

	while (live > now && !__atomic_compare_exchange_n(peak, &now, live, false, __ATOMIC_RELAXED,
							  __ATOMIC_RELAXED))
		;
}

/* The row is the calling thread's own: nobody else writes row->own. */
static bool is_own(struct dlt_box_memory *row)
{
	uint32_t self = dlt_thread_self()->id, owner = __atomic_load_n(&row->own.thread, __ATOMIC_RELAXED);

	if (self && owner == self)
		return true;
	if (self && !owner && __atomic_compare_exchange_n(&row->own.thread, &owner, self, false,
							  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	if (!__atomic_load_n(&row->own.shared, __ATOMIC_RELAXED))
		__atomic_store_n(&row->own.shared, 1, __ATOMIC_SEQ_CST);
	return false;
}

/* One writer; readers see whole values. */
static void add_own(uint64_t *sum, uint64_t value)
{
	__atomic_store_n(sum, *sum + value, __ATOMIC_RELAXED);
}

/* own: the row is this thread's. Where it is shared `own.live` stays as it is, whoever looks at it. */
static void move_live(struct dlt_box_memory *row, int64_t bytes, bool own)
{
	int64_t live;

	if (own && !__atomic_load_n(&row->own.shared, __ATOMIC_RELAXED)) {
		live = row->own.live + bytes;
		__atomic_store_n(&row->own.live, live, __ATOMIC_RELEASE);
		live += __atomic_load_n(&row->live, __ATOMIC_RELAXED);
	} else {
		live = __atomic_add_fetch(&row->live, bytes, __ATOMIC_RELAXED) +
		       __atomic_load_n(&row->own.live, __ATOMIC_RELAXED);
	}
	if (bytes > 0)
		raise_peak(&row->peak, live);
}

/* The sum over what is physical on the row's device. */
static void move_gpu(struct dlt_box_memory *row, int64_t bytes)
{
	unsigned sum;

	if (!row->sum) {
		sum = NO_ROW;
		if (dlt_memory_kind(row->key >> 24 & 255)->physical)
			sum = row_of(DLT_MEMORY_GPU, (uint8_t)(row->key >> 16), 0);
		row->sum = sum + 1;
	}
	if (row->sum <= NO_ROW) {
		row = dlt_box_memory(row->sum - 1);
		move_live(row, bytes, is_own(row));
	}
}

static void count_alloc(unsigned index, uint64_t size)
{
	struct dlt_box_memory *row;
	bool own;

	if (index == NO_ROW)
		return;
	row = dlt_box_memory(index);
	own = is_own(row);
	if (own) {
		add_own(&row->own.allocated, size);
		add_own(&row->own.allocations, 1);
	} else {
		add(&row->allocated, size);
		add(&row->allocations, 1);
	}
	if (size > value_of(&row->largest))
		row->largest = size;
	move_live(row, (int64_t)size, own);
	move_gpu(row, (int64_t)size);
}

static void count_free(unsigned index, uint64_t size)
{
	struct dlt_box_memory *row;
	bool own;

	if (index == NO_ROW)
		return;
	row = dlt_box_memory(index);
	own = is_own(row);
	if (own)
		add_own(&row->own.frees, 1);
	else
		add(&row->frees, 1);
	move_live(row, -(int64_t)size, own);
	move_gpu(row, -(int64_t)size);
}

static void count_failure(unsigned index, uint64_t size)
{
	struct dlt_box_memory *row;

	if (index == NO_ROW)
		return;
	row = dlt_box_memory(index);
	row->refused = size;
	row->refused_at = dlt_clock_ns();
	add(&row->failed, 1);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Addresses end below 2^57, so the space fits above; 0 for a handle that means none. */
static uint64_t key_of(enum dlt_memory memory, uint64_t handle)
{
	uint64_t key = handle ^ (uint64_t)dlt_memory_kind(memory)->space << 60;

	return handle && key > BLOCK_NAMELESS ? key : 0;
}

/* The block is not held any more by one of its names, or by a mapping of it. Bytes that this frees. */
static uint64_t unuse(uint32_t place)
{
	struct block *b = blocks_at(place), taken;

	if (__atomic_sub_fetch(&b->uses, 1, __ATOMIC_ACQ_REL))
		return 0;
	if (!blocks_take(place, BLOCK_NAMELESS, &taken) && !blocks_take(place, b->key, &taken))
		return 0;
	count_free(taken.row, taken.size);
	return taken.size + (taken.backing ? unuse(taken.backing) : 0);
}

/* Takes a block out for good; what is mapped somewhere lives on without its name. */
static void drop(uint32_t place, struct block *taken)
{
	struct block *b = blocks_at(place);
	uint64_t key = value_of(&b->key);

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
	count_free(taken->row, taken->size);
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
	block.row = (uint16_t)row_of(memory, device, library);
	block.context = dlt_context_current;
	block.backing = back(memory, backing);
	if (blocks_put(&block))
		count_alloc(block.row, size);
	else
		count_failure(row_of(DLT_MEMORY_STRAY, device, library), size);
}

void dlt_ledger_allocated(struct dlt_ledger *l, bool ok, enum dlt_memory memory, uint8_t device,
			  uint16_t library, uint64_t handle, uint64_t size, uint64_t backing)
{
	uint64_t key = key_of(memory, handle);

	if (!l->outer)
		return;
	dlt_ledger_at = 0;
	if (!ok)
		count_failure(row_of(memory, device, library), size);
	else if (key && !(size == 0 && has_names(memory) && (add_name(key) || name_again(key, backing))))
		put(memory, device, library, key, size, backing);
}

/* ---- frees --------------------------------------------------------------------------------- */

static void describe(struct dlt_ledger *l, const struct block *b)
{
	l->row = b->row;
	l->context = b->context;
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
	*l = (struct dlt_ledger){
		.outer = true, .memory = (uint8_t)memory, .key = key_of(memory, handle), .row = NO_ROW,
	};
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
		.context = l->context,
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
		count_free(l->row, l->size);
	if (!l->found && l->key) {
		l->memory = DLT_MEMORY_STRAY;
		l->device = device;
		l->library = library;
		l->size = 0;
		count_free(row_of(DLT_MEMORY_STRAY, device, library), 0);
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
	unsigned row = dlt_process.traced ? row_of(DLT_MEMORY_GPU, device, 0) : NO_ROW;

	if (row == NO_ROW)
		return;
	dlt_box_memory(row)->told_free = free;
	dlt_box_memory(row)->told_total = total;
}

void dlt_ledger_thread_end(const struct dlt_thread *t)
{
	uint32_t rows = __atomic_load_n(&dlt_box->memory_used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < rows && t->id; i++)
		if (__atomic_load_n(&dlt_box_memory(i)->own.thread, __ATOMIC_RELAXED) == t->id)
			__atomic_store_n(&dlt_box_memory(i)->own.thread, 0, __ATOMIC_RELEASE);
}

void dlt_ledger_after_fork(void)
{
	blocks_forget();
	dlt_ledger_at = 0;
	for (unsigned i = 0; i < PLACES; i++)
		places[i] = 0;
}

/* SPDX-License-Identifier: MIT */
/* The rows of the ledger of GPU memory: who writes which of their counters, and when the peak rises. */
#include "ledger_rows.h"

#include <stdbool.h>
#include <stddef.h>

#include "box_private.h"
#include "clock.h"
#include "ledger.h"

#define PLACES 1024		/* of rows, by hash; twice DLT_BOX_MEMORY */
#define PLACE_BITS 10
#define KEPT 144		/* rows that only kinds and devices get, when there are many libraries: 9 by 16 */

_Static_assert(PLACES == 1 << PLACE_BITS && PLACES == 2 * DLT_BOX_MEMORY, "half of the places stay free");

/* index in the box + 1; 0: free. Wrong ones (a forked child's) are found out by the row's key. */
static uint16_t places[PLACES];

/* ---- which ---------------------------------------------------------------------------------- */

/* A row more, or ROWS_NONE. */
static unsigned row_make(uint64_t key, unsigned keep)
{
	uint32_t index = __atomic_load_n(&dlt_box->memory_used, __ATOMIC_RELAXED);
	struct dlt_box_memory *row;

	/* Backed before it counts as used: readers go that far. */
	do {
		row = dlt_box_memory(index);
		if (index + keep >= dlt_box->memory_count || !dlt_box_back(row, sizeof(*row)))
			return ROWS_NONE;
	} while (!__atomic_compare_exchange_n(&dlt_box->memory_used, &index, index + 1, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	__atomic_store_n(&row->key, key, __ATOMIC_RELEASE);
	return index;
}

static bool is_row(unsigned seen, uint64_t key)
{
	return __atomic_load_n(&dlt_box_memory(seen - 1)->key, __ATOMIC_RELAXED) == key;
}

static unsigned first_place(uint64_t key)
{
	return (unsigned)((key * 0x9e3779b97f4a7c15) >> (64 - PLACE_BITS));
}

static __attribute__((noinline)) unsigned row_by_key(uint64_t key, unsigned keep)
{
	unsigned at = first_place(key), made = ROWS_NONE;

	for (unsigned i = 0; i < PLACES; i++, at = (at + 1) % PLACES) {
		uint16_t seen = __atomic_load_n(&places[at], __ATOMIC_ACQUIRE);

		if (!seen) {
			if (made == ROWS_NONE)
				made = row_make(key, keep);
			if (made == ROWS_NONE ||
			    __atomic_compare_exchange_n(&places[at], &seen, (uint16_t)(made + 1), false,
							__ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
				return made;
		}
		if (!is_row(seen, key))
			continue;
		/* Somebody else was quicker: ours stays unused. */
		if (made != ROWS_NONE)
			__atomic_store_n(&dlt_box_memory(made)->key, 0, __ATOMIC_RELAXED);
		return seen - 1u;
	}
	return ROWS_NONE;
}

/* Where all that finds no row is counted: the very last one is for it. */
static bool is_last_resort(enum dlt_memory memory, uint8_t device, uint16_t library)
{
	return memory == DLT_MEMORY_STRAY && !device && library == DLT_BOX_OTHERS;
}

/* How many rows must be left for more important ones. */
static unsigned keep_for(enum dlt_memory memory, uint8_t device, uint16_t library)
{
	if (is_last_resort(memory, device, library))
		return 0;
	return library == DLT_BOX_OTHERS || memory == DLT_MEMORY_GPU ? 1 : KEPT;
}

static __attribute__((noinline)) unsigned row_find(enum dlt_memory memory, uint8_t device, uint16_t library)
{
	unsigned row;

	/* No bytes without the sum that has them. */
	if (dlt_memory_kind(memory)->physical && rows_of(DLT_MEMORY_GPU, device, 0) == ROWS_NONE)
		return ROWS_NONE;
	row = row_by_key(dlt_box_memory_key(memory, device, library), keep_for(memory, device, library));
	if (row != ROWS_NONE || memory == DLT_MEMORY_GPU || is_last_resort(memory, device, library))
		return row;
	if (library != DLT_BOX_OTHERS)
		return rows_of(memory, device, DLT_BOX_OTHERS);
	return memory == DLT_MEMORY_STRAY ? rows_of(memory, 0, DLT_BOX_OTHERS) : ROWS_NONE;
}

unsigned rows_of(enum dlt_memory memory, uint8_t device, uint16_t library)
{
	uint64_t key = dlt_box_memory_key(memory, device, library);
	unsigned seen = __atomic_load_n(&places[first_place(key)], __ATOMIC_ACQUIRE);

	return seen && is_row(seen, key) ? seen - 1 : row_find(memory, device, library);
}

/* ---- whose ---------------------------------------------------------------------------------- */

/* A part that is free; or NULL. All but the first one make the row shared, before they count. */
static __attribute__((noinline)) struct dlt_box_own *own_find(struct dlt_box_memory *row, uint32_t self)
{
	for (unsigned i = 1; i < DLT_BOX_OWNS && self; i++)
		if (__atomic_load_n(&row->owners[i], __ATOMIC_RELAXED) == self)
			return &row->own[i];
	for (unsigned i = 0; i < DLT_BOX_OWNS && self; i++) {
		uint32_t nobody = 0;

		if (i == 1)
			__atomic_store_n(&row->shared, 1, __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&row->owners[i], __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&row->owners[i], &nobody, self, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &row->own[i];
	}
	if (!__atomic_load_n(&row->shared, __ATOMIC_RELAXED))
		__atomic_store_n(&row->shared, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* What nobody but the calling thread writes; NULL: it has no part of this row. */
static inline struct dlt_box_own *own_of(struct dlt_box_memory *row, uint32_t self)
{
	if (self && __atomic_load_n(&row->owners[0], __ATOMIC_RELAXED) == self)
		return &row->own[0];
	return own_find(row, self);
}

void dlt_ledger_thread_end(const struct dlt_thread *t)
{
	uint32_t rows = __atomic_load_n(&dlt_box->memory_used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < rows && t->id; i++)
		for (unsigned j = 0; j < DLT_BOX_OWNS; j++)
			if (__atomic_load_n(&dlt_box_memory(i)->owners[j], __ATOMIC_RELAXED) == t->id)
				__atomic_store_n(&dlt_box_memory(i)->owners[j], 0, __ATOMIC_RELEASE);
}

/* ---- how much ------------------------------------------------------------------------------- */

static void raise_to(int64_t *most, int64_t value)
{
	int64_t now = __atomic_load_n(most, __ATOMIC_RELAXED);

	while (value > now && !__atomic_compare_exchange_n(most, &now, value, false, __ATOMIC_RELAXED,
							   __ATOMIC_RELAXED))
		;
}

/* One writer; readers see whole values. */
static void add_own(uint64_t *sum, uint64_t value)
{
	__atomic_store_n(sum, *sum + value, __ATOMIC_RELAXED);
}

/* More cannot be live than the peak says, whoever takes what is kept. */
static bool is_below_peak(const struct dlt_box_memory *row)
{
	return __atomic_load_n(&row->live, __ATOMIC_RELAXED) + __atomic_load_n(&row->alone, __ATOMIC_RELAXED) <=
	       __atomic_load_n(&row->peak, __ATOMIC_RELAXED);
}

/* Takes the bytes from what the thread keeps, or keeps (below 0) them; false: they are not there, or too many. */
static bool move_kept(const struct dlt_box_memory *row, struct dlt_box_own *own, int64_t bytes)
{
	int64_t left = (int64_t)dlt_box_kept(own->kept) - bytes;
	uint64_t next = ((own->kept >> 32) + 1) << 32 | (uint64_t)left;

	if (left < 0 || left > UINT32_MAX || (bytes < 0 && !is_below_peak(row)))
		return false;
	/* Seen by all before row->live is looked at: who adds to that meanwhile looks at this. */
	if (bytes > 0)
		__atomic_exchange_n(&own->kept, next, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n(&own->kept, next, __ATOMIC_RELEASE);
	return true;
}

static inline void move_live(struct dlt_box_memory *row, struct dlt_box_own *own, int64_t bytes)
{
	if (own == row->own && !__atomic_load_n(&row->shared, __ATOMIC_RELAXED))
		__atomic_store_n(&row->alone, row->alone + bytes, __ATOMIC_RELEASE);
	else if (!own || !move_kept(row, own, bytes))
		__atomic_fetch_add(&row->live, bytes, __ATOMIC_SEQ_CST);
	if (bytes > 0 && !is_below_peak(row))
		raise_to(&row->peak, dlt_box_memory_live(row));
}

/* The row of what is physical on this one's device. */
static __attribute__((noinline)) unsigned find_sum(struct dlt_box_memory *row)
{
	unsigned sum = ROWS_NONE + 1;

	if (dlt_memory_kind(row->key >> 24 & 255)->physical)
		sum = rows_of(DLT_MEMORY_GPU, (uint8_t)(row->key >> 16), 0) + 1;
	__atomic_store_n(&row->sum, sum, __ATOMIC_RELAXED);
	return sum;
}

static inline void move_both(struct dlt_box_memory *row, struct dlt_box_own *own, uint32_t self, int64_t bytes)
{
	unsigned sum = __atomic_load_n(&row->sum, __ATOMIC_RELAXED);

	move_live(row, own, bytes);
	if (__builtin_expect(!sum, 0))
		sum = find_sum(row);
	if (sum <= ROWS_NONE) {
		row = dlt_box_memory(sum - 1);
		move_live(row, own_of(row, self), bytes);
	}
}

static inline __attribute__((always_inline)) void count(unsigned index, uint64_t size, bool alloc)
{
	uint32_t self = dlt_thread_self()->id;
	struct dlt_box_memory *row;
	struct dlt_box_own *own;

	if (index == ROWS_NONE)
		return;
	row = dlt_box_memory(index);
	own = own_of(row, self);
	if (own) {
		add_own(alloc ? &own->allocations : &own->frees, 1);
		if (alloc)
			add_own(&own->allocated, size);
	} else {
		__atomic_fetch_add(alloc ? &row->allocations : &row->frees, 1, __ATOMIC_RELAXED);
		if (alloc)
			__atomic_fetch_add(&row->allocated, size, __ATOMIC_RELAXED);
	}
	if (alloc)
		raise_to(&row->largest, (int64_t)size);
	move_both(row, own, self, alloc ? (int64_t)size : -(int64_t)size);
}

void rows_alloc(unsigned index, uint64_t size)
{
	count(index, size, true);
}

void rows_free(unsigned index, uint64_t size)
{
	count(index, size, false);
}

void rows_refused(unsigned index, uint64_t size)
{
	struct dlt_box_memory *row;

	if (index == ROWS_NONE)
		return;
	row = dlt_box_memory(index);
	row->refused = size;
	row->refused_at = dlt_clock_ns();
	__atomic_fetch_add(&row->failed, 1, __ATOMIC_RELAXED);
}

void rows_forget(void)
{
	for (unsigned i = 0; i < PLACES; i++)
		places[i] = 0;
}

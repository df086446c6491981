/* SPDX-License-Identifier: MIT */
/* A lock-free table of live blocks by what names them. */
#include "blocks.h"

#include <stddef.h>
#include <sys/mman.h>

#include "sys.h"

#define LEVELS 5
#define FIRST_BITS 8		/* 256 places, then 2K, 16K, 128K, 1M: 32 bytes each */
#define WINDOW 8			/* places of a key in each level: their marks are one word */
#define EACH 0x0101010101010101u

static struct block *levels[LEVELS];

static unsigned bits_of(unsigned level)
{
	return FIRST_BITS + 3 * level;
}

static struct block *level_at(unsigned level)
{
	return __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
}

/* Behind the blocks there is a mark for each, a byte of its key's hash: most places need no look. */
static size_t level_size(unsigned level)
{
	return (sizeof(struct block) + 1) << bits_of(level);
}

static uint8_t *marks_of(struct block *blocks, unsigned level)
{
	return (uint8_t *)&blocks[1u << bits_of(level)];
}

/* Two threads may map it at once: one of them gives it back. */
static struct block *level_make(unsigned level)
{
	struct block *none = NULL, *made = level_at(level);

	if (made)
		return made;
	made = dlt_sys_map(NULL, level_size(level), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!made)
		return NULL;
	if (__atomic_compare_exchange_n(&levels[level], &none, made, false, __ATOMIC_RELEASE,
					__ATOMIC_ACQUIRE))
		return made;
	dlt_sys(SYS_munmap, (long)made, (long)level_size(level), 0, 0, 0);
	return none;
}

static uint64_t mix(uint64_t key)
{
	return (key ^ key >> 29) * 0x9e3779b97f4a7c15;
}

/* The first of a key's places. */
static uint32_t index_of(uint64_t mixed, unsigned level)
{
	return (uint32_t)(mixed >> (64 - bits_of(level))) & ~(WINDOW - 1u);
}

static uint8_t mark_of(uint64_t mixed)
{
	return (uint8_t)(mixed >> 24);
}

/* The highest bit of each byte that is this mark, and of few others. */
static uint64_t marked(const uint8_t *marks, uint8_t mark)
{
	uint64_t other = __atomic_load_n((const uint64_t *)(const void *)marks, __ATOMIC_ACQUIRE) ^ mark * EACH;

	return (other - EACH) & ~other & EACH << 7;
}

/* 0 is no place. */
static uint32_t place_of(unsigned level, uint32_t index)
{
	return (level + 1) << 24 | index;
}

struct block *blocks_at(uint32_t place)
{
	return &levels[(place >> 24) - 1][place & 0xffffff];
}

static inline __attribute__((always_inline)) uint32_t find_in(struct block *level, unsigned l, uint64_t key,
								uint64_t mixed)
{
	uint32_t first = index_of(mixed, l);
	uint64_t left = marked(&marks_of(level, l)[first], mark_of(mixed));

	for (; left; left &= left - 1) {
		uint32_t index = first + (uint32_t)__builtin_ctzll(left) / 8;

		if (__atomic_load_n(&level[index].key, __ATOMIC_ACQUIRE) == key)
			return place_of(l, index);
	}
	return 0;
}

static __attribute__((noinline)) uint32_t find_above(uint64_t key, uint64_t mixed)
{
	struct block *level;
	uint32_t place = 0;

	for (unsigned l = 1; !place && l < LEVELS && (level = level_at(l)); l++)
		place = find_in(level, l, key, mixed);
	return place;
}

/* Most programs have few blocks: what is known of the first level is in the code. */
uint32_t blocks_find(uint64_t key)
{
	uint64_t mixed = mix(key);
	struct block *level = level_at(0);
	uint32_t place = level ? find_in(level, 0, key, mixed) : 0;

	return place || !level_at(1) ? place : find_above(key, mixed);
}

static bool claim(struct block *b)
{
	uint64_t nothing = 0;

	return !__atomic_load_n(&b->key, __ATOMIC_RELAXED) &&
	       __atomic_compare_exchange_n(&b->key, &nothing, BLOCK_BUSY, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* All but the key. */
static void copy(struct block *b, const struct block *from)
{
	b->size = from->size;
	b->backing = from->backing;
	b->uses = from->uses;
	b->row = from->row;
	b->names = from->names;
	b->context = from->context;
	b->stack = from->stack;
}

/*
 * An address that comes again finds its mark: not to store it leaves alone 63 neighbours' cache line, and who
 * looks for the block soon does not wait until eight marks can be loaded of which one was just stored.
 */
static void set_mark(uint8_t *mark, uint8_t value)
{
	if (__atomic_load_n(mark, __ATOMIC_RELAXED) != value)
		__atomic_store_n(mark, value, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) uint32_t put_in(struct block *level, unsigned l,
							       const struct block *block, uint64_t mixed)
{
	for (uint32_t index = index_of(mixed, l), end = index + WINDOW; index < end; index++) {
		if (!claim(&level[index]))
			continue;
		set_mark(&marks_of(level, l)[index], mark_of(mixed));
		copy(&level[index], block);
		__atomic_store_n(&level[index].key, block->key, __ATOMIC_RELEASE);
		return place_of(l, index);
	}
	return 0;
}

static __attribute__((noinline)) uint32_t put_above(const struct block *block, uint64_t mixed)
{
	struct block *level;
	uint32_t place = 0;

	for (unsigned l = 1; !place && l < LEVELS && (level = level_make(l)); l++)
		place = put_in(level, l, block, mixed);
	return place;
}

uint32_t blocks_put(const struct block *block)
{
	uint64_t mixed = mix(block->key);
	struct block *level = level_make(0);
	uint32_t place = level ? put_in(level, 0, block, mixed) : 0;

	return place || !level ? place : put_above(block, mixed);
}

bool blocks_take(uint32_t place, uint64_t key, struct block *taken)
{
	struct block *b = blocks_at(place);

	/* No compare-and-swap: a block has one owner, and who frees it twice has lost anyway. */
	if (__atomic_load_n(&b->key, __ATOMIC_ACQUIRE) != key)
		return false;
	copy(taken, b);
	taken->key = key;
	__atomic_store_n(&b->key, 0, __ATOMIC_RELEASE);
	return true;
}

uint32_t blocks_next(uint32_t place)
{
	unsigned l = place ? (place >> 24) - 1 : 0;
	uint32_t index = place ? (place & 0xffffff) + 1 : 0;
	struct block *level;

	for (; l < LEVELS && (level = level_at(l)); l++, index = 0)
		for (; index < 1u << bits_of(l); index++)
			if (__atomic_load_n(&level[index].key, __ATOMIC_ACQUIRE) > BLOCK_BUSY)
				return place_of(l, index);
	return 0;
}

void blocks_forget(void)
{
	for (unsigned l = 0; l < LEVELS; l++) {
		if (levels[l])
			dlt_sys(SYS_munmap, (long)levels[l], (long)level_size(l), 0, 0, 0);
		levels[l] = NULL;
	}
}

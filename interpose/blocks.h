/* SPDX-License-Identifier: MIT */
/*
 * A lock-free table of live blocks by what names them. It grows by whole arrays, each eight times
 * the last, that are never moved; a block stays where it was put, so a place can be remembered.
 *
 * A key is looked for within WINDOW places of its own in every array, so a place that becomes free
 * needs no sign. Two threads never put the same key at once: who allocates gets an address that
 * nobody has.
 */
#ifndef DLT_INTERPOSE_BLOCKS_H
#define DLT_INTERPOSE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

#define BLOCK_BUSY	1	/* key: claimed, not filled yet */
#define BLOCK_NAMELESS	2	/* key: alive, but nothing names it any more */

struct block {
	uint64_t key;		/* 0: free; above BLOCK_NAMELESS: stored last */
	uint64_t size;		/* bytes */
	uint32_t backing;	/* place of another block that this one keeps alive; 0: none */
	uint32_t uses;		/* names and blocks that keep it alive (atomic) */
	uint16_t row;
	uint16_t names;		/* how often it has to be released (atomic) */
	uint8_t context;	/* that was current; 0: the primary one */
	uint32_t stack;		/* of who asked for it (stacks.h); 0: not taken */
};

/* Place of a block by its key; 0: none. */
uint32_t blocks_find(uint64_t key);

/* Puts a copy of `block`; 0: there is no room. Hook-safe, may mmap. */
uint32_t blocks_put(const struct block *block);

/* Of a place that was found or put. */
struct block *blocks_at(uint32_t place);

/* Takes the block out if it still has this key. */
bool blocks_take(uint32_t place, uint64_t key, struct block *taken);

/* The next place after `place` with a block in it; 0: there is none. */
uint32_t blocks_next(uint32_t place);

/* A forked child has none. */
void blocks_forget(void);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: MIT */
/* A fixed number of buffers in one mapping, a bit each. */
#include "pool.h"

#include <sys/mman.h>

#include "interpose/sys.h"

#define WORDS (POOL_BUFFERS / 64)

static uint8_t *base;
static uint64_t out[WORDS];	/* bit i of all: buffer i is with CUPTI */

bool pool_init(void)
{
	if (!base)
		base = dlt_sys_map(NULL, (size_t)POOL_BUFFER * POOL_BUFFERS, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	return base != NULL;
}

/* The lowest that is free: memory that was touched before. 64: none. */
static int take_bit(uint64_t *word)
{
	uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
	int i;

	do {
		if (!~seen)
			return 64;
		i = __builtin_ctzll(~seen);
	} while (!__atomic_compare_exchange_n(word, &seen, seen | 1ULL << i, false, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return i;
}

uint8_t *pool_take(void)
{
	for (size_t w = 0; base && w < WORDS; w++) {
		int i = take_bit(&out[w]);

		if (i < 64)
			return base + (w * 64 + (size_t)i) * POOL_BUFFER;
	}
	return NULL;
}

bool pool_owns(const uint8_t *buffer)
{
	return base && buffer >= base && buffer < base + (size_t)POOL_BUFFER * POOL_BUFFERS;
}

void pool_give(uint8_t *buffer)
{
	size_t i = (size_t)(buffer - base) / POOL_BUFFER;

	__atomic_fetch_and(&out[i / 64], ~(1ULL << i % 64), __ATOMIC_RELEASE);
}

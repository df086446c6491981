/* SPDX-License-Identifier: MIT */
/* A fixed number of buffers in one mapping, a bit each. */
#include "pool.h"

#include <sys/mman.h>

#include "interpose/sys.h"

static uint8_t *base;
static uint64_t out;	/* bit i: buffer i is with CUPTI */

bool pool_init(void)
{
	if (!base)
		base = dlt_sys_map(NULL, (size_t)POOL_BUFFER * POOL_BUFFERS, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	return base != NULL;
}

uint8_t *pool_take(void)
{
	uint64_t seen = __atomic_load_n(&out, __ATOMIC_RELAXED);
	int i;

	do {
		if (!base || !~seen)
			return NULL;
		i = __builtin_ctzll(~seen);
	} while (!__atomic_compare_exchange_n(&out, &seen, seen | 1ULL << i, false,
					      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	return base + (size_t)i * POOL_BUFFER;
}

bool pool_owns(const uint8_t *buffer)
{
	return base && buffer >= base && buffer < base + (size_t)POOL_BUFFER * POOL_BUFFERS;
}

void pool_give(uint8_t *buffer)
{
	size_t i = (size_t)(buffer - base) / POOL_BUFFER;

	__atomic_fetch_and(&out, ~(1ULL << i), __ATOMIC_RELEASE);
}

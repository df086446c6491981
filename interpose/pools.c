/* SPDX-License-Identifier: MIT */
/* Pools of stream-ordered memory: kind and device by handle. */
#include "pools.h"

#include "cu_types.h"
#include "handles.h"
#include "streams.h"

#define BITS 8
#define MANAGED 2	/* CU_MEM_ALLOCATION_TYPE_MANAGED */

/* Of a note: above the device, if it is known, and the kind. */
enum { KNOWN = 1 << 16, PLACED = 1 << 17 };

static struct handle pools[1 << BITS];

static void note(const void *pool, enum dlt_memory memory, uint32_t place)
{
	dlt_handle_note(pools, BITS, pool, KNOWN | (uint32_t)memory << 8 | place);
}

void dlt_pool_of(const void *pool, int device)
{
	note(pool, DLT_MEMORY_POOL, PLACED | (uint8_t)device);
}

/* What is of a host is page-locked there, and on no device; what may move begins where it is said to. */
void dlt_pool_at(const void *pool, const void *location, int type)
{
	const struct dlt_cu_location *l = location;
	uint32_t place = dlt_cu_is_gpu(l) ? PLACED | dlt_cu_gpu(l) : 0;

	if (type == MANAGED)
		note(pool, DLT_MEMORY_MANAGED, place);
	else
		note(pool, dlt_cu_is_host(l) ? DLT_MEMORY_PINNED : DLT_MEMORY_POOL, place);
}

void dlt_pool_made(const void *pool, const void *props)
{
	dlt_pool_at(pool, dlt_cu_prop_location(props), *(const int *)props);
}

void dlt_pool_gone(const void *pool)
{
	dlt_handle_gone(pools, BITS, pool);
}

enum dlt_memory dlt_pool_memory(const void *pool)
{
	uint32_t noted = dlt_handle_noted(pools, BITS, pool);

	return noted ? noted >> 8 & 255 : DLT_MEMORY_POOL;
}

uint8_t dlt_pool_device(const void *pool, const void *stream)
{
	uint32_t noted = dlt_handle_noted(pools, BITS, pool);

	return noted & PLACED ? (uint8_t)noted : dlt_stream_device(stream);
}

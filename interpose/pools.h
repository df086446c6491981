/* SPDX-License-Identifier: MIT */
/*
 * Pools of stream-ordered memory, by handle: of which kind and where what is asked of them is
 * (cudaMallocFromPoolAsync). Lock-free, hook-safe; never asks CUDA: a pool that nobody was seen to make or to ask
 * for, or beyond some 256 at once, is taken for one on the stream's GPU.
 */
#ifndef DLT_INTERPOSE_POOLS_H
#define DLT_INTERPOSE_POOLS_H

#include <stdint.h>

#include "memory_kinds.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* It was made: CUmemPoolProps, whose head is type, kinds of handles, and a location (struct dlt_cu_location). */
void dlt_pool_made(const void *pool, const void *props);
/* The application was told of it: it is of this device, or of a location and of CUmemAllocationType `type`. */
void dlt_pool_of(const void *pool, int device);
void dlt_pool_at(const void *pool, const void *location, int type);
/* Its handle may come again. */
void dlt_pool_gone(const void *pool);

/* Of what is asked of it by way of a stream. */
enum dlt_memory dlt_pool_memory(const void *pool);
uint8_t dlt_pool_device(const void *pool, const void *stream);

#pragma GCC visibility pop

#endif

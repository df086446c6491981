/* SPDX-License-Identifier: MIT */
/*
 * Bytes of an element of CUDA's arrays, by handle: copies say how many elements they move. Lock-free, hook-safe;
 * never asks CUDA: elements of arrays that nobody was seen to make (those of graphics libraries, planes, the levels
 * of another process), of formats of compressed blocks, or of more than some 4,096 at once, count as a byte each.
 */
#ifndef DLT_INTERPOSE_ARRAYS_H
#define DLT_INTERPOSE_ARRAYS_H

#include <stddef.h>

#include "cuda_types.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* Of elements of so many bytes; of a runtime's or driver's description. Its handle may have been another's. */
void dlt_array_made(const void *array, size_t element);
void dlt_array_made_of(const void *array, const struct dlt_cuda_channel *format);
void dlt_array_made_as(const void *array, int format, unsigned channels);
/* A level of a mipmapped one. */
void dlt_array_level(const void *level, const void *mipmapped);
void dlt_array_gone(const void *array);

/* Bytes that a copy moves, and a batch of copies. */
size_t dlt_array_copied(const struct dlt_cuda_copy3d *copy);
size_t dlt_array_copied_peer(const struct dlt_cuda_copy3d_peer *copy);
size_t dlt_array_copied_batch(const struct dlt_cu_copy3d_op *ops, size_t count);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The few CUDA structures that functions.tbl needs by value or looks into, in plain C, so that
 * one binary serves CUDA 9 to 13. Layouts: driver_types.h and vector_types.h of CUDA 12.8 to
 * 13.5; where headers are found, configure's --with-cuda checks them (tests/unit).
 */
#ifndef DLT_TRACEPOINTS_CUDA_TYPES_H
#define DLT_TRACEPOINTS_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "cu_types.h"

/* dim3: counts of blocks or threads */
struct dlt_cuda_dim3 {
	unsigned x, y, z;
};

static inline struct dlt_cuda_dim3 dlt_dim3(unsigned x, unsigned y, unsigned z)
{
	struct dlt_cuda_dim3 d = { x, y, z };

	return d;
}

/* cudaExtent: width in bytes (in elements for arrays), height and depth in rows */
struct dlt_cuda_extent {
	size_t width, height, depth;
};

/* cudaPitchedPtr: pitch in bytes */
struct dlt_cuda_pitched {
	void *ptr;
	size_t pitch, xsize, ysize;
};

/* cudaMemcpy3DParms */
struct dlt_cuda_copy3d {
	void *from_array;
	struct dlt_cuda_extent from_pos;
	struct dlt_cuda_pitched from;
	void *to_array;
	struct dlt_cuda_extent to_pos;
	struct dlt_cuda_pitched to;
	struct dlt_cuda_extent extent;
	int kind;
};

/* cudaMemcpy3DPeerParms */
struct dlt_cuda_copy3d_peer {
	void *from_array;
	struct dlt_cuda_extent from_pos;
	struct dlt_cuda_pitched from;
	int from_device;
	void *to_array;
	struct dlt_cuda_extent to_pos;
	struct dlt_cuda_pitched to;
	int to_device;
	struct dlt_cuda_extent extent;
};

/* cudaMemLocation */
struct dlt_cuda_location {
	int type, id;
};

/* cudaIpcMemHandle_t, cudaIpcEventHandle_t */
struct dlt_cuda_ipc {
	char reserved[64];
};

/* cudaChannelFormatDesc: bits of each channel */
struct dlt_cuda_channel {
	int x, y, z, w, kind;
};

/* cudaEglFrame, of which only the size counts */
struct dlt_cuda_egl_frame {
	void *words[35];
};

/* cudaMemAllocNodeParams and CUDA_MEM_ALLOC_NODE_PARAMS; p: what the node will allocate */
struct dlt_cuda_node_memory {
	void *pool[11];
	const void *access;
	size_t access_count, size;
	void *p;
};

static inline const struct dlt_cuda_node_memory *dlt_cuda_allocates(const void *params)
{
	return (const struct dlt_cuda_node_memory *)params;
}

/* The head of cudaMemsetParams and CUDA_MEMSET_NODE_PARAMS: width in elements */
struct dlt_cuda_set {
	void *to;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
};

/* Bytes that a node sets. */
static inline size_t dlt_cuda_set_size(const void *params)
{
	const struct dlt_cuda_set *set = (const struct dlt_cuda_set *)params;

	return set->width * set->element * (set->height ? set->height : 1);
}

/* The head of cudaGraphNodeParams and CUgraphNodeParams, behind which comes what is of the type, here of a child */
struct dlt_cuda_node {
	int type, reserved[3];
	const void *child;
	int ownership;
};

/* cudaConditionalNodeParams and CUDA_CONDITIONAL_NODE_PARAMS; graphs: of its bodies, which CUDA makes */
struct dlt_cuda_conditional {
	unsigned long long handle;
	int type;
	unsigned count;
	void *const *graphs;
};

/* The head of cudaMemcpyBatchNodeParams and CUDA_MEMCPY_BATCH_NODE_PARAMS */
struct dlt_cuda_batch {
	size_t count;
	void *const *to, *const *from;
	const size_t *sizes;
};

/* The head of cudaLaunchConfig_t; shared: dynamic shared memory in bytes */
struct dlt_cuda_launch_config {
	struct dlt_cuda_dim3 grid, block;
	size_t shared;
	void *stream;
};

/* cudaLaunchParams: of one device of several */
struct dlt_cuda_launch_params {
	const void *kernel;
	struct dlt_cuda_dim3 grid, block;
	void **args;
	size_t shared;
	void *stream;
};

static inline struct dlt_cuda_extent dlt_extent(size_t width, size_t height, size_t depth)
{
	struct dlt_cuda_extent e = { width, height, depth };

	return e;
}

static inline size_t dlt_cuda_elements(struct dlt_cuda_extent e)
{
	return e.width * e.height * e.depth;
}

/* The kinds 17 to 30 are the driver's formats of compressed blocks, in the same order. */
static inline size_t dlt_cuda_block_size(const struct dlt_cuda_channel *c)
{
	return c->kind >= 17 && c->kind <= 30 ? dlt_cu_block_size(c->kind - 17 + 0x91) : 0;
}

static inline size_t dlt_cuda_element_size(const struct dlt_cuda_channel *c)
{
	return (size_t)(c->x + c->y + c->z + c->w) / 8;
}

/* Bytes of an array whose height or depth may be 0, with so many of its mipmaps. */
static inline size_t dlt_cuda_array_size(const struct dlt_cuda_channel *c, struct dlt_cuda_extent extent,
					 unsigned flags, unsigned mips)
{
	return dlt_cu_levels_size(dlt_cuda_element_size(c), dlt_cuda_block_size(c), extent.width, extent.height,
				  extent.depth, flags, mips);
}

/* The sum of a list of sizes. */
static inline size_t dlt_cuda_sum(const size_t *sizes, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += sizes[i];
	return sum;
}

/* Bytes that a node copies. */
static inline size_t dlt_cuda_batch_size(const void *params)
{
	const struct dlt_cuda_batch *batch = (const struct dlt_cuda_batch *)params;

	return dlt_cuda_sum(batch->sizes, batch->count);
}

#endif

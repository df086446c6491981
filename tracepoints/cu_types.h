/* SPDX-License-Identifier: MIT */
/*
 * The few structures of the CUDA driver that driver.tbl needs by value or looks into, in plain C.
 * Layouts: cuda.h of CUDA 12.9 to 13.5 (tests/source/cuda_headers.sh compares them).
 */
#ifndef DLT_TRACEPOINTS_CU_TYPES_H
#define DLT_TRACEPOINTS_CU_TYPES_H

#include <stddef.h>

/* CUmemLocation */
struct dlt_cu_location {
	int type, id;
};

/* CUipcMemHandle, CUipcEventHandle: opaque, passed by value */
struct dlt_cu_ipc {
	char bytes[64];
};

/* CUeglFrame, of which only the size counts */
struct dlt_cu_egl_frame {
	void *words[8];
};

/* The head of CUlaunchConfig; shared: dynamic shared memory in bytes */
struct dlt_cu_launch_config {
	unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
	void *stream;
};

/* CUDA_LAUNCH_PARAMS: of one device of several */
struct dlt_cu_launch_params {
	void *kernel;
	unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
	void *stream;
	void **args;
};

/* One side of a copy; type: CUmemorytype, 1 host, 2 device, 3 array, 4 by address */
struct dlt_cu_side2d {
	size_t x, y;
	int type;
	void *host;
	unsigned long long device;
	void *array;
	size_t pitch;
};

struct dlt_cu_side3d {
	size_t x, y, z, lod;
	int type;
	void *host;
	unsigned long long device;
	void *array, *context;
	size_t pitch, height;
};

/* CUDA_MEMCPY2D; width in bytes, height in rows */
struct dlt_cu_copy2d {
	struct dlt_cu_side2d from, to;
	size_t width, height;
};

/* CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER */
struct dlt_cu_copy3d {
	struct dlt_cu_side3d from, to;
	size_t width, height, depth;
};

/* CUfabricCpyOperand, CUDA_FABRIC_COPY_BATCH_OP */
struct dlt_cu_fabric_operand {
	int type;
	unsigned long long words[2];
};

struct dlt_cu_fabric_copy {
	struct dlt_cu_fabric_operand from, to;
	size_t size;
	unsigned flags;
};

/* The head of CUDA_FABRIC_CPY_BATCH_NODE_PARAMS */
struct dlt_cu_fabric_batch {
	size_t count;
	const struct dlt_cu_fabric_copy *copies;
};

/* CUDA_ARRAY_DESCRIPTOR; width and height in elements, height 0 for one dimension */
struct dlt_cu_array {
	size_t width, height;
	int format;
	unsigned channels;
};

/* CUDA_ARRAY3D_DESCRIPTOR */
struct dlt_cu_array3d {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};

/* As the event `copy` has it. */
static inline int dlt_cu_direction(int from, int to)
{
	if (from == 4 || to == 4)
		return 4;
	return (from == 1 ? 0 : 2) + (to == 1 ? 0 : 1);
}

static inline int dlt_cu_copy2d_direction(const struct dlt_cu_copy2d *copy)
{
	return dlt_cu_direction(copy->from.type, copy->to.type);
}

static inline int dlt_cu_copy3d_direction(const struct dlt_cu_copy3d *copy)
{
	return dlt_cu_direction(copy->from.type, copy->to.type);
}

static inline size_t dlt_cu_copy2d_size(const struct dlt_cu_copy2d *copy)
{
	return copy->width * copy->height;
}

static inline size_t dlt_cu_copy3d_size(const struct dlt_cu_copy3d *copy)
{
	return copy->width * copy->height * copy->depth;
}

/* Bytes of one channel: CUarray_format's 8, 16 and 32 bit formats; packed ones count as one byte. */
static inline size_t dlt_cu_format_size(int format)
{
	switch (format) {
	case 0x02: case 0x09: case 0x10: return 2;
	case 0x03: case 0x0a: case 0x20: return 4;
	default: return 1;
	}
}

static inline size_t dlt_cu_array_size(const struct dlt_cu_array *a)
{
	return a->width * (a->height ? a->height : 1) * a->channels * dlt_cu_format_size(a->format);
}

static inline size_t dlt_cu_array3d_size(const struct dlt_cu_array3d *a)
{
	return a->width * (a->height ? a->height : 1) * (a->depth ? a->depth : 1) * a->channels *
	       dlt_cu_format_size(a->format);
}

static inline size_t dlt_cu_sum(const size_t *sizes, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += sizes[i];
	return sum;
}

static inline size_t dlt_cu_fabric_size(const void *list, size_t count)
{
	const struct dlt_cu_fabric_copy *copies = (const struct dlt_cu_fabric_copy *)list;
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += copies[i].size;
	return sum;
}

/* Bytes that a node copies. */
static inline size_t dlt_cu_fabric_batch_size(const void *params)
{
	const struct dlt_cu_fabric_batch *batch = (const struct dlt_cu_fabric_batch *)params;

	return dlt_cu_fabric_size(batch->copies, batch->count);
}

#endif

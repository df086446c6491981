/* SPDX-License-Identifier: MIT */
/*
 * The few structures of the CUDA driver that driver.tbl needs by value or looks into, in plain C.
 * Layouts: cuda.h of CUDA 12.9 to 13.5 (tests/source/cuda_headers.sh compares them).
 */
#ifndef DLT_TRACEPOINTS_CU_TYPES_H
#define DLT_TRACEPOINTS_CU_TYPES_H

#include <stddef.h>

/*
 * CUmemLocation: id says which GPU if type is 1 (a GPU), or in its low byte if it is 6 (a part of one's memory, from
 * 13.5 on); 2 to 4 are the host and its nodes, 5 what this process cannot see.
 */
struct dlt_cu_location {
	int type, id;
};

/* Of CUmemAllocationProp and CUmemPoolProps, whose heads are the same: type, kinds of handles, location. */
static inline const struct dlt_cu_location *dlt_cu_prop_location(const void *prop)
{
	return (const struct dlt_cu_location *)((const int *)prop + 2);
}

static inline int dlt_cu_is_gpu(const struct dlt_cu_location *l)
{
	return l->type == 1 || l->type == 6;
}

static inline int dlt_cu_is_host(const struct dlt_cu_location *l)
{
	return l->type >= 2 && l->type <= 4;
}

static inline unsigned char dlt_cu_gpu(const struct dlt_cu_location *l)
{
	return (unsigned char)l->id;
}

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

/* CUmemcpy3DOperand, cudaMemcpy3DOperand; type 1: a pointer, 2: an array */
struct dlt_cu_operand {
	int type;
	const void *what;
	size_t words[3];
};

/* CUDA_MEMCPY3D_BATCH_OP, cudaMemcpy3DBatchOp; in elements of the array, if one is a side, else in bytes */
struct dlt_cu_copy3d_op {
	struct dlt_cu_operand from, to;
	size_t width, height, depth;
	int order;
	unsigned flags;
};

static inline const void *dlt_cu_operand_array(const struct dlt_cu_operand *o)
{
	return o->type == 2 ? o->what : NULL;
}

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

/*
 * Bytes of an element of CUarray_format: of each channel, or of all of them where the format says how many there are.
 * Formats of video, whose planes have different sizes, count as one byte a channel.
 */
static inline size_t dlt_cu_element_size(int format, unsigned channels)
{
	switch (format) {
	case 0x02: case 0x09: case 0x10: return 2 * (size_t)channels;		/* 16 bits */
	case 0x03: case 0x0a: case 0x20: return 4 * (size_t)channels;
	case 0xc0: case 0xc6: return 1;						/* UNORM and SNORM: INT8X1 */
	case 0xc1: case 0xc7: case 0xc3: case 0xc9: return 2;			/* INT8X2, INT16X1 */
	case 0xc2: case 0xc8: case 0xc4: case 0xca: case 0x50: return 4;	/* INT8X4, INT16X2, 101010_2 */
	case 0xc5: case 0xcb: return 8;						/* INT16X4 */
	default: return channels;
	}
}

/* Bytes of a block of 4 by 4 elements of the formats BC1 to BC7; 0: it is another one. */
static inline size_t dlt_cu_block_size(int format)
{
	if (format < 0x91 || format > 0x9e)
		return 0;
	return format == 0x91 || format == 0x92 || format == 0x97 || format == 0x98 ? 8 : 16;
}

static inline size_t dlt_cu_at_least_1(size_t n)
{
	return n ? n : 1;
}

#define DLT_CU_LAYERS 5		/* of an array's flags, of either library: layered, or the faces of cubes */

/*
 * Bytes of an array whose height or depth may be 0 and of its mipmaps, each half as large in all that is no layer,
 * down to one element; block: as dlt_cu_block_size.
 */
static inline size_t dlt_cu_levels_size(size_t element, size_t block, size_t width, size_t height, size_t depth,
					unsigned flags, unsigned mips)
{
	size_t layers = flags & DLT_CU_LAYERS ? dlt_cu_at_least_1(depth) : 1, size = 0;

	if (flags & DLT_CU_LAYERS)
		depth = 0;
	for (unsigned i = 0; !i || (i < mips && (width | height | depth)); i++) {
		size_t plane = block ? (width + 3) / 4 * ((dlt_cu_at_least_1(height) + 3) / 4) * block
				     : dlt_cu_at_least_1(width) * dlt_cu_at_least_1(height) * element;

		size += plane * dlt_cu_at_least_1(depth) * layers;
		width /= 2;
		height /= 2;
		depth /= 2;
	}
	return size;
}

static inline size_t dlt_cu_array_size(const struct dlt_cu_array *a)
{
	return dlt_cu_levels_size(dlt_cu_element_size(a->format, a->channels), dlt_cu_block_size(a->format), a->width,
				  a->height, 0, 0, 1);
}

static inline size_t dlt_cu_array3d_size(const struct dlt_cu_array3d *a, unsigned mips)
{
	return dlt_cu_levels_size(dlt_cu_element_size(a->format, a->channels), dlt_cu_block_size(a->format), a->width,
				  a->height, a->depth, a->flags, mips);
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

/* SPDX-License-Identifier: MIT */
/*
 * Small ids for what events repeat: kernels, launch shapes, streams, graphs. Given at first sight, kept
 * in the black box (struct dlt_box_object), announced as dltrace_proc:object. Lock-free; 0 is
 * "unknown" (none left). Hook-safe.
 */
#ifndef DLT_INTERPOSE_OBJECTS_H
#define DLT_INTERPOSE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda_types.h"
#include "object_types.h"

/* x and y are one word: structures that are put together in memory are waited for. */
uint32_t dlt_shape_id(const void *kernel, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy,
		      uint32_t block_z, size_t shared);

/* kernel: the host function, or its handle; grid in blocks, block in threads, shared in bytes */
static inline uint32_t dlt_shape(const void *kernel, struct dlt_cuda_dim3 grid,
				 struct dlt_cuda_dim3 block, size_t shared)
{
	return dlt_shape_id(kernel, grid.x | (uint64_t)grid.y << 32, grid.z,
			    block.x | (uint64_t)block.y << 32, block.z, shared);
}

static inline uint32_t dlt_cu_config_shape(const struct dlt_cu_launch_config *c, const void *kernel)
{
	return dlt_shape(kernel, dlt_dim3(c->grid_x, c->grid_y, c->grid_z),
			 dlt_dim3(c->block_x, c->block_y, c->block_z), c->shared);
}

static inline uint32_t dlt_cu_params_shape(const struct dlt_cu_launch_params *p)
{
	return dlt_shape(p->kernel, dlt_dim3(p->grid_x, p->grid_y, p->grid_z),
			 dlt_dim3(p->block_x, p->block_y, p->block_z), p->shared);
}

/*
 * A kernel's handle was given out again with this name, of `length` bytes: if it was another kernel's until now,
 * whose module was unloaded, launches are of a new object from now on.
 */
void dlt_kernel_renamed(const void *kernel, const char *name, size_t length);

/* A function of CUDA that is in no table was handed out to the application: once a name. */
void dlt_uncovered(const char *name);

/* Anything else: one for each handle with these values (8 at most). */
uint32_t dlt_object_id(enum dlt_object type, const void *handle, const uint64_t *values,
		       unsigned count);

/*
 * For those who tell their objects apart by themselves (comm.c): a new one, named in the trace
 * only by dlt_object_say. Its values may change later; the sampler tells them as they are then.
 * NULL when none is left.
 */
struct dlt_box_object;
struct dlt_box_object *dlt_object_make(enum dlt_object type, uint64_t handle,
				       const uint64_t *values, unsigned count);
void dlt_object_say(const struct dlt_box_object *o);

/* Likewise, with a name of `length` bytes and without values; announced. Its id, or 0. */
uint32_t dlt_object_named(enum dlt_object type, uint64_t handle, const char *name, size_t length);

/* Something found no room, here or in another table: counted, and told with the objects. */
void dlt_missed(enum dlt_missed what);

/* Child side of fork, after the new box is in place. */
void dlt_objects_after_fork(void);

#endif

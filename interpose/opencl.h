/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers of OpenCL's functions know beyond their arguments: kernels by name, launch
 * shapes, error codes. Hook-safe; never calls OpenCL.
 */
#ifndef DLT_INTERPOSE_OPENCL_H
#define DLT_INTERPOSE_OPENCL_H

#include <stddef.h>
#include <stdint.h>

/* Of a function that returns an object: its error code; -1 where it was not asked for. */
static inline int dlt_cl_code(const int *errcode_ret, const void *result)
{
	return errcode_ret ? *errcode_ret : result ? 0 : -1;
}

/* Kernels as the program makes them; their handles are used again for others. */
void dlt_cl_kernel_made(const void *kernel, const char *name);
void dlt_cl_kernel_cloned(const void *kernel, const void *from);

/*
 * The launch's shape. local NULL: the implementation chooses, told as 0 work-items a group and one
 * group for each; dim 0: one work-item.
 */
uint32_t dlt_cl_shape(const void *kernel, unsigned dim, const size_t *global, const size_t *local);

#endif

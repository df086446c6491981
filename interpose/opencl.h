/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers of OpenCL's functions know beyond their arguments: kernels by name, launch
 * shapes, error codes. Hook-safe; calls nothing of OpenCL's but what it stands for.
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
/* Instead of the real clCreateKernelsInProgram; what it makes has no names. */
int dlt_cl_kernels_in_program(int (*real)(void *, unsigned, void **, unsigned *), void *program, unsigned room,
			      void **kernels, unsigned *count_ret);

/* Its name's id in dltrace_gpu:kernel, announced; 0: not known. */
uint32_t dlt_cl_kernel_id(const void *kernel);
/* In a forked child: names are said anew. */
void dlt_cl_kernels_after_fork(void);

/*
 * The launch's shape. local NULL: the implementation chooses, told as 0 work-items a group and one
 * group for each; dim 0: one work-item.
 */
uint32_t dlt_cl_shape(const void *kernel, unsigned dim, const size_t *global, const size_t *local);

/*
 * Bytes of an image as its description says (cl_image_format, cl_image_desc), without padding; 0: it
 * shows another object's memory, or its format is not known.
 */
size_t dlt_cl_image_size(const void *format, const void *description);
/* What it shows, if it has no memory of its own; else NULL. */
const void *dlt_cl_image_memory(const void *description);
/* Likewise; a height or depth of 0 counts as 1. */
size_t dlt_cl_plain_image_size(const void *format, size_t width, size_t height, size_t depth);

/* Images as the program makes them. */
void dlt_cl_image_made(const void *image, const void *format);

/* Bytes of a region of an image; 0: not known. */
size_t dlt_cl_region_size(const void *image, const size_t region[3]);

#endif

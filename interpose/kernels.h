/* SPDX-License-Identifier: MIT */
/*
 * What is known of kernels before they are launched: their mangled names, and which host function
 * a handle stands for. Kept for the process's life; lock-free, hook-safe. A kernel that comes when
 * there is no room stays without a name.
 */
#ifndef DLT_INTERPOSE_KERNELS_H
#define DLT_INTERPOSE_KERNELS_H

#include <stddef.h>

/* A library says the name of a host function of its own (__cudaRegisterFunction). */
void dlt_kernel_registered(const void *function, const char *name);

/* A handle was asked for, or a name: `name` may be gone after the call. */
void dlt_kernel_named(const void *kernel, const char *name);

/* A handle stands for this host function, or for the same kernel as another handle. */
void dlt_kernel_known(const void *kernel, const void *function);

/*
 * Its name, not terminated, and its length; 0 when not known. *code: the host function, else the
 * kernel itself.
 */
size_t dlt_kernel_name(const void *kernel, const void **code, const char **name);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which CUDA runtime a library's kernels were registered with. They are given back at exit by a jump, not
 * a call: the return address is the C library's, and tells nothing of the library whose they are. Of two
 * runtimes in a process the wrong one would get the handle of the other.
 */
#ifndef DLT_INTERPOSE_BINARIES_H
#define DLT_INTERPOSE_BINARIES_H

/* `caller`, an address in a library, has registered and got this handle. Hook-safe. */
void dlt_binary_keep(const void *handle, const void *caller);

/* For the table: in the wrapper, whose return address is meant. */
#define dlt_binary_registered(handle) dlt_binary_keep(handle, __builtin_return_address(0))

#endif

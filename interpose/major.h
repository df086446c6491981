/* SPDX-License-Identifier: MIT */
/*
 * Which version of CUDA's runtime a function is of: the same name has other arguments from one major version to the
 * next (cudaGraphAddNode, cudaMemPrefetchAsync), and what is an integer in one is followed as a pointer in another.
 */
#ifndef DLT_INTERPOSE_MAJOR_H
#define DLT_INTERPOSE_MAJOR_H

#include <stddef.h>

/*
 * 12, 13, ...: by the SONAME of the runtime that `function` lies in, whatever its file or folder is called. Lies it in
 * none (in what passes calls on, or in a library that has a runtime of its own in it): that of the runtimes which have
 * been seen in this process, if it is the same of all; else 0. Hook-safe.
 */
unsigned dlt_major(const void *function);

/* Of two arguments that which means the same before version `since` and from it on; NULL: the version is not known. */
static inline const void *dlt_by_major(const void *function, unsigned since, const void *before, const void *from)
{
	unsigned major = dlt_major(function);

	return !major ? NULL : major < since ? before : from;
}

#endif

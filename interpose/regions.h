/* SPDX-License-Identifier: MIT */
/*
 * Parallel regions that are opened by one call and closed by another: gcc until 4.8 has the caller call
 * GOMP_parallel_start, then the region's function itself, then GOMP_parallel_end. Both are one call, which lasts from
 * before the first to after the second.
 *
 * The second one often is a jump at the end of a function, so that its return address is another library's, and so
 * would be the OpenMP it is looked up in. So all that are open are kept, measured or not: whoever opens says what
 * closes. They are closed in the reverse order, by the same thread: a region cannot be left in any other way.
 */
#ifndef DLT_INTERPOSE_REGIONS_H
#define DLT_INTERPOSE_REGIONS_H

#include <stdint.h>

#include "functions.h"

/*
 * Opens one; returns the function to call. `bottom`: the caller's stack as it is for its call, `arguments`: bytes of
 * them there, which may go before the call that closes it.
 */
void *dlt_region_open(enum dlt_fn function, const void *caller, uintptr_t bottom, unsigned arguments, uintptr_t like,
		      uint32_t width);

#endif

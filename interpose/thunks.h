/* SPDX-License-Identifier: MIT */
/*
 * Thunks: thunk i says "dlt_handed[i]" to the wrapper named there and jumps to it. All registers
 * that carry arguments stay as they are, and the return address is the caller's.
 */
#ifndef DLT_INTERPOSE_THUNKS_H
#define DLT_INTERPOSE_THUNKS_H

#include <stdint.h>

#include "targets.h"

#if defined(__x86_64__)
#define DLT_THUNKS 4096		/* as often as thunks.c makes */
#else
#define DLT_THUNKS 0		/* real functions are handed out */
#endif
#define DLT_THUNK_SIZE 16

extern struct dlt_handed dlt_handed[] __attribute__((visibility("hidden")));
extern const char dlt_thunks[] __attribute__((visibility("hidden")));

static inline void *dlt_thunk(uint32_t index)
{
	return (void *)(dlt_thunks + DLT_THUNK_SIZE * (uintptr_t)index);
}

#endif

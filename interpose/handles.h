/* SPDX-License-Identifier: MIT */
/*
 * A note about each of CUDA's handles of one kind, for calls that name nothing but the handle (pools.c, arrays.c).
 * Lock-free, hook-safe. Places are never free again, but go to another handle when theirs is gone.
 */
#ifndef DLT_INTERPOSE_HANDLES_H
#define DLT_INTERPOSE_HANDLES_H

#include <stdint.h>

struct handle {
	uintptr_t handle;	/* 0: never used */
	uint32_t note;		/* 0: gone */
};

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/*
 * places: 1 << bits of them, static. note: neither 0 nor all ones. Where there is no room for one more nothing
 * is noted.
 */
void dlt_handle_note(struct handle *places, unsigned bits, const void *handle, uint32_t note);
void dlt_handle_gone(struct handle *places, unsigned bits, const void *handle);

/* 0: there is none. */
uint32_t dlt_handle_noted(struct handle *places, unsigned bits, const void *handle);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Call stacks of those who ask for memory, as small ids (dltracefull_stack, dltrace-record --stacks).
 *
 * A stack is named by its innermost frame; each frame names its caller's, so stacks that begin alike share what they
 * share. Frames stand in the black box (struct dlt_box_frame), so that they can be said again. Python's own frames
 * stand where its interpreter's would: what the interpreter calls inside itself is left out.
 *
 * The compiled part is found by .eh_frame (cfi.h), never by frame pointers, which distributions leave out. Both parts
 * are read by the thread whose they are, so nothing moves meanwhile; no lock, no allocation. Hook-safe.
 */
#ifndef DLT_INTERPOSE_STACKS_H
#define DLT_INTERPOSE_STACKS_H

#include <stdint.h>

#include "emit.h"
#include "frame_kinds.h"
#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* Somebody wants stacks. */
static inline bool dlt_stacks_wanted(void)
{
	return dlt_enabled(DLT_EV_FULL_STACK_ALLOC);
}

/*
 * The calling thread's stack, from the hook's caller outwards, its frames announced. 0: nothing is known of it. Only
 * from a hook that has no frames of the application's below it; the guard is down.
 */
uint32_t dlt_stack_take(struct dlt_thread *t);

/*
 * A block was asked for, or is about to be given back. memory: enum dlt_memory, or DLT_STACK_HEAP (frame_kinds.h);
 * ptr names the block while it lives; stack: that of who asked (0: not known, then ptr tells).
 */
struct dlt_stack_block {
	uint8_t memory, device;
	uint32_t stack;
	uint64_t size, ptr;	/* size in bytes */
};

void dlt_stack_allocated(struct dlt_thread *t, const struct dlt_stack_block *b);
void dlt_stack_freed(struct dlt_thread *t, const struct dlt_stack_block *b);

#pragma GCC visibility pop

#endif

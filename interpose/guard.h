/* SPDX-License-Identifier: MIT */
/*
 * A thread's guard: up while dltrace itself runs on it, so that hooks pass through and what a signal's handler does
 * in the middle of an event is left alone. It is the stack address of who has put it up.
 *
 * A handler may never return: by siglongjmp it takes that frame off the stack, and with it whoever would have taken
 * the guard down. The stack grows down, so a hook that finds the guard up from above its address knows that its owner
 * is gone (guard.c); one that is still below it passes through, as in the middle of an event.
 */
#ifndef DLT_INTERPOSE_GUARD_H
#define DLT_INTERPOSE_GUARD_H

#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

#define DLT_GUARD_HELD UINTPTR_MAX	/* by no frame: up until it is released */

/* Where the caller's frame ends, without a frame pointer; of an inlined function, that of the one it is in. */
#if defined(__x86_64__)
#define DLT_FRAME ((uintptr_t)__builtin_dwarf_cfa())
#else
#define DLT_FRAME ((uintptr_t)__builtin_frame_address(0))
#endif

/* Up, as seen from the frame `here`; takes it down where its owner is gone. Any thread's hook may ask of its own. */
bool dlt_guard_stands(struct dlt_thread *t, uintptr_t here);

static inline __attribute__((always_inline)) bool dlt_is_guarded(struct dlt_thread *t)
{
	return __builtin_expect(t->guard != 0, 0) && dlt_guard_stands(t, DLT_FRAME);
}

/*
 * The frame at `owner`, who does something that no handler may come into the middle of, is no longer on the stack,
 * as seen from the frame `here` of the same thread.
 */
bool dlt_guard_left(uintptr_t owner, uintptr_t here);

/* Puts it up for as long as the calling function runs; what it was, for dlt_guard_down. */
static inline __attribute__((always_inline)) uintptr_t dlt_guard_up(struct dlt_thread *t)
{
	uintptr_t before = t->guard;

	if (!before)
		t->guard = DLT_FRAME;
	__asm__ volatile("" ::: "memory");
	return before;
}

static inline __attribute__((always_inline)) void dlt_guard_down(struct dlt_thread *t, uintptr_t before)
{
	__asm__ volatile("" ::: "memory");
	t->guard = before;
}

/* Puts it up until as many releases, whichever functions run meanwhile. */
void dlt_guard_hold(struct dlt_thread *t);
void dlt_guard_release(struct dlt_thread *t);

#pragma GCC visibility pop

#endif

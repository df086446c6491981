/* SPDX-License-Identifier: MIT */
/*
 * What is known of a place in the code, by a return address: how to get to its caller, and what it is called in the
 * trace. Found out once and kept by the address, so that a stack of sixty frames is sixty look-ups. Lock-free.
 *
 * The interpreter of Python is recognised here: as the first library that a stack leads through and that has its
 * function which runs code.
 */
#ifndef DLT_INTERPOSE_STACK_PLACES_H
#define DLT_INTERPOSE_STACK_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi.h"
#include "frame_kinds.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* What is at a place, besides what is in the trace (frame_kinds.h). */
enum {
	PLACE_OURS = 100,	/* not shown */
	PLACE_INTERPRETER,	/* shown only where no Python code runs; else as DLT_FRAME_NATIVE */
	PLACE_EVALUATES,	/* the same; it runs Python's code */
};

/* How to go on from the call that returns to `at`. */
struct dlt_cfi_rule dlt_place_rule(uintptr_t at);

/* What the frame of that call is (frame_kinds.h, or as above). Announces its library at first sight. */
uint64_t dlt_place_what(uintptr_t at);

/* The interpreter is known: Python's frames may be asked for until this stack is taken (stack_taker, thread.h). */
bool dlt_place_has_python(void);

/*
 * Before and after a dlclose, from outside of hooks. Other threads go on to allocate: none of them is in the
 * interpreter, when that is unloaded, to ask it for its frames.
 */
void dlt_places_unload(void);
void dlt_places_unloaded(void);

/* The child's side: those that looked or unloaded are gone. */
void dlt_places_after_fork(void);

#pragma GCC visibility pop

#endif

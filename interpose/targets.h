/* SPDX-License-Identifier: MIT */
/*
 * The real function behind a wrapper: found by (function, calling library), or handed out.
 *
 * A program that asks for a function's address (dlsym, cuGetProcAddress) gets the address of our
 * wrapper, which then has to call what the program would have got. Nearly always the wrapper finds
 * the same for that library, and its own address is handed out. Otherwise (two runtimes in one
 * process, a library that has a function of that name itself) a thunk is: a few instructions that
 * tell the wrapper which real function is meant, whoever calls them.
 *
 * Bindings are checked again after every unload. There is no limit to their number.
 */
#ifndef DLT_INTERPOSE_TARGETS_H
#define DLT_INTERPOSE_TARGETS_H

#include <stdint.h>

#include "functions.h"

/* What `function` is for that caller (an address in the calling library); NULL: nobody defines it. */
void *dlt_target(unsigned function, uint16_t library, const void *caller);

/*
 * Child side of fork, after the generation was raised from `before`: what was bound stays so. To find it again may not
 * return (walk.h).
 */
void dlt_targets_after_fork(uint32_t before);

/*
 * What to give to `caller`, who asked for `function` and would have got `real`. That is `real`
 * itself where it cannot be wrapped.
 */
void *dlt_target_hand_out(unsigned function, const void *caller, void *real);

/* What a thunk says to the wrapper that it jumps to. */
struct dlt_handed {
	void *real;
	void *wrapper;
	uint32_t function;
	uint32_t next;		/* of the same function; index + 1 */
	uint64_t spare;		/* 32 bytes: the thunks count on it */
};

extern __thread const struct dlt_handed *dlt_handed_over
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* For a wrapper: the real function that a thunk has just named, else `found`. */
static inline void *dlt_handed_take(unsigned function, void *found)
{
	const struct dlt_handed *h = dlt_handed_over;

	dlt_handed_over = 0;
	return h->function == function ? h->real : found;
}

/* By function id: the exported wrapper; NULL: it is not handed out. Generated. */
extern void *const dlt_wrappers[DLT_FNS] __attribute__((visibility("hidden")));

#endif

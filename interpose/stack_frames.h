/* SPDX-License-Identifier: MIT */
/*
 * Frames of call stacks by what they are and who called them: small ids, kept in the black box (struct dlt_box_frame)
 * and announced. Lock-free.
 */
#ifndef DLT_INTERPOSE_STACK_FRAMES_H
#define DLT_INTERPOSE_STACK_FRAMES_H

#include <stdint.h>

#include "python.h"
#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

#define DLT_STACK_NEWS 32	/* frames in one event */

/* Frames that were made and not told yet. */
struct dlt_stack_news {
	unsigned count;
	uint64_t words[2 * DLT_STACK_NEWS];	/* as in dltracefull_stack:frames */
};

/*
 * The id of a frame whose caller's is `caller` (0: none). what: frame_kinds.h, of no Python. New ones are among the
 * news, which are told when there are many. 0: there is no room, which is counted.
 */
uint32_t dlt_stack_frame(struct dlt_thread *t, uint32_t caller, uint64_t what, struct dlt_stack_news *n);

/* The same of Python's, which must be active in the calling thread. */
uint32_t dlt_stack_python(struct dlt_thread *t, uint32_t caller, const struct dlt_python_frame *f,
			  struct dlt_stack_news *n);

/* Tells what is left of the news. */
void dlt_stack_tell(struct dlt_thread *t, struct dlt_stack_news *n);

#pragma GCC visibility pop

#endif

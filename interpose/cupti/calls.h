/* SPDX-License-Identifier: MIT */
/*
 * Which thread made the call that a piece of the GPU's work belongs to, and when: CUPTI's records
 * of API calls, by their correlation id. They and the work they asked for come in any order and
 * in different buffers; so all calls of a buffer are noted before its work is looked at.
 *
 * These records cost CUPTI one for each call that asks for work (asked.h). What else would tell the thread: a
 * callback in each call (one subscriber only), or an external id pushed in each launch (a hook that calls CUPTI).
 * Neither is ours to use.
 *
 * One caller at a time (records.c's lock), but for calls_thread_ended.
 */
#ifndef DLT_INTERPOSE_CUPTI_CALLS_H
#define DLT_INTERPOSE_CUPTI_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/cupti.h"

struct call {
	uint32_t correlation;
	uint32_t thread;	/* our id; 0: not known */
	uint64_t begin;		/* CUPTI's clock */
	bool query;		/* whether something is done: it does not wait */
};

/* False: there is no memory. */
bool calls_init(void);

/* tid: as the record has it; by_handle: it is half a pthread_t, not the kernel's id. */
void calls_note(const struct dlt_cupti_host *host, uint32_t correlation, uint32_t tid,
		bool by_handle, uint64_t begin, bool query);

/* NULL: not seen, or so long ago that it was forgotten. */
const struct call *calls_find(uint32_t correlation);

/* Any thread: what it asked for may be told later. */
void calls_thread_ended(uint32_t thread, uint32_t tid);

#endif

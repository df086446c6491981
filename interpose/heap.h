/* SPDX-License-Identifier: MIT */
/*
 * The heap's records beyond the counters: events of large blocks, and at the level full of
 * each call.
 */
#ifndef DLT_INTERPOSE_HEAP_H
#define DLT_INTERPOSE_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "functions.h"
#include "thread.h"

enum heap_operation { HEAP_ALLOC = 1, HEAP_FREE, HEAP_FAILED };

struct heap_call {
	enum heap_operation operation;
	enum dlt_fn function;
	const void *caller;	/* return address */
	const void *ptr;
	uint64_t size;		/* usable; asked for, when it failed */
};

/* Everything but counting: emits or notes the call as the enabled events ask. errno is kept. */
void dlt_heap_record(struct dlt_thread *t, const struct heap_call *call);

#endif

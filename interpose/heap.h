/* SPDX-License-Identifier: MIT */
/*
 * The heap's records beyond the counters: events of large blocks, and at the level full each
 * call, in batches (dltracefull_heap:batch).
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

/* Notes the call in the thread's batch, which is emitted when it is full. (heap_batch.c) */
void dlt_heap_batch_add(struct dlt_thread *t, const struct heap_call *call, bool may_emit);

/* Emits what the thread, or every thread, has in its batch. At a fork, at the process's end. */
void dlt_heap_batch_flush(struct dlt_thread *t);
void dlt_heap_batch_flush_all(void);

/* A forked child owns no call that was noted before. */
void dlt_heap_batch_after_fork(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Gives out the events that lie packed in a dltrace_batch:records. */
#ifndef DLT_ANALYSIS_READER_BATCHES_H
#define DLT_ANALYSIS_READER_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/reader/reader.h"
#include "analysis/reader/records.h"

/* How many events of a thread have come in batches. */
struct batch_thread {
	uint32_t thread;		/* 0: free */
	uint32_t first, next;		/* ordinals of the first one, of the next one */
};

struct batch {
	struct records rest;		/* what is left of it */
	uint32_t count;			/* events that it holds by its own account */
	union dlt_batch_event event;	/* the one that is being looked at */
	struct batch_thread *threads;	/* owned; by hash */
	size_t thread_count, thread_places;
};

/* `event` is a batch that the source has just given. */
void batch_begin(struct reader *r, const struct reader_event *event);

void batch_release(struct batch *b);

/* Another part of the trace has batches of the thread: -EINVAL: some of them came before. */
int batch_join(struct batch *b, uint32_t thread, uint32_t first, uint32_t next);

/* Batches end with what they say they hold; 0. */
int batch_end(struct reader *r);

#endif

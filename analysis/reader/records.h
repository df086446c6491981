/* SPDX-License-Identifier: MIT */
/*
 * The records of a batch as they lie packed: for those who take them without a reader's event for
 * each. Most events of a trace come this way, so all of it is to be inlined.
 */
#ifndef DLT_ANALYSIS_READER_RECORDS_H
#define DLT_ANALYSIS_READER_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "batch.h"

struct records {
	const unsigned char *at;	/* borrowed from the source until its next event; NULL: none */
	size_t left;			/* bytes */
	uint32_t count;			/* events that are left */
	uint32_t thread;		/* of all of them */
	uint64_t time;			/* ns since 1970 of the event before */
	uint64_t floor, end;		/* none of them is earlier, none later */
	const unsigned char *last[DLT_BATCH_AGAINS];	/* of the kinds that may say only what differs */
};

/* ns since 1970, of the event that was taken last. */
static inline uint64_t records_time(const struct records *r)
{
	return r->time > r->floor ? r->time : r->floor;
}

/* The next record's code; 0: there is none. */
static inline unsigned records_code(const struct records *r)
{
	uint32_t head;

	if (!r->count || r->left < sizeof(head))
		return 0;
	memcpy(&head, r->at, sizeof(head));
	return head >> 24;
}

/* Takes the next record, which has that code: all of *event but its thread. 0: it is none. */
static inline __attribute__((always_inline)) int records_take(struct records *r, unsigned code,
							      union dlt_batch_event *event,
							      enum dlt_event *type)
{
	unsigned size;
	uint32_t head;

	if (!code)
		return 0;
	memcpy(&head, r->at, sizeof(head));
	size = dlt_batch_get(code, r->at + sizeof(head), r->left - sizeof(head), r->last, event, type);
	if (!size)
		return 0;
	r->at += sizeof(head) + size;
	r->left -= sizeof(head) + size;
	r->count--;
	r->time += head & 0xffffff;
	if (r->time > r->end)
		r->time = r->end;
	return 1;
}

#endif

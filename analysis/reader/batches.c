/* SPDX-License-Identifier: MIT */
/* Unpacks batches; nothing in them is trusted. */
#include "analysis/reader/batches.h"

#include <string.h>

#include "analysis/reader/source.h"

void batch_begin(struct reader *r, const struct reader_event *event)
{
	const struct dlt_ev_batch_records *e = event->data;
	struct batch *b = &r->batch;

	*b = (struct batch){
		.at = (const unsigned char *)e->records, .left = (size_t)e->records_count * 8,
		.time = e->begin + (uint64_t)r->info.clock_offset, .end = event->time, .count = e->count,
	};
	b->event.thread = e->thread;
	if (b->time > b->end)
		b->time = b->end;
	if (e->layout == DLT_BATCH_LAYOUT)
		return;
	b->at = NULL;
	source_problem(r, "foreign", e->count,
		       "%u events were packed by another version of dltrace and are left out: use its dltrace-report",
		       e->count);
}

/* Batches end with what they say they hold. */
static int end(struct reader *r)
{
	struct batch *b = &r->batch;

	if (b->given < b->count)
		source_problem(r, "corrupt", b->count - b->given, "a batch holds %u events instead of %u",
			       b->given, b->count);
	b->at = NULL;
	return 0;
}

int batch_next(struct reader *r, struct reader_event *event)
{
	struct batch *b = &r->batch;
	uint32_t head;
	unsigned size;

	if (!b->at)
		return 0;
	if (b->given == b->count || b->left < sizeof(head))
		return end(r);
	memcpy(&head, b->at, sizeof(head));
	size = dlt_batch_get(head >> 24, b->at + sizeof(head), b->left - sizeof(head), &b->event,
			     &event->type);
	if (!size)
		return end(r);
	b->at += sizeof(head) + size;
	b->left -= sizeof(head) + size;
	b->given++;
	b->time += head & 0xffffff;
	if (b->time > b->end)
		b->time = b->end;
	event->time = b->time > r->info.begin ? b->time : r->info.begin;
	event->data = &b->event;
	return 1;
}

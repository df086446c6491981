/* SPDX-License-Identifier: MIT */
/* Unpacks what processes have put into their outboxes; nothing in it is trusted. */
#include "analysis/reader/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"
#include "analysis/reader/source.h"
#include "analysis/reader/value.h"
#include "outbox_layout.h"

void outbox_begin(struct reader *r, const struct reader_event *event)
{
	const struct dlt_ev_outbox_events *e = event->data;
	struct outbox *o = &r->outbox;

	o->at = NULL;
	if (e->layout != DLT_OUTBOX_LAYOUT) {
		source_other_layout(r, e->count);
		return;
	}
	if (!o->data)
		o->data = must(malloc(value_largest()));
	o->at = (const unsigned char *)e->records;
	o->left = (size_t)e->records_count * 8;
	o->count = o->left_count = e->count;
	o->time = e->begin + (uint64_t)r->info.clock_offset;
	o->end = event->time;
}

static uint32_t word32(const unsigned char *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static const unsigned char *take_words(struct outbox *o, unsigned n, const struct dlt_field *f,
				       const unsigned char *from)
{
	uint32_t count = word32(from);

	if (count > o->words_room[n]) {
		o->words_room[n] = count;
		o->words[n] = must(realloc(o->words[n], 8 * (size_t)count));
	}
	if (count)
		memcpy(o->words[n], from + sizeof(count), 8 * (size_t)count);
	value_set_sequence(f, o->data, o->words[n], count);
	return from + sizeof(count) + 8 * (size_t)count;
}

/* All of them lie within what was measured before. */
static void take_fields(struct outbox *o, const struct dlt_event_desc *desc, const unsigned char *from)
{
	unsigned sequences = 0;

	memset(o->data, 0, desc->size);
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *f = &desc->fields[i];
		size_t width;

		if (f->type == DLT_STR) {
			value_set_string(f, o->data, (const char *)from);
			from += strlen((const char *)from) + 1;
		} else if (f->type == DLT_SEQ64) {
			from = take_words(o, sequences++ % OUTBOX_SEQUENCES, f, from);
		} else {
			width = value_width(f->type);
			memcpy((char *)o->data + f->offset, from, width);
			from += width;
		}
	}
}

static int outbox_end(struct reader *r)
{
	struct outbox *o = &r->outbox;

	if (o->left_count)
		source_problem(r, PROBLEM_CORRUPT, o->left_count, "what processes have put into their boxes holds %u "
			       "events instead of %u", o->count - o->left_count, o->count);
	o->at = NULL;
	return 0;
}

int outbox_next(struct reader *r, struct reader_event *event)
{
	struct outbox *o = &r->outbox;
	size_t length;
	uint32_t head;
	unsigned type;

	if (!o->at)
		return 0;
	if (!o->left_count || o->left < sizeof(head))
		return outbox_end(r);
	head = word32(o->at);
	type = head >> 24;
	/* What holds others is never inside. */
	if (type >= DLT_EVENTS || DLT_EVENTS_OF_EVENTS >> type & 1)
		return outbox_end(r);
	length = dlt_outbox_length((enum dlt_event)type, o->at + sizeof(head), o->left - sizeof(head));
	if (!length)
		return outbox_end(r);
	take_fields(o, &dlt_event_descs[type], o->at + sizeof(head));
	o->at += sizeof(head) + length;
	o->left -= sizeof(head) + length;
	o->left_count--;
	o->time += head & 0xffffff;
	event->time = o->time < o->end ? o->time : o->end;
	if (event->time < r->info.begin)
		event->time = r->info.begin;
	event->type = (enum dlt_event)type;
	event->data = o->data;
	r->info.boxed++;
	return 1;
}

void outbox_release(struct outbox *o)
{
	free(o->data);
	for (unsigned i = 0; i < OUTBOX_SEQUENCES; i++)
		free(o->words[i]);
	*o = (struct outbox){ 0 };
}

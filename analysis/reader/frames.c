/* SPDX-License-Identifier: MIT */
/* Events through a pipe. */
#include "analysis/reader/frames.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/reader/must.h"
#include "analysis/reader/value.h"

#define FLUSH_AT 65536

/* ---- writing ------------------------------------------------------------------------------ */

void frame_flush(struct frame_writer *w)
{
	size_t done = 0;
	ssize_t n;

	while (done < w->used) {
		n = write(w->fd, w->buffer + done, w->used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		done += (size_t)n;
	}
	w->used = 0;
}

static void append(struct frame_writer *w, const void *bytes, size_t size)
{
	if (w->used + size > w->capacity) {
		w->capacity = 2 * (w->used + size) + FLUSH_AT;
		w->buffer = must(realloc(w->buffer, w->capacity));
	}
	if (size)
		memcpy(w->buffer + w->used, bytes, size);
	w->used += size;
}

void frame_put(struct frame_writer *w, enum frame_kind kind, const void *content, size_t size)
{
	const struct frame frame = { .size = (uint32_t)size, .kind = (uint16_t)kind };

	append(w, &frame, sizeof(frame));
	append(w, content, size);
	if (kind != FRAME_ALIVE || w->used >= FLUSH_AT)
		frame_flush(w);
}

/* The structure as it is, then strings (length, bytes, NUL) and sequences (count, words). */
void frame_put_event(struct frame_writer *w, const struct reader_event *event)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[event->type];
	struct frame frame = {
		.kind = FRAME_EVENT, .type = (uint16_t)event->type, .time = event->time,
	};
	size_t begin = w->used;

	append(w, &frame, sizeof(frame));
	append(w, event->data, desc->size);
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *f = &desc->fields[i];
		const uint64_t *words;
		const char *text;
		uint32_t count;

		if (f->type == DLT_STR) {
			text = value_get_string(f, event->data);
			count = (uint32_t)strlen(text);
			append(w, &count, sizeof(count));
			append(w, text, (size_t)count + 1);
		} else if (f->type == DLT_SEQ64) {
			words = value_get_sequence(f, event->data, &count);
			append(w, &count, sizeof(count));
			append(w, words, (size_t)count * 8);
		}
	}
	frame.size = (uint32_t)(w->used - begin - sizeof(frame));
	memcpy(w->buffer + begin, &frame, sizeof(frame));
	if (w->used >= FLUSH_AT)
		frame_flush(w);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* At least `need` bytes in the buffer. */
static int fill(struct frame_reader *r, size_t need, int timeout_ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	ssize_t n;

	if (r->used - r->at >= need)
		return 1;
	memmove(r->buffer, r->buffer + r->at, r->used - r->at);
	r->used -= r->at;
	r->at = 0;
	if (need > r->capacity) {
		r->capacity = need;
		r->buffer = must(realloc(r->buffer, r->capacity));
	}
	while (r->used < need) {
		n = poll(&p, 1, timeout_ms);
		if (n == 0)
			return -ETIMEDOUT;
		if (n > 0)
			n = read(r->fd, r->buffer + r->used, r->capacity - r->used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		r->used += (size_t)n;
	}
	return 1;
}

int frame_get(struct frame_reader *r, int timeout_ms, struct frame *frame, const uint8_t **content)
{
	int ret;

	if (!r->buffer) {
		r->capacity = 4 * FLUSH_AT;
		r->buffer = must(malloc(r->capacity));
	}
	ret = fill(r, sizeof(*frame), timeout_ms);
	if (ret <= 0)
		return ret;
	memcpy(frame, r->buffer + r->at, sizeof(*frame));
	if (frame->size > FRAME_MAX || frame->kind > FRAME_END)
		return -EPROTO;
	ret = fill(r, sizeof(*frame) + frame->size, timeout_ms);
	if (ret <= 0)
		return ret;
	*content = r->buffer + r->at + sizeof(*frame);
	r->at += sizeof(*frame) + frame->size;
	return 1;
}

/* A count and as many items of `item` bytes, of which `extra` more follow. NULL: not all there. */
static const uint8_t *take(const uint8_t **at, const uint8_t *end, size_t item, size_t extra,
			   uint32_t *count)
{
	const uint8_t *items = *at + sizeof(*count);

	if ((size_t)(end - *at) < sizeof(*count))
		return NULL;
	memcpy(count, *at, sizeof(*count));
	if ((size_t)(end - items) < *count * item + extra)
		return NULL;
	*at = items + *count * item + extra;
	return items;
}

static int take_sequence(struct frame_reader *r, unsigned n, const uint8_t **at,
			 const uint8_t *end, const struct dlt_field *f, void *data)
{
	const uint8_t *items;
	uint32_t count;

	items = take(at, end, 8, 0, &count);
	if (!items || n >= FRAME_SEQUENCES)
		return -EPROTO;
	r->words[n] = must(realloc(r->words[n], (size_t)count * 8 + 1));
	memcpy(r->words[n], items, (size_t)count * 8);
	value_set_sequence(f, data, r->words[n], count);
	return 0;
}

int frame_event(struct frame_reader *r, const struct frame *frame, const uint8_t *content,
		void *data)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[frame->type];
	const uint8_t *end = content + frame->size, *text;
	unsigned sequences = 0;
	uint32_t length;

	if (frame->type >= DLT_EVENTS || frame->size < desc->size)
		return -EPROTO;
	memcpy(data, content, desc->size);
	content += desc->size;
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *f = &desc->fields[i];

		if (f->type == DLT_STR) {
			text = take(&content, end, 1, 1, &length);
			if (!text || text[length] != '\0')
				return -EPROTO;
			value_set_string(f, data, (const char *)text);
		} else if (f->type == DLT_SEQ64 &&
			   take_sequence(r, sequences++, &content, end, f, data) < 0) {
			return -EPROTO;
		}
	}
	return 0;
}

void frame_reader_release(struct frame_reader *r)
{
	free(r->buffer);
	for (unsigned i = 0; i < FRAME_SEQUENCES; i++)
		free(r->words[i]);
}

/* SPDX-License-Identifier: MIT */
/* What one process has read of a trace, on its way to the one that has the model. */
#include "analysis/model/digest.h"

#include <errno.h>
#include <string.h>

#include "fields.h"
#include "analysis/model/memory.h"
#include "analysis/reader/value.h"

/* Before each item; items begin at multiples of 8. */
struct head {
	uint32_t kind;		/* an event's type, or one of these */
	uint32_t size;		/* bytes behind it */
	int64_t at;
};

enum { HEAD_FOLD = 1000, HEAD_END };

#define ITEM_MOST	(1U << 30)	/* bytes; no event is that large */
#define CELL_FIXED	offsetof(struct fold_cell, buckets)

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* ---- giving ------------------------------------------------------------------------------- */

void digest_writer_init(struct digest_writer *w, struct channel *channel)
{
	*w = (struct digest_writer){ .channel = channel };
}

void digest_writer_release(struct digest_writer *w)
{
	free(w->buffer);
}

static void flush(struct digest_writer *w)
{
	for (size_t at = 0; at < w->used && !w->error; at += DIGEST_CHUNK) {
		size_t left = w->used - at;

		w->error = w->channel->put(w->channel, w->buffer + at,
					   left < DIGEST_CHUNK ? left : DIGEST_CHUNK);
	}
	w->used = 0;
}

static unsigned char *begin_item(struct digest_writer *w, uint32_t kind, size_t size, int64_t at)
{
	struct head head = { kind, (uint32_t)size, at };
	size_t whole = sizeof(head) + padded(size);
	unsigned char *to;

	if (w->used + whole > DIGEST_CHUNK)
		flush(w);
	if (w->used + whole > w->room) {
		w->room = whole > DIGEST_CHUNK ? whole : DIGEST_CHUNK;
		free(w->buffer);
		w->buffer = xcalloc(1, w->room);
		w->used = 0;
	}
	to = w->buffer + w->used;
	memcpy(to, &head, sizeof(head));
	w->used += whole;
	return to + sizeof(head);
}

static void *append(unsigned char **to, const void *from, size_t size)
{
	void *at = *to;

	if (size)
		memcpy(at, from, size);
	*to += padded(size);
	return at;
}

/* What the fields point to, which follows the structure. */
static size_t size_behind(const struct dlt_event_desc *desc, const void *data)
{
	size_t size = 0;
	uint32_t count;

	for (const struct dlt_field *f = desc->fields; f < desc->fields + desc->field_count; f++) {
		if (f->type == DLT_STR) {
			size += padded(strlen(value_get_string(f, data)) + 1);
		} else if (f->type == DLT_SEQ64) {
			value_get_sequence(f, data, &count);
			size += (size_t)count * 8;
		}
	}
	return size;
}

void digest_event(struct digest_writer *w, enum dlt_event type, int64_t at, const void *data)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[type];
	size_t size = padded(desc->size) + size_behind(desc, data);
	unsigned char *to;
	uint32_t count;

	if (size > ITEM_MOST) {
		w->error = w->error ? w->error : -EMSGSIZE;
		return;
	}
	to = begin_item(w, type, size, at);
	append(&to, data, desc->size);
	for (const struct dlt_field *f = desc->fields; f < desc->fields + desc->field_count; f++) {
		if (f->type == DLT_STR) {
			const char *text = value_get_string(f, data);

			append(&to, text, strlen(text) + 1);
		} else if (f->type == DLT_SEQ64) {
			const uint64_t *words = value_get_sequence(f, data, &count);

			append(&to, words, (size_t)count * 8);
		}
	}
}

static size_t buckets_size(const struct fold_cell *c)
{
	return (dlt_bucket(c->max) - dlt_bucket(c->min) + 1) * sizeof(c->buckets[0]);
}

struct fold_head {
	uint64_t filtered, filtered_timed;
	uint32_t cells, launches, threads, beats, streams, unused;
};

static size_t ticks_size(const struct beat *b)
{
	return b->used * sizeof(b->ticks[0]);
}

static size_t beat_head_size(const struct beat *b)
{
	return b->head_used * sizeof(b->head[0]);
}

void digest_fold(struct digest_writer *w, const struct fold *fold)
{
	struct fold_head head = { fold->filtered, fold->filtered_timed, fold->cell_count, fold->launch_count,
				  fold->thread_count, fold->beat_count, fold->stream_count, 0 };
	size_t size = padded(sizeof(head)) + padded(fold->thread_count * sizeof(fold->threads[0])) +
		      padded(fold->launch_count * sizeof(fold->launches[0])) +
		      padded(fold->stream_count * sizeof(fold->streams[0]));
	unsigned char *to;

	for (uint32_t i = 0; i < fold->cell_count; i++)
		size += padded(CELL_FIXED) + padded(buckets_size(&fold->cells[i]));
	for (uint32_t i = 0; i < fold->beat_count; i++)
		size += padded(sizeof(fold->beats[i])) + padded(ticks_size(&fold->beats[i])) +
			padded(beat_head_size(&fold->beats[i]));
	to = begin_item(w, HEAD_FOLD, size, 0);
	append(&to, &head, sizeof(head));
	append(&to, fold->threads, fold->thread_count * sizeof(fold->threads[0]));
	append(&to, fold->launches, fold->launch_count * sizeof(fold->launches[0]));
	append(&to, fold->streams, fold->stream_count * sizeof(fold->streams[0]));
	for (uint32_t i = 0; i < fold->cell_count; i++) {
		const struct fold_cell *c = &fold->cells[i];

		append(&to, c, CELL_FIXED);
		append(&to, &c->buckets[dlt_bucket(c->min)], buckets_size(c));
	}
	for (uint32_t i = 0; i < fold->beat_count; i++) {
		append(&to, &fold->beats[i], sizeof(fold->beats[i]));
		append(&to, fold->beats[i].ticks, ticks_size(&fold->beats[i]));
		append(&to, fold->beats[i].head, beat_head_size(&fold->beats[i]));
	}
}

void digest_end(struct digest_writer *w, const struct digest_end *end)
{
	size_t batches = end->part.batch_count * sizeof(end->part.batches[0]);
	unsigned char *to = begin_item(w, HEAD_END, padded(sizeof(*end)) + padded(batches), 0);

	append(&to, end, sizeof(*end));
	append(&to, end->part.batches, batches);
	flush(w);
}

/* ---- taking ------------------------------------------------------------------------------- */

void digest_reader_init(struct digest_reader *r, struct channel *channel)
{
	*r = (struct digest_reader){ .channel = channel, .fold = fold_new(INT64_MIN, INT64_MAX) };
}

void digest_reader_release(struct digest_reader *r)
{
	free(r->buffer);
	fold_free(r->fold);
}

/* At least `size` bytes from r->at on. false: there are no more. */
static bool want(struct digest_reader *r, size_t size)
{
	if (r->used - r->at >= size)
		return true;
	if (r->used > r->at)
		memmove(r->buffer, r->buffer + r->at, r->used - r->at);
	r->used -= r->at;
	r->at = 0;
	if (r->room < size + DIGEST_CHUNK) {
		r->room = size + DIGEST_CHUNK;
		r->buffer = xcheck(realloc(r->buffer, r->room), r->room);
	}
	while (r->used < size) {
		ssize_t got = r->channel->get(r->channel, r->buffer + r->used, r->room - r->used);

		if (got <= 0)
			return false;
		r->used += (size_t)got;
	}
	return true;
}

/* What is left of an item. */
struct rest {
	unsigned char *at;
	size_t size;
};

static void *take(struct rest *rest, size_t size)
{
	void *at = rest->at;

	if (padded(size) > rest->size)
		return NULL;
	rest->at += padded(size);
	rest->size -= padded(size);
	return at;
}

static bool take_text(struct rest *rest, const struct dlt_field *f, void *data)
{
	const char *nul = memchr(rest->at, 0, rest->size), *text = (const char *)rest->at;

	if (!nul || !take(rest, (size_t)(nul - text) + 1))
		return false;
	value_set_string(f, data, text);
	return true;
}

static bool take_words(struct rest *rest, const struct dlt_field *f, void *data)
{
	const uint64_t *words;
	uint32_t count;

	value_get_sequence(f, data, &count);
	words = take(rest, (size_t)count * 8);
	if (!words)
		return false;
	value_set_sequence(f, data, words, count);
	return true;
}

/* The event stays where it is; its pointers are set to what follows it. */
static bool take_event(const struct head *head, struct rest *rest, struct digest_found *found)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[head->kind];
	void *data = take(rest, desc->size);

	if (!data)
		return false;
	for (const struct dlt_field *f = desc->fields; f < desc->fields + desc->field_count; f++)
		if ((f->type == DLT_STR && !take_text(rest, f, data)) ||
		    (f->type == DLT_SEQ64 && !take_words(rest, f, data)))
			return false;
	*found = (struct digest_found){ .type = head->kind, .at = head->at, .data = data };
	return true;
}

static bool take_array(struct rest *rest, void *to, uint32_t count, size_t size)
{
	const void *from = count <= FOLD_CELLS ? take(rest, count * size) : NULL;

	if (from)
		memcpy(to, from, count * size);
	return from != NULL;
}

static bool take_cell(struct rest *rest, struct fold_cell *c)
{
	const void *fixed = take(rest, CELL_FIXED), *buckets;

	if (!fixed)
		return false;
	memcpy(c, fixed, CELL_FIXED);
	if (c->min > c->max || c->slot >= FOLD_SLOTS)
		return false;
	buckets = take(rest, buckets_size(c));
	if (buckets)
		memcpy(&c->buckets[dlt_bucket(c->min)], buckets, buckets_size(c));
	return buckets != NULL;
}

static bool take_beat(struct rest *rest, struct beat *b)
{
	const struct beat *from = take(rest, sizeof(*from));
	struct tick *ticks = b->ticks;
	int64_t *first = b->head;
	uint32_t capacity = b->capacity;
	const void *behind, *head;

	if (!from || from->used > RHYTHM_TICKS || from->head_used > RHYTHM_TICKS || from->shift > 62)
		return false;
	behind = take(rest, ticks_size(from));
	head = behind ? take(rest, beat_head_size(from)) : NULL;
	if (!head)
		return false;
	if (capacity < from->used) {
		capacity = from->used;
		ticks = xcheck(reallocarray(ticks, capacity, sizeof(*ticks)), capacity);
	}
	if (from->used)
		memcpy(ticks, behind, ticks_size(from));
	*b = *from;
	b->ticks = ticks;
	b->head = first;
	b->head_used = 0;
	b->capacity = capacity;
	b->name = NULL;
	b->pace = NULL;
	b->paced = b->late = false;
	for (uint32_t i = 0; i < from->head_used; i++)
		beat_head(b, ((const int64_t *)head)[i]);
	return true;
}

static bool take_fold(struct fold *fold, struct rest *rest)
{
	const struct fold_head *head = take(rest, sizeof(*head));

	fold_clear(fold);
	if (!head || !take_array(rest, fold->threads, head->threads, sizeof(fold->threads[0])) ||
	    !take_array(rest, fold->launches, head->launches, sizeof(fold->launches[0])) ||
	    head->streams > FOLD_STREAMS ||
	    !take_array(rest, fold->streams, head->streams, sizeof(fold->streams[0])) ||
	    head->cells > FOLD_CELLS || head->beats > FOLD_CELLS)
		return false;
	for (uint32_t i = 0; i < head->threads; i++)
		if (fold->threads[i].checked.streams)
			return false;
	for (uint32_t i = 0; i < head->launches; i++)
		if (fold->launches[i].slot >= FOLD_SLOTS)
			return false;
	for (uint32_t i = 0; i < head->cells; i++)
		if (!take_cell(rest, &fold->cells[i]))
			return false;
	for (uint32_t i = 0; i < head->beats; i++)
		if (!take_beat(rest, &fold->beats[i]))
			return false;
	fold->beat_count = head->beats;
	fold->filtered = head->filtered;
	fold->filtered_timed = head->filtered_timed;
	fold->cell_count = head->cells;
	fold->launch_count = head->launches;
	fold->thread_count = head->threads;
	fold->stream_count = head->streams;
	return true;
}

static bool take_end(struct digest_end *to, struct rest *rest)
{
	const struct digest_end *end = take(rest, sizeof(*end));

	if (!end)
		return false;
	*to = *end;
	if (to->part.batch_count > rest->size / sizeof(*to->part.batches))
		return false;
	to->part.batches = take(rest, to->part.batch_count * sizeof(*to->part.batches));
	return to->part.batches != NULL;
}

enum digest_item digest_next(struct digest_reader *r, struct digest_found *found)
{
	struct rest rest;
	struct head head;

	if (!want(r, sizeof(head)))
		return DIGEST_NOTHING;
	memcpy(&head, r->buffer + r->at, sizeof(head));
	if (head.size > ITEM_MOST || !want(r, sizeof(head) + padded(head.size)))
		return DIGEST_NOTHING;
	rest = (struct rest){ r->buffer + r->at + sizeof(head), padded(head.size) };
	r->at += sizeof(head) + padded(head.size);
	*found = (struct digest_found){ .fold = r->fold, .end = &r->end };
	if (head.kind < DLT_EVENTS)
		return take_event(&head, &rest, found) ? DIGEST_EVENT : DIGEST_NOTHING;
	if (head.kind == HEAD_FOLD)
		return take_fold(r->fold, &rest) ? DIGEST_FOLD : DIGEST_NOTHING;
	if (head.kind == HEAD_END)
		return take_end(&r->end, &rest) ? DIGEST_END : DIGEST_NOTHING;
	return DIGEST_NOTHING;
}

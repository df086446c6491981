/* SPDX-License-Identifier: MIT */
/* A layout as its parsers fill it in, whatever language the metadata is written in. */
#include "analysis/reader/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ctf_type *ctf_metadata_add_type(struct ctf_metadata *m, enum ctf_kind kind)
{
	struct ctf_type *t = arena_alloc(&m->arena, sizeof(*t));

	t->kind = kind;
	t->align = 1;
	t->slot = -1;
	return t;
}

/* Arrays of blocks grow by doubling: at sizes that are powers of two. */
static void *new_item(struct ctf_metadata *m, void **array, size_t *count, size_t item)
{
	size_t capacity = *count;

	if ((*count & (*count - 1)) == 0) {
		char *grown = arena_alloc(&m->arena, (capacity ? 2 * capacity : 1) * item);

		if (capacity)
			memcpy(grown, *array, capacity * item);
		*array = grown;
	}
	return (char *)*array + item * (*count)++;
}

struct ctf_clock *ctf_metadata_add_clock(struct ctf_metadata *m)
{
	struct ctf_clock *c;

	if (m->clock_count == CTF_CLOCKS)
		return NULL;
	c = new_item(m, (void **)&m->clocks, &m->clock_count, sizeof(*c));
	*c = (struct ctf_clock){ .name = "", .uuid = "", .freq = 1000000000 };
	return c;
}

struct ctf_stream *ctf_metadata_add_stream(struct ctf_metadata *m)
{
	struct ctf_stream *s;

	if (m->stream_count == CTF_STREAMS)
		return NULL;
	s = new_item(m, (void **)&m->streams, &m->stream_count, sizeof(*s));
	memset(s, 0, sizeof(*s));
	return s;
}

struct ctf_event *ctf_metadata_add_event(struct ctf_metadata *m)
{
	struct ctf_event *e = arena_alloc(&m->arena, sizeof(*e)), **list;

	e->name = "";
	list = new_item(m, (void **)&m->events, &m->event_count, sizeof(*list));
	*list = e;
	return e;
}

bool ctf_metadata_slot(struct ctf_metadata *m, struct ctf_field *f, int *slot)
{
	if (f->slot < 0) {
		if (m->slot_count == CTF_SLOTS)
			return false;
		f->slot = m->slot_count++;
	}
	*slot = f->slot;
	return true;
}

struct ctf_stream *ctf_metadata_stream(const struct ctf_metadata *m, uint64_t id)
{
	for (size_t i = 0; i < m->stream_count; i++)
		if (m->streams[i].id == id)
			return &m->streams[i];
	return NULL;
}

struct ctf_clock *ctf_metadata_clock(const struct ctf_metadata *m, const char *name)
{
	for (size_t i = 0; i < m->clock_count; i++)
		if (strcmp(m->clocks[i].name, name) == 0)
			return &m->clocks[i];
	return NULL;
}

static void events_room(struct ctf_metadata *m, struct ctf_stream *s, uint64_t id)
{
	struct ctf_event **grown;
	size_t count = id + 1 + s->event_count / 2;

	if (id < s->event_count)
		return;
	grown = arena_alloc(&m->arena, count * sizeof(*grown));
	if (s->event_count)
		memcpy(grown, s->events, s->event_count * sizeof(*grown));
	s->events = grown;
	s->event_count = count;
}

bool ctf_metadata_attach(struct ctf_metadata *m, struct ctf_event *e, char *why, size_t size)
{
	struct ctf_stream *s = ctf_metadata_stream(m, e->stream_id);

	if (!s) {
		snprintf(why, size, "event '%.80s' is of a stream that is not declared", e->name);
	} else if (e->id >= CTF_EVENT_IDS) {
		snprintf(why, size, "event '%.80s' has an id above %d", e->name, CTF_EVENT_IDS);
	} else {
		events_room(m, s, e->id);
		if (!s->events[e->id]) {
			s->events[e->id] = e;
			return true;
		}
		snprintf(why, size, "event id %llu stands twice", (unsigned long long)e->id);
	}
	return false;
}

void ctf_metadata_free(struct ctf_metadata *m)
{
	if (!m)
		return;
	arena_release(&m->arena);
	free(m);
}

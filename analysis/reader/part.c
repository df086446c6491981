/* SPDX-License-Identifier: MIT */
/* One metadata file, with the plans for all its event classes. */
#include "analysis/reader/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"

static bool is_integer(const struct ctf_type *t, unsigned size, unsigned align)
{
	return (t->kind == CTF_INTEGER || t->kind == CTF_ENUM) && t->size == size &&
	       t->align == align && !t->is_signed && t->order == CTF_LITTLE;
}

/* struct { enum : uintID id; variant <id> { struct { uintTIME } ; struct { uint32; uint64 } } } */
static bool header_is(const struct ctf_type *t, unsigned id_size, unsigned time_size,
		      unsigned align, uint64_t escape)
{
	const struct ctf_type *id, *choice, *compact, *extended;

	if (t->field_count != 2 || t->align != 8)
		return false;
	id = t->fields[0].type;
	choice = t->fields[1].type;
	if (id->kind != CTF_ENUM || !is_integer(id, id_size, align) || id->label_count != 2 ||
	    (uint64_t)id->labels[0].high != escape - 1 || id->labels[0].low != 0 ||
	    (uint64_t)id->labels[1].low != escape || choice->kind != CTF_VARIANT ||
	    choice->slot != t->fields[0].slot || choice->field_count != 2 ||
	    strcmp(choice->fields[0].name, id->labels[0].name) != 0 ||
	    strcmp(choice->fields[1].name, id->labels[1].name) != 0)
		return false;
	compact = choice->fields[0].type;
	extended = choice->fields[1].type;
	return compact->kind == CTF_STRUCT && compact->field_count == 1 &&
	       is_integer(compact->fields[0].type, time_size, align) && compact->align == align &&
	       compact->fields[0].type->clock &&
	       extended->kind == CTF_STRUCT && extended->field_count == 2 && extended->align == 8 &&
	       is_integer(extended->fields[0].type, 32, 8) &&
	       strcmp(extended->fields[0].name, "id") == 0 &&
	       is_integer(extended->fields[1].type, 64, 8) && extended->fields[1].type->clock;
}

static enum header_kind header_kind(const struct ctf_type *t)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	if (little && t && header_is(t, 5, 27, 1, 31))
		return HEADER_COMPACT;
	if (little && t && header_is(t, 16, 32, 8, 65535))
		return HEADER_LARGE;
	return HEADER_OTHER;
}

static void make_plans(struct part *p, bool slow)
{
	struct ctf_metadata *m = p->metadata;

	p->classes = must(calloc(m->stream_count + 1, sizeof(*p->classes)));
	for (size_t i = 0; i < m->stream_count; i++) {
		struct ctf_stream *s = &m->streams[i];
		struct part_class *c = &p->classes[i];

		c->stream = s;
		c->header = slow ? HEADER_OTHER : header_kind(s->event_header);
		c->plans = must(calloc(s->event_count + 1, sizeof(*c->plans)));
		for (size_t id = 0; id < s->event_count; id++)
			if (s->events[id])
				c->plans[id] = plan_new(m, s, s->events[id], slow);
	}
}

/* The clock that event headers are mapped to; LTTng has one. */
static void find_clock(struct part *p)
{
	const struct ctf_metadata *m = p->metadata;
	const struct ctf_clock *c = m->clock_count ? &m->clocks[0] : NULL;
	__int128_t offset = 0;

	p->clock_freq = c ? c->freq : 1000000000;
	if (c)
		offset = (__int128_t)c->offset_s * 1000000000 +
			 (__int128_t)c->offset * 1000000000 / (__int128_t)c->freq;
	p->clock_offset = (int64_t)offset;
	p->clock_uuid = c ? c->uuid : "";
}

struct part *part_open(const char *folder, bool slow, int *ret, char *error, size_t size)
{
	struct part *p = must(calloc(1, sizeof(*p)));
	char path[4096];

	snprintf(path, sizeof(path), "%s/metadata", folder);
	p->folder = must(strdup(folder));
	*ret = ctf_metadata_read(path, &p->metadata, error, size);
	if (*ret < 0) {
		part_free(p);
		return NULL;
	}
	make_plans(p, slow);
	find_clock(p);
	return p;
}

void part_free(struct part *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->classes && i < p->metadata->stream_count; i++)
		free(p->classes[i].plans);
	free(p->classes);
	ctf_metadata_free(p->metadata);
	free(p->folder);
	free(p);
}

size_t part_count_ours(const struct part *p)
{
	size_t count = 0;

	for (size_t i = 0; i < p->metadata->stream_count; i++)
		for (size_t id = 0; id < p->classes[i].stream->event_count; id++)
			count += p->classes[i].plans[id] && p->classes[i].plans[id]->desc;
	return count;
}

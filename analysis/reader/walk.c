/* SPDX-License-Identifier: MIT */
/* Reading values of any CTF type. */
#include "analysis/reader/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"

#define STEPS_FREE 64

int bits_align(struct bits *b, unsigned align)
{
	uint64_t at = (b->at + align - 1) & ~(uint64_t)(align - 1);

	if (at > b->end)
		return -ENODATA;
	b->at = at;
	return 0;
}

/* Little-endian integers begin at a byte's lowest bit, big-endian ones at its highest. */
static uint64_t read_bits(const struct bits *b, unsigned size, enum ctf_order order)
{
	uint64_t value = 0, at = b->at;
	unsigned done = 0;

	while (done < size) {
		unsigned shift = at % 8, n = 8 - shift;
		uint8_t byte = b->base[at / 8];

		if (n > size - done)
			n = size - done;
		if (order == CTF_LITTLE)
			value |= (uint64_t)(byte >> shift & ((1U << n) - 1)) << done;
		else
			value = value << n | (byte >> (8 - shift - n) & ((1U << n) - 1));
		done += n;
		at += n;
	}
	return value;
}

int bits_integer(struct bits *b, const struct ctf_type *type, uint64_t *value)
{
	unsigned unused = 64 - type->size;
	int ret = bits_align(b, type->align);

	if (ret < 0 || b->end - b->at < type->size)
		return -ENODATA;
	*value = read_bits(b, type->size, type->order);
	if (type->is_signed)
		*value = (uint64_t)((int64_t)(*value << unused) >> unused);
	b->at += type->size;
	return 0;
}

static int walk_type(struct walk *w, const struct ctf_type *type, struct walk_value *v);

static int walk_string(struct walk *w, struct walk_value *v)
{
	const uint8_t *from, *nul;
	int ret = bits_align(&w->bits, 8);

	if (ret < 0)
		return ret;
	from = w->bits.base + w->bits.at / 8;
	nul = memchr(from, 0, (w->bits.end - w->bits.at) / 8);
	if (!nul)
		return -ENODATA;
	v->text = (const char *)from;
	w->bits.at += 8 * (uint64_t)(nul + 1 - from);
	return 0;
}

static int walk_field(struct walk *w, const struct ctf_field *field)
{
	struct walk_value v = { 0, NULL, NULL, 0 };
	int ret;

	/* Types made of types made of nothing would go on for ever. */
	if (++w->steps > STEPS_FREE + 2 * (w->bits.at - w->begin))
		return -EINVAL;
	ret = walk_type(w, field->type, &v);
	if (ret < 0)
		return ret;
	if (field->slot >= 0)
		w->slots[field->slot] = v.number;
	if (w->put)
		w->put(w->context, field, &v);
	return 0;
}

static int walk_struct(struct walk *w, const struct ctf_type *type)
{
	int ret = bits_align(&w->bits, type->align);

	for (size_t i = 0; ret == 0 && i < type->field_count; i++)
		ret = walk_field(w, &type->fields[i]);
	return ret;
}

static bool in_label(const struct ctf_type *tag, const struct ctf_label *l, uint64_t value)
{
	if (tag->is_signed)
		return (int64_t)value >= l->low && (int64_t)value <= l->high;
	return value >= (uint64_t)l->low && value <= (uint64_t)l->high;
}

static int walk_variant(struct walk *w, const struct ctf_type *type)
{
	uint64_t value = w->slots[type->slot];

	for (size_t i = 0; i < type->tag->label_count; i++) {
		const struct ctf_label *l = &type->tag->labels[i];

		if (!in_label(type->tag, l, value))
			continue;
		for (size_t j = 0; j < type->field_count; j++)
			if (strcmp(type->fields[j].name, l->name) == 0)
				return walk_field(w, &type->fields[j]);
		break;
	}
	return -EINVAL;
}

/* Integers are kept for `put`, if they can all be there. */
static int walk_integers(struct walk *w, const struct ctf_type *element, uint64_t count,
			 struct walk_value *v)
{
	int ret = 0;

	if (count > (w->bits.end - w->bits.at) / element->size)
		return -ENODATA;
	if (count > w->words_capacity) {
		free(w->words);
		w->words_capacity = count;
		w->words = must(malloc(count * sizeof(*w->words)));
	}
	for (uint64_t i = 0; ret == 0 && i < count; i++)
		ret = bits_integer(&w->bits, element, &w->words[i]);
	v->words = w->words;
	v->count = count;
	return ret;
}

static int walk_array(struct walk *w, const struct ctf_type *type, uint64_t count,
		      struct walk_value *v)
{
	struct walk_value element;
	uint64_t before;
	int ret = bits_align(&w->bits, type->align);

	if (ret < 0)
		return ret;
	if (type->element->kind == CTF_INTEGER)
		return walk_integers(w, type->element, count, v);
	for (uint64_t i = 0; i < count; i++) {
		before = w->bits.at;
		ret = walk_type(w, type->element, &element);
		if (ret < 0)
			return ret;
		if (w->bits.at == before)
			break;	/* nothing in it: all the others are the same */
	}
	return 0;
}

static int walk_type(struct walk *w, const struct ctf_type *type, struct walk_value *v)
{
	switch (type->kind) {
	case CTF_INTEGER:
	case CTF_ENUM:
	case CTF_FLOAT:
		return bits_integer(&w->bits, type, &v->number);
	case CTF_STRING:
		return walk_string(w, v);
	case CTF_STRUCT:
		return walk_struct(w, type);
	case CTF_VARIANT:
		return walk_variant(w, type);
	case CTF_ARRAY:
		return walk_array(w, type, type->length, v);
	case CTF_SEQUENCE:
		return walk_array(w, type, w->slots[type->slot], v);
	}
	return -EINVAL;
}

int walk(struct walk *w, const struct ctf_type *type)
{
	struct walk_value v = { 0, NULL, NULL, 0 };

	w->steps = 0;
	w->begin = w->bits.at;
	return walk_type(w, type, &v);
}

void walk_release(struct walk *w)
{
	free(w->words);
}

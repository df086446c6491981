/* SPDX-License-Identifier: MIT */
/*
 * Events with odd values, the same ones from the same seed: the extremes of each type, random
 * numbers, empty and long strings, empty and long sequences. Includes value.h's functions by need.
 */
#ifndef DLT_TESTS_ODD_H
#define DLT_TESTS_ODD_H

#include <string.h>

#include "analysis/reader/value.h"

#define ODD_STRING 3000
#define ODD_WORDS 300

struct odd {
	uint64_t random;	/* not 0 */
	unsigned longest;	/* string, at most ODD_STRING */
	unsigned words;		/* of a sequence, at most ODD_WORDS */
	char text[ODD_STRING + 1];
	uint64_t sequence[ODD_WORDS];
	_Alignas(8) char data[1024];	/* the event made last; points into this structure */
};

/* xorshift64 */
static uint64_t odd_draw(struct odd *o)
{
	o->random ^= o->random << 13;
	o->random ^= o->random >> 7;
	o->random ^= o->random << 17;
	return o->random;
}

static void odd_integer(struct odd *o, const struct dlt_field *field)
{
	unsigned bits = 8 * value_width(field->type);
	const uint64_t some[] = {
		0, UINT64_MAX, 1ULL << (bits - 1), (1ULL << (bits - 1)) - 1, odd_draw(o),
	};

	value_set(field, o->data, some[odd_draw(o) % 5]);
}

static void odd_string(struct odd *o, const struct dlt_field *field)
{
	static const char *const some[] = {
		"", "x", "\x1f\x01 \"\\\n", "gr\xc3\xbc\xc3\x9f", "\xff\xfe",
	};
	unsigned choice = (unsigned)(odd_draw(o) % 7);

	memset(o->text, 'a', o->longest);
	if (choice < 5)
		value_set_string(field, o->data, some[choice]);
	else	/* the tail of one text, so that several fields may share it */
		value_set_string(field, o->data, o->text + odd_draw(o) % o->longest);
}

static void odd_sequence(struct odd *o, const struct dlt_field *field)
{
	const uint32_t counts[] = { 0, 1, 2, o->words / 2, o->words };

	for (size_t i = 0; i < o->words; i++)
		o->sequence[i] = odd_draw(o) >> odd_draw(o) % 64;
	value_set_sequence(field, o->data, o->sequence, counts[odd_draw(o) % 5]);
}

/* Makes o->data. */
static void odd_event(struct odd *o, enum dlt_event type)
{
	const struct dlt_event_desc *desc = &dlt_event_descs[type];

	if (desc->size > sizeof(o->data))
		__builtin_trap();
	value_clear(desc, o->data);
	for (size_t i = 0; i < desc->field_count; i++) {
		const struct dlt_field *field = &desc->fields[i];

		if (field->type == DLT_STR)
			odd_string(o, field);
		else if (field->type == DLT_SEQ64)
			odd_sequence(o, field);
		else
			odd_integer(o, field);
	}
}

#endif

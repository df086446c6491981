/* SPDX-License-Identifier: MIT */
/* Fields of dlt_ev_ structures by their description. */
#include "analysis/reader/value.h"

#include <string.h>

static const struct {
	unsigned char width;
	bool is_signed;
} types[] = {
	[DLT_U8] = { 1, false }, [DLT_U16] = { 2, false }, [DLT_U32] = { 4, false },
	[DLT_U64] = { 8, false }, [DLT_X64] = { 8, false }, [DLT_I16] = { 2, true },
	[DLT_I32] = { 4, true }, [DLT_I64] = { 8, true }, [DLT_STR] = { 0, false },
	[DLT_SEQ64] = { 0, false },
};

enum dlt_event value_event(const char *name)
{
	enum dlt_event e;

	for (e = 0; e < DLT_EVENTS; e++)
		if (strcmp(dlt_event_descs[e].name, name) == 0)
			break;
	return e;
}

const struct dlt_field *value_field(const struct dlt_event_desc *desc, const char *name)
{
	for (size_t i = 0; i < desc->field_count; i++)
		if (strcmp(desc->fields[i].name, name) == 0)
			return &desc->fields[i];
	return NULL;
}

size_t value_largest(void)
{
	size_t largest = 0;

	for (int e = 0; e < DLT_EVENTS; e++)
		if (dlt_event_descs[e].size > largest)
			largest = dlt_event_descs[e].size;
	return largest;
}

unsigned value_width(enum dlt_field_type type)
{
	return types[type].width;
}

bool value_signed(enum dlt_field_type type)
{
	return types[type].is_signed;
}

void value_clear(const struct dlt_event_desc *desc, void *data)
{
	memset(data, 0, desc->size);
	for (size_t i = 0; i < desc->field_count; i++)
		if (desc->fields[i].type == DLT_STR)
			value_set_string(&desc->fields[i], data, "");
}

/* The structures are those of this machine: a narrow integer is the low end of a wide one. */
static uint64_t cut(enum dlt_field_type type, uint64_t value)
{
	unsigned shift = 64 - 8 * types[type].width;

	if (types[type].is_signed)
		return (uint64_t)((int64_t)(value << shift) >> shift);
	return value << shift >> shift;
}

uint64_t value_get(const struct dlt_field *field, const void *data)
{
	uint64_t value = 0;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((char *)&value + 8 - types[field->type].width, (const char *)data + field->offset,
	       types[field->type].width);
#else
	memcpy(&value, (const char *)data + field->offset, types[field->type].width);
#endif
	return cut(field->type, value);
}

void value_set(const struct dlt_field *field, void *data, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((char *)data + field->offset, (char *)&value + 8 - types[field->type].width,
	       types[field->type].width);
#else
	memcpy((char *)data + field->offset, &value, types[field->type].width);
#endif
}

bool value_fits(const struct dlt_field *field, uint64_t value)
{
	return cut(field->type, value) == value;
}

const char *value_get_string(const struct dlt_field *field, const void *data)
{
	const char *text;

	memcpy(&text, (const char *)data + field->offset, sizeof(text));
	return text ? text : "";
}

void value_set_string(const struct dlt_field *field, void *data, const char *text)
{
	memcpy((char *)data + field->offset, &text, sizeof(text));
}

const uint64_t *value_get_sequence(const struct dlt_field *field, const void *data,
				   uint32_t *count)
{
	const uint64_t *words;

	memcpy(&words, (const char *)data + field->offset, sizeof(words));
	memcpy(count, (const char *)data + field->count_offset, sizeof(*count));
	return words;
}

void value_set_sequence(const struct dlt_field *field, void *data, const uint64_t *words,
			uint32_t count)
{
	memcpy((char *)data + field->offset, &words, sizeof(words));
	memcpy((char *)data + field->count_offset, &count, sizeof(count));
}

/* SPDX-License-Identifier: MIT */
/* Protocol buffers: tags, varints, lengths. */
#include "analysis/export/protobuf.h"

#include <string.h>

#include "analysis/model/memory.h"

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2 };

#define VARINT_MAX 10

static unsigned char *room(struct pb *p, size_t bytes)
{
	if (p->size + bytes > p->capacity) {
		p->capacity = 2 * (p->size + bytes);
		p->data = xcheck(realloc(p->data, p->capacity), p->capacity);
	}
	return p->data + p->size;
}

static size_t varint(unsigned char *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (unsigned char)(value | 0x80);
	to[n++] = (unsigned char)value;
	return n;
}

static void put_varint(struct pb *p, uint64_t value)
{
	p->size += varint(room(p, VARINT_MAX), value);
}

static void put_bytes(struct pb *p, const void *bytes, size_t count)
{
	memcpy(room(p, count), bytes, count);
	p->size += count;
}

static void tag(struct pb *p, unsigned field, enum wire type)
{
	put_varint(p, (uint64_t)field << 3 | type);
}

void pb_release(struct pb *p)
{
	free(p->data);
	*p = (struct pb){ 0 };
}

void pb_uint(struct pb *p, unsigned field, uint64_t value)
{
	tag(p, field, WIRE_VARINT);
	put_varint(p, value);
}

void pb_fixed64(struct pb *p, unsigned field, uint64_t value)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	tag(p, field, WIRE_64);
	put_bytes(p, bytes, sizeof(bytes));
}

void pb_double(struct pb *p, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pb_fixed64(p, field, bits);
}

void pb_string(struct pb *p, unsigned field, const char *text)
{
	size_t length = strlen(text);

	tag(p, field, WIRE_LENGTH);
	put_varint(p, length);
	put_bytes(p, text, length);
}

/* One byte is left for the length; contents of more than 127 bytes move a little when it is known. */
void pb_open(struct pb *p, unsigned field)
{
	tag(p, field, WIRE_LENGTH);
	room(p, 1);
	p->size++;
	p->open[p->depth++ % PB_DEPTH] = p->size;
}

void pb_close(struct pb *p)
{
	size_t at = p->open[--p->depth % PB_DEPTH], length = p->size - at, n;
	unsigned char bytes[VARINT_MAX];

	n = varint(bytes, length);
	room(p, n);
	memmove(p->data + at + n - 1, p->data + at, length);
	memcpy(p->data + at - 1, bytes, n);
	p->size += n - 1;
}

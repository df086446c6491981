/* SPDX-License-Identifier: MIT */
/* What a code object of Python's says: its file, its name, its lines. */
#include "python.h"

#include <string.h>

#include "python_layout.h"

#define MOST_LINES (1 << 26)	/* bytes of a line table; a larger one is none */

/* ---- text ---------------------------------------------------------------------------------- */

#define REPLACEMENT 0xfffd

/* A character's bytes as UTF-8; returns how many. */
static unsigned encode(unsigned char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (unsigned char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (unsigned char)(0xc0 | c >> 6);
		to[1] = (unsigned char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (unsigned char)(0xe0 | c >> 12);
		to[1] = (unsigned char)(0x80 | (c >> 6 & 63));
		to[2] = (unsigned char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (unsigned char)(0xf0 | c >> 18);
	to[1] = (unsigned char)(0x80 | (c >> 12 & 63));
	to[2] = (unsigned char)(0x80 | (c >> 6 & 63));
	to[3] = (unsigned char)(0x80 | (c & 63));
	return 4;
}

static uint32_t character(const void *data, unsigned kind, size_t i)
{
	uint32_t c;
	uint16_t two;

	if (kind == 1)
		return byte(data, i);
	if (kind == 2) {
		memcpy(&two, (const char *)data + i * 2, sizeof(two));
		c = two;
	} else {
		memcpy(&c, (const char *)data + i * 4, sizeof(c));
	}
	return (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? REPLACEMENT : c;
}

/*
 * Bits of PyASCIIObject.state: interned 2, kind 3, compact 1, ascii 1. Without the GIL from 3.14 on `interned` is a
 * byte, so that it can be set by itself.
 */
static inline unsigned state_of(const void *string)
{
	return (unsigned)integer(body(string), STRING_STATE) >> dlt_python.at.string_kind;
}

static inline unsigned kind_of(unsigned state)
{
	return state & 7;
}

/* Where the characters are; NULL: not yet anywhere (up to 3.11 a string could be made without). */
static const void *characters(const void *string, unsigned state)
{
	bool compact = state >> 3 & 1, ascii = state >> 4 & 1;
	unsigned kind = kind_of(state);
	const void *data;

	if (kind != 1 && kind != 2 && kind != 4)
		return NULL;
	if (compact)
		/* PyUnicodeObject is PyCompactUnicodeObject and a pointer more. */
		return (const char *)string + (ascii ? dlt_python.at.string_ascii : dlt_python.at.string_size - 8);
	data = pointer(string, dlt_python.at.string_size - 8u);
	return (uintptr_t)data >= 4096 ? data : NULL;
}

static void copy_string(char *to, size_t size, const void *string)
{
	const void *data = NULL;
	size_t length = 0, used = 0;
	unsigned state = 0;

	if (!size)
		return;
	if (has_type(string, dlt_python.string_type)) {
		state = state_of(string);
		data = characters(string, state);
		length = data ? word(body(string), STRING_LENGTH) : 0;
	}
	for (size_t i = 0; i < length && i < size; i++) {
		unsigned char c[4];
		unsigned n = encode(c, character(data, kind_of(state), i));

		if (used + n >= size)
			break;
		memcpy(to + used, c, n);
		used += n;
	}
	to[used] = 0;
}

bool dlt_python_code(const void *code, struct dlt_python_code *c)
{
	if (!is_ready() || !is_code(code))
		return false;
	copy_string(c->file, c->file_size, pointer(code, dlt_python.at.code_file));
	copy_string(c->name, c->name_size, pointer(code, dlt_python.at.code_name));
	c->first_line = integer(code, dlt_python.at.code_line);
	return true;
}

/* Fewer than 8 bytes, in one word. */
static inline uint64_t few(const unsigned char *at, size_t size)
{
	uint32_t first, last;

	if (size < 4)
		return size ? (uint64_t)at[0] << 16 | (uint64_t)at[size / 2] << 8 | at[size - 1] : 0;
	memcpy(&first, at, sizeof(first));
	memcpy(&last, at + size - 4, sizeof(last));
	return (uint64_t)first << 32 | last;
}

/* Sums of products by these do not wait for each other: a mark is made of each frame of each stack. Odd, by chance. */
#define BY_ADDRESS 0x9e3779b97f4a7c15u
#define BY_SIZE 0xbf58476d1ce4e5b9u
#define BY_LAST 0x94d049bb133111ebu
#define BY_FORMER 0xd6e8feb86659fd93u
#define BY_LINE 0xa0761d6478bd642fu
#define BY_NAME 0xe7037ed1a0b428dbu

/*
 * Of a string its address, its length and its last 16 bytes, where names differ that a program counts up: a string
 * that was made for one piece of code goes with it, and that of the next one lies in its place.
 */
static inline uint64_t text_mark(const void *string)
{
	uint64_t mark = (uintptr_t)string * BY_ADDRESS;
	const unsigned char *at = NULL;
	unsigned state = 0;
	size_t size;

	if (has_type(string, dlt_python.string_type)) {
		state = state_of(string);
		at = characters(string, state);
	}
	if (!at)
		return mark;
	size = word(body(string), STRING_LENGTH) * kind_of(state);
	mark += size * BY_SIZE;
	if (size < 8)
		return mark + few(at, size) * BY_LAST;
	return mark + word(at, size - 8) * BY_LAST + word(at, size < 16 ? 0 : size - 16) * BY_FORMER;
}

/*
 * Of the table of lines its address, its size and its begin, where the lines before the first statement are: a
 * module's code, behind more or fewer empty ones, has all else in common. The end would be one more cache line.
 */
static inline uint64_t lines_mark(const void *lines)
{
	const unsigned char *at = (const unsigned char *)body(lines) + BYTES_DATA;
	uint64_t mark = (uintptr_t)lines * BY_LAST;
	size_t size;

	if (!plausible(lines))
		return mark;
	size = word(body(lines), OBJECT_SIZE);
	mark += size * BY_FORMER;
	return size < 8 ? mark : mark + word(at, 0) * BY_SIZE;
}

uint64_t dlt_python_code_mark(const void *code)
{
	uint64_t mark;

	if (!is_ready() || !is_code(code))
		return 0;
	mark = text_mark(pointer(code, dlt_python.at.code_file));
	mark += text_mark(pointer(code, dlt_python.at.code_name)) * BY_NAME;
	mark += (uint64_t)integer(code, dlt_python.at.code_line) * BY_LINE;
	mark ^= lines_mark(pointer(code, dlt_python.at.code_lines));
	mark ^= mark >> 32;
	return mark ? mark : 1;
}

/* ---- lines --------------------------------------------------------------------------------- */

struct bytes {
	const unsigned char *at, *end;
};

/* The table of lines, if it is an object of the same type as another one that is bytes. */
static bool open_lines(struct bytes *b, const void *code)
{
	const void *object = pointer(code, dlt_python.at.code_lines), *other = pointer(code, dlt_python.at.code_bytes);
	uintptr_t size;

	if (!plausible(other) || !has_type(object, word(body(other), OBJECT_TYPE)))
		return false;
	size = word(body(object), OBJECT_SIZE);
	b->at = (const unsigned char *)body(object) + BYTES_DATA;
	b->end = b->at + size;
	return size <= MOST_LINES;
}

/* Pairs: so many bytes further, so many lines. PyCode_Addr2Line of 3.6 to 3.9. */
static int line_lnotab(struct bytes b, int line, int32_t instruction)
{
	int64_t address = 0;

	for (; b.end - b.at >= 2; b.at += 2) {
		address += b.at[0];
		if (address > instruction)
			break;
		line += (signed char)b.at[1];
	}
	return line;
}

/* Pairs: so many bytes long, so many lines further; -128: no line. PyLineTable_NextAddressRange of 3.10. */
static int line_linetable(struct bytes b, int line, int32_t instruction)
{
	int64_t end = 0;

	for (; b.end - b.at >= 2; b.at += 2) {
		signed char more = (signed char)b.at[1];

		end += b.at[0];
		if (more != -128)
			line += more;
		if (end > instruction)
			return more == -128 ? -1 : line;
	}
	return -1;
}

/* Six bits a byte, the lowest first; the seventh: another one follows. scan_signed_varint of codeobject.c. */
static int signed_varint(const unsigned char *at, const unsigned char *end)
{
	uint32_t value = 0;

	for (unsigned shift = 0; at < end && shift < 32; shift += 6) {
		value |= (uint32_t)(*at & 63) << shift;
		if (!(*at++ & 64))
			break;
	}
	return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

/* Codes of PyCodeLocationInfoKind, Include/internal/pycore_code.h. */
enum { ONE_LINE1 = 11, ONE_LINE2 = 12, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };

/*
 * Entries of a first byte with its highest bit set, then the code and how many units it is for, and more bytes
 * by the code. advance() of codeobject.c.
 */
static int line_locations(struct bytes b, int line, int32_t instruction)
{
	int64_t end = 0, now = line;

	while (b.at < b.end) {
		unsigned kind = *b.at >> 3 & 15;

		end += ((*b.at & 7) + 1) * 2;
		if (kind == ONE_LINE1 || kind == ONE_LINE2)
			now += kind == ONE_LINE1 ? 1 : 2;
		else if (kind == NO_COLUMNS || kind == LONG)
			now += signed_varint(b.at + 1, b.end);
		if (end > instruction)
			return kind == NO_LOCATION || now != (int)now ? -1 : (int)now;
		do
			b.at++;
		while (b.at < b.end && !(*b.at & 128));
	}
	return -1;
}

int dlt_python_line(const void *code, int32_t instruction)
{
	struct bytes b;
	int first;

	if (!is_ready() || !is_code(code) || !open_lines(&b, code))
		return -1;
	first = integer(code, dlt_python.at.code_line);
	if (instruction < 0)
		return first;
	if (dlt_python.at.lines == LNOTAB)
		return line_lnotab(b, first, instruction);
	if (dlt_python.at.lines == LINETABLE)
		return line_linetable(b, first, instruction);
	return line_locations(b, first, instruction);
}

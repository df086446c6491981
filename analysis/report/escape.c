/* SPDX-License-Identifier: MIT */
/* Text from traces made harmless, and its width on a terminal. */
#include "analysis/report/escape.h"

#include <ctype.h>
#include <string.h>
#include <wchar.h>

#include "analysis/report/memory.h"

/* Needs at most 2 marks for any living script's letter; more is decoration (or an attack). */
#define MARKS_MAX 2

size_t utf8_next(const char *s, uint32_t *c)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t length;

	if (p[0] < 0x80) {
		*c = p[0];
		return p[0] != 0;
	}
	length = p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
		 p[0] >= 0xc0 && p[0] < 0xe0 ? 2 : 0;
	if (!length)
		return 0;
	*c = p[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < smallest[length] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return length;
}

char *text_valid(const char *s)
{
	char *text = NULL;
	size_t size, n;
	FILE *f = text_open(&text, &size);
	uint32_t c;

	for (; *s; s += n ? n : 1) {
		n = utf8_next(s, &c);
		if (n)
			fwrite(s, 1, n, f);
		else
			fputs("\xef\xbf\xbd", f);
	}
	return text_close(f, &text);
}

/* Characters that a terminal or a reader's eye can be fooled with, though they are printable. */
static bool is_invisible(uint32_t c)
{
	return c == 0xad || c == 0x34f || c == 0x61c || c == 0x115f || c == 0x1160 ||
	       (c >= 0x17b4 && c <= 0x17b5) || (c >= 0x180b && c <= 0x180f) ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || (c >= 0xe000 && c <= 0xf8ff) ||
	       (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) ||
	       c >= 0xe0000;
}

/* Of a valid character; -1: not to be shown. */
static int columns_of(uint32_t c)
{
	if (c < 0x7f)
		return c >= 0x20 ? 1 : -1;
	if (c < 0xa0 || is_invisible(c))
		return -1;
	return wcwidth((wchar_t)c);
}

#define MICRO 0xb5	/* of "µs", which ASCII has as "us" */

static char *clean(const char *s, bool unicode, bool lines)
{
	char *text = NULL;
	size_t size, n;
	FILE *f = text_open(&text, &size);
	uint32_t c;
	int marks = MARKS_MAX;	/* no mark may stand at the beginning */

	for (; *s; s += n ? n : 1) {
		int columns;

		n = utf8_next(s, &c);
		columns = n ? columns_of(c) : -1;
		if (columns > 0 && (unicode || c < 0x80)) {
			fwrite(s, 1, n, f);
			marks = 0;
		} else if (columns == 0 && unicode && marks < MARKS_MAX) {
			fwrite(s, 1, n, f);
			marks++;
		} else if (n && (c == '\n' || c == '\t')) {
			fputs(lines ? c == '\n' ? "\n" : "\t" : c == '\n' ? "\\n" : "\\t", f);
		} else if (c == MICRO) {
			fputc('u', f);
		} else if (!n || c < 0x80) {
			fprintf(f, "\\x%02x", (unsigned char)*s);
		} else {
			fprintf(f, "\\u{%x}", c);
		}
	}
	return text_close(f, &text);
}

char *text_clean(const char *s, bool unicode)
{
	return clean(s, unicode, false);
}

char *text_clean_lines(const char *s, bool unicode)
{
	return clean(s, unicode, true);
}

/* Walks cleaned text until `columns` are full. */
static size_t walk(const char *s, int columns, int *used)
{
	const char *p = s;
	uint32_t c;
	size_t n;

	for (*used = 0; (n = utf8_next(p, &c)); p += n) {
		int w = columns_of(c);

		w = w < 0 ? 1 : w;
		if (*used + w > columns)
			break;
		*used += w;
	}
	return (size_t)(p - s);
}

int text_width(const char *s)
{
	int used;

	walk(s, INT32_MAX / 2, &used);
	return used;
}

size_t text_fit(const char *s, int columns)
{
	int used;

	return walk(s, columns, &used);
}

#define UNIT 4		/* bytes of the longest: GB/s */

bool text_may_break(const char *text, const char *space)
{
	size_t n = strcspn(space + 1, " .,;:)");

	return space == text || !isdigit((unsigned char)space[-1]) || !n || n > UNIT ||
	       strcspn(space + 1, "0123456789") < n;
}

/* Bytes until the next place where a line may end: a number's unit stands with it. */
static size_t until_break(const char *clean)
{
	size_t n = strcspn(clean, " ");

	while (clean[n] && !text_may_break(clean, clean + n))
		n += 1 + strcspn(clean + n + 1, " ");
	return n;
}

size_t text_line(const char *clean, int columns)
{
	size_t most = text_fit(clean, columns), used = 0, next = until_break(clean);
	uint32_t c;

	if (next > most)
		return most ? most : utf8_next(clean, &c);
	while (next <= most && next > used) {
		used = next;
		next += strspn(clean + next, " ");
		next += until_break(clean + next);
	}
	return used;
}

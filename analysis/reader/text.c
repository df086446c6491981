/* SPDX-License-Identifier: MIT */
/*
 * The text source: events one a line, as tests/report/README tells, for tests written by hand.
 *
 * The file is read as a whole, its lines are sorted by time (equal times keep their order) and
 * parsed one by one. Unlike other sources it forgives nothing: a test with a misspelt field must
 * not pass.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/content.h"
#include "analysis/reader/cuts.h"
#include "analysis/reader/must.h"
#include "analysis/reader/source.h"
#include "analysis/reader/value.h"
#include "functions.h"

#define MARK "dltrace-text 1"
#define NO_TRACE "not a trace: neither a folder nor a text that begins with '" MARK "'"

struct text_line {
	uint64_t time;		/* CLOCK_MONOTONIC of the traced machine */
	char *rest;		/* borrowed from `content`: behind the time */
	unsigned number;	/* from 1 */
};

struct text {
	char *content;		/* owned; NUL-terminated; headers are cut up in place */
	char *copy;		/* owned: of the present event's line, which is */
	size_t copy_room;
	struct text_line *lines;	/* owned */
	size_t count, capacity, next, last;	/* next: of those before `last` */
	void *data;		/* owned: the event given last */
	uint64_t *words;	/* owned: its sequences */
	size_t words_used, words_capacity;
	unsigned line;		/* being parsed, for messages */
	char error[256];
};

static int complain(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int complain(struct text *t, const char *format, ...)
{
	va_list ap;
	int n = 0;

	if (t->line)
		n = snprintf(t->error, sizeof(t->error), "line %u: ", t->line);
	va_start(ap, format);
	vsnprintf(t->error + n, sizeof(t->error) - (size_t)n, format, ap);
	va_end(ap);
	return -EINVAL;
}

static const struct {
	const char *suffix;
	uint64_t factor;
} units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
};

/* A number, with a unit (12ms, 1.5s, 64K) or none; *end behind it. A negative one sign-extended. */
static int parse_number(struct text *t, const char *s, char **end, uint64_t *value)
{
	uint64_t fraction = 0, scale = 1;
	bool negative = *s == '-';

	if (!isdigit((unsigned char)s[negative]))
		return complain(t, "'%.20s' is not a number", s);
	errno = 0;
	*value = strtoull(s + negative, end, strncmp(s + negative, "0x", 2) == 0 ? 16 : 10);
	if (errno)
		return complain(t, "'%.20s' does not fit into 64 bits", s);
	if (**end == '.') {
		for ((*end)++; isdigit((unsigned char)**end); (*end)++, scale *= 10) {
			if (scale > 100000000)
				return complain(t, "'%.20s' has more than 9 decimals", s);
			fraction = fraction * 10 + (uint64_t)(**end - '0');
		}
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].suffix);

		if (strncmp(*end, units[i].suffix, n) == 0 && !isalnum((unsigned char)(*end)[n])) {
			*value = *value * units[i].factor + fraction * units[i].factor / scale;
			*end += n;
			break;
		}
	}
	if (negative)
		*value = 0 - *value;
	return 0;
}

/* A quoted string, unescaped in place; *end behind the closing quote. */
static int parse_string(struct text *t, char *s, char **end, char **value)
{
	char *to = ++s;
	unsigned byte;

	*value = s;
	for (; *s && *s != '"'; s++) {
		if (*s != '\\') {
			*to++ = *s;
		} else if (*++s == 'n') {
			*to++ = '\n';
		} else if (*s == 't') {
			*to++ = '\t';
		} else if (*s == 'x' && isxdigit((unsigned char)s[1]) &&
			   sscanf(s + 1, "%2x", &byte) == 1) {
			*to++ = (char)byte;
			s += isxdigit((unsigned char)s[2]) ? 2 : 1;
		} else if (*s == '"' || *s == '\\') {
			*to++ = *s;
		} else {
			return complain(t, "unknown escape '\\%.1s'; known: \\\" \\\\ \\n "
					"\\t \\xHH", s);
		}
	}
	if (*s != '"')
		return complain(t, "a string has no closing quote");
	*end = s + 1;
	*to = '\0';
	return 0;
}

/* [1 2 3]; the caller made room for as many words as the line has characters. */
static int parse_sequence(struct text *t, const struct dlt_field *field, char *s, char **end)
{
	uint64_t *first = t->words + t->words_used;
	uint32_t count = 0;
	int ret;

	for (s++; *s == ' '; s++)
		;
	while (*s && *s != ']') {
		ret = parse_number(t, s, &s, &first[count++]);
		if (ret < 0)
			return ret;
		if (*s && *s != ' ' && *s != ']')
			return complain(t, "%s: numbers of a sequence are separated by blanks",
					field->name);
		while (*s == ' ')
			s++;
	}
	if (*s != ']')
		return complain(t, "%s: a sequence has no closing bracket", field->name);
	*end = s + 1;
	t->words_used += count;
	value_set_sequence(field, t->data, first, count);
	return 0;
}

/* function=cudaMalloc: by name, so that tests do not depend on the order of functions.tbl. */
static int parse_function(struct text *t, char *s, char **end, uint64_t *value)
{
	size_t length = strcspn(s, " ");

	for (unsigned i = 1; i < DLT_FNS; i++) {
		const char *name = dlt_functions[i].name;

		if (name && strlen(name) == length && strncmp(name, s, length) == 0) {
			*end = s + length;
			*value = i;
			return 0;
		}
	}
	return complain(t, "functions.tbl has no function '%.*s'", (int)length, s);
}

static int parse_value(struct text *t, const struct dlt_field *field, char *s, char **end)
{
	uint64_t value;
	char *text;
	int ret;

	if (field->type == DLT_STR) {
		if (*s != '"')
			return complain(t, "%s wants a string in double quotes", field->name);
		ret = parse_string(t, s, end, &text);
		if (ret == 0)
			value_set_string(field, t->data, text);
		return ret;
	}
	if (field->type == DLT_SEQ64) {
		if (*s != '[')
			return complain(t, "%s wants a sequence in brackets", field->name);
		return parse_sequence(t, field, s, end);
	}
	if (strcmp(field->name, "function") == 0 && (isalpha((unsigned char)*s) || *s == '_'))
		ret = parse_function(t, s, end, &value);
	else
		ret = parse_number(t, s, end, &value);
	if (ret < 0)
		return ret;
	if (!value_fits(field, value))
		return complain(t, "%s: the number does not fit the field", field->name);
	value_set(field, t->data, value);
	return 0;
}

static int parse_fields(struct text *t, const struct dlt_event_desc *desc, char *s)
{
	const struct dlt_field *field;
	char *equals;
	int ret;

	for (;;) {
		while (*s == ' ')
			s++;
		if (!*s || *s == '#')
			return 0;
		equals = strchr(s, '=');
		if (!equals)
			return complain(t, "expected FIELD=VALUE at '%.40s'", s);
		*equals = '\0';
		field = value_field(desc, s);
		if (!field)
			return complain(t, "%s has no field '%.40s'", desc->name, s);
		ret = parse_value(t, field, equals + 1, &s);
		if (ret < 0)
			return ret;
		if (*s && *s != ' ')
			return complain(t, "%s: blank expected at '%.20s'", field->name, s);
	}
}

/* Room for all sequences of a line: a word takes at least two characters. */
static void make_room(struct text *t, size_t length)
{
	t->words_used = 0;
	if (length <= t->words_capacity)
		return;
	free(t->words);
	t->words_capacity = length;
	t->words = must(malloc(length * sizeof(*t->words)));
}

/* 1: an event; 0: somebody else's. */
static int parse_event(struct text *t, char *s, struct reader_event *event)
{
	size_t length = strcspn(s, " ");
	char *fields = s + length + (s[length] != '\0');
	int ret;

	make_room(t, strlen(s));
	s[length] = '\0';
	event->type = value_event(s);
	if (event->type == DLT_EVENTS) {
		if (strncmp(s, "dltrace", 7) == 0)
			return complain(t, "events.tbl has no event '%.60s'", s);
		return 0;
	}
	value_clear(&dlt_event_descs[event->type], t->data);
	ret = parse_fields(t, &dlt_event_descs[event->type], fields);
	event->data = t->data;
	return ret < 0 ? ret : 1;
}

static char *copy_line(struct text *t, const char *line)
{
	size_t size = strlen(line) + 1;

	if (size > t->copy_room) {
		t->copy = must(realloc(t->copy, size));
		t->copy_room = size;
	}
	return memcpy(t->copy, line, size);
}

static int text_next(struct reader *r, struct reader_event *event)
{
	struct text *t = r->state;
	int ret;

	while (t->next < t->last) {
		t->line = t->lines[t->next].number;
		event->time = t->lines[t->next].time + (uint64_t)r->info.clock_offset;
		ret = parse_event(t, copy_line(t, t->lines[t->next].rest), event);
		if (ret < 0) {
			source_problem(r, PROBLEM_CORRUPT, 0, "%s: %s", r->info.path, t->error);
			t->next = t->last;
			return ret;
		}
		t->next++;
		if (ret)
			return 1;
		r->info.foreign++;
	}
	return 0;
}

/* `problem KIND VALUE "text" [COUNT]`, as text_writer gives it. */
static int header_problem(struct reader *r, struct text *t, char *s)
{
	size_t length = strcspn(s, " ");
	enum reader_problem_kind kind = source_problem_kind(s, length);
	uint64_t value, count = 1;
	char *text;

	if (kind == PROBLEM_KINDS)
		return complain(t, "unknown kind of problem '%.*s'", (int)length, s);
	s += length + (s[length] == ' ');
	if (parse_number(t, s, &s, &value) < 0)
		return -EINVAL;
	if (strncmp(s, " \"", 2) != 0 || parse_string(t, s + 1, &s, &text) < 0)
		return complain(t, "expected: problem KIND VALUE \"text\"");
	if (*s && parse_number(t, s + 1, &s, &count) < 0)
		return -EINVAL;
	source_problem_told(r, kind, value, count, text);
	return 0;
}

/* Unquotes if there are quotes. */
static int header_text(struct text *t, char *s, char **value)
{
	char *end;

	*value = s;
	return *s == '"' ? parse_string(t, s, &end, value) : 0;
}

/* One `key value` line. */
static int parse_header(struct reader *r, struct text *t, char *s)
{
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {
		{ "clock_offset", (uint64_t *)&r->info.clock_offset },
		{ "boxed", &r->info.boxed },
		{ "foreign", &r->info.foreign },
		{ "discarded", &r->info.discarded },
		{ "discarded_packets", &r->info.discarded_packets },
	};
	size_t length = strcspn(s, " ");
	char *value = s + length + (s[length] != '\0'), *end, *key;

	s[length] = '\0';
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (strcmp(s, numbers[i].key) == 0)
			return parse_number(t, value, &end, numbers[i].number);
	if (strcmp(s, "problem") == 0)
		return header_problem(r, t, value);
	if (strcmp(s, "host") == 0) {
		if (header_text(t, value, &value) < 0)
			return -EINVAL;
		snprintf(r->info.host, sizeof(r->info.host), "%s", value);
		return 0;
	}
	if (strcmp(s, "recording") == 0) {
		key = value;
		value = key + strcspn(key, " ");
		if (*value)
			*value++ = '\0';
		if (header_text(t, value, &value) < 0)
			return -EINVAL;
		source_recording_line(r, key, value);
		return 0;
	}
	return complain(t, "unknown header '%.40s'", s);
}

static int add_line(struct text *t, char *s)
{
	struct text_line *line;
	char *end;

	if (t->count == t->capacity) {
		t->capacity = t->capacity ? 2 * t->capacity : 256;
		t->lines = must(realloc(t->lines, t->capacity * sizeof(*t->lines)));
	}
	line = &t->lines[t->count];
	if (parse_number(t, s + 1, &end, &line->time) < 0)
		return -EINVAL;
	if (strncmp(end, "] ", 2) != 0)
		return complain(t, "expected '[TIME] provider:event'");
	line->rest = end + 2 + strspn(end + 2, " ");
	line->number = t->line;
	t->count++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct text_line *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int read_lines(struct reader *r, struct text *t)
{
	bool first = true;
	char *s, *next;
	int ret = 0;

	for (s = t->content; ret == 0 && s && *s; s = next) {
		next = strchr(s, '\n');
		if (next)
			*next++ = '\0';
		t->line++;
		s += strspn(s, " \t");
		if (!*s || *s == '#')
			continue;
		if (first && strcmp(s, MARK) != 0)
			return complain(t, NO_TRACE);
		if (!first)
			ret = *s == '[' ? add_line(t, s) : parse_header(r, t, s);
		first = false;
	}
	if (ret == 0 && first)
		return complain(t, r->info.bytes && !*t->content ? NO_TRACE : "the file is empty");
	if (t->count)
		qsort(t->lines, t->count, sizeof(*t->lines), by_time);
	return ret;
}

static void text_close(struct reader *r)
{
	struct text *t = r->state;

	free(t->content);
	free(t->copy);
	free(t->lines);
	free(t->data);
	free(t->words);
	free(t);
}

/* The first line at `time` (ns since 1970) or later; lines are in order of their own clock. */
static size_t line_at(const struct reader *r, uint64_t time)
{
	const struct text *t = r->state;
	size_t i = 0;

	while (i < t->count && t->lines[i].time < time - (uint64_t)r->info.clock_offset)
		i++;
	return i;
}

static void text_seek(struct reader *r, uint64_t from, uint64_t to)
{
	struct text *t = r->state;

	t->next = from ? line_at(r, from) : 0;
	t->last = to != UINT64_MAX ? line_at(r, to) : t->count;
}

/* By lines. */
static size_t text_cuts(struct reader *r, uint64_t least, size_t fewest, size_t most, uint64_t *cuts)
{
	const struct text *t = r->state;
	size_t parts = cuts_parts(r->info.bytes, least, fewest, most), count = 0;
	uint64_t last = t->count ? t->lines[0].time : 0;

	for (size_t i = 1; i < parts && t->count; i++) {
		uint64_t time = t->lines[t->count * i / parts].time;

		if (time == last)
			continue;
		last = time;
		cuts[count++] = time + (uint64_t)r->info.clock_offset;
	}
	return count;
}

static const struct reader_ops text_ops = { READER_TEXT, text_next, text_close, text_cuts, text_seek };

int source_open_text(struct reader *r, const char *path, char *error, size_t size)
{
	struct text *t = must(calloc(1, sizeof(*t)));
	const char *why;
	int ret = 0;

	r->state = t;
	t->data = must(malloc(value_largest()));
	t->content = content_read(path, MARK, &r->info.bytes, &why);
	if (!t->content) {
		ret = -errno;
		snprintf(error, size, "cannot open trace: path=%s: %s", path, why);
	} else {
		ret = read_lines(r, t);
		if (ret < 0)
			snprintf(error, size, "cannot open trace: path=%s: %s", path, t->error);
	}
	if (ret < 0)
		text_close(r);
	else
		r->ops = &text_ops;
	return ret;
}

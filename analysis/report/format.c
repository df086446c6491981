/* SPDX-License-Identifier: MIT */
/* Numbers for people and, exactly, for data formats. */
#include "analysis/report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/memory.h"

struct scale {
	double factor;		/* base units in one of these */
	const char *unit, *ascii;
};

static const struct scale times[] = {
	{ 1, "ns", "ns" }, { 1e3, "µs", "us" }, { 1e6, "ms", "ms" }, { 1e9, "s", "s" },
};

static const struct scale sizes[] = {
	{ 0x1p0, "B", "B" }, { 0x1p10, "KiB", "KiB" }, { 0x1p20, "MiB", "MiB" },
	{ 0x1p30, "GiB", "GiB" }, { 0x1p40, "TiB", "TiB" }, { 0x1p50, "PiB", "PiB" },
};

/* Three significant digits, never an exponent; a whole number stays whole. */
static void digits(char *buf, size_t size, double v)
{
	double a = fabs(v);

	if (a == floor(a) && a < 1e15)
		snprintf(buf, size, "%.0f", v == 0 ? 0 : v);
	else if (a < 9.995)
		snprintf(buf, size, "%.2f", v);
	else if (a < 99.95)
		snprintf(buf, size, "%.1f", v);
	else
		snprintf(buf, size, "%.0f", fmin(fmax(v, -1e15), 1e15));
}

/* The first scale in which the rounded value stays below `limit`. */
static const char *scaled(char *buf, double v, const struct scale *scales, size_t count,
			  double limit, bool unicode)
{
	char number[32];
	size_t i = 0;

	while (i + 1 < count && fabs(v) / scales[i].factor >= limit - 0.5)
		i++;
	digits(number, sizeof(number), v / scales[i].factor);
	/* "1.00 ms" rather than "1 ms": only what has no smaller unit is exact */
	if (i && !strchr(number, '.') && fabs(v) / scales[i].factor < 99.95)
		snprintf(number, sizeof(number), "%.*f",
			 fabs(v) / scales[i].factor < 9.995 ? 2 : 1, v / scales[i].factor);
	snprintf(buf, FORMAT_SIZE, "%s %s", number, unicode ? scales[i].unit : scales[i].ascii);
	return buf;
}

const char *format_ns(char *buf, double ns, bool unicode)
{
	uint64_t s;

	if (!isfinite(ns))
		return strcpy(buf, unicode ? "–" : "-");
	if (fabs(ns) < 119.95e9)
		return scaled(buf, ns, times, sizeof(times) / sizeof(times[0]), 1000, unicode);
	s = (uint64_t)fmin(fabs(ns) / 1e9 + 0.5, 1e15);
	if (s < 3600)
		snprintf(buf, FORMAT_SIZE, "%s%" PRIu64 " min %02" PRIu64 " s", ns < 0 ? "-" : "",
			 s / 60, s % 60);
	else
		snprintf(buf, FORMAT_SIZE, "%s%" PRIu64 " h %02" PRIu64 " min", ns < 0 ? "-" : "",
			 s / 3600, s / 60 % 60);
	return buf;
}

const char *format_bytes(char *buf, double bytes)
{
	if (!isfinite(bytes))
		return strcpy(buf, "-");
	return scaled(buf, bytes, sizes, sizeof(sizes) / sizeof(sizes[0]), 1024, false);
}

/* Whole numbers with a comma every three digits. */
const char *format_whole(char *buf, double count)
{
	char plain[32];
	size_t length, out = 0;
	const char *p = plain;

	if (!isfinite(count) || fabs(count) > 1e20)
		return strcpy(buf, "-");
	if (fabs(count) < 100 && count != floor(count))
		return format_real(buf, count);
	snprintf(plain, sizeof(plain), "%.0f", count);
	if (*p == '-')
		buf[out++] = *p++;
	length = strlen(p);
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = p[i];
	}
	buf[out] = '\0';
	return buf;
}

const char *format_percent(char *buf, double percent)
{
	if (!isfinite(percent))
		return strcpy(buf, "-");
	if (percent > 0 && percent < 0.05)
		return strcpy(buf, "<0.1 %");
	if (fabs(percent) > 1e6)
		snprintf(buf, FORMAT_SIZE, "%.3g %%", percent);
	else
		snprintf(buf, FORMAT_SIZE, fabs(percent) < 99.95 ? "%.1f %%" : "%.0f %%", percent);
	return buf;
}

const char *format_real(char *buf, double value)
{
	if (!isfinite(value))
		return strcpy(buf, "-");
	if (value != 0 && (fabs(value) < 0.01 || fabs(value) >= 1e15))
		snprintf(buf, FORMAT_SIZE, "%.3g", value);
	else
		digits(buf, FORMAT_SIZE, value);
	return buf;
}

const char *format_value(char *buf, enum unit unit, double value, bool unicode)
{
	switch (unit) {
	case UNIT_NS:
	case UNIT_TIME:
		return format_ns(buf, value, unicode);
	case UNIT_BYTES:
		return format_bytes(buf, value);
	case UNIT_FRACTION:
		return format_percent(buf, value * 100);
	case UNIT_PERCENT:
		return format_percent(buf, value);
	case UNIT_COUNT:
		return format_whole(buf, value);
	case UNIT_ID:
		snprintf(buf, FORMAT_SIZE, "%.0f", value);
		return buf;
	default:
		return format_real(buf, value);
	}
}

enum unit format_unit(const char *series_unit)
{
	static const struct { const char *name; enum unit unit; } units[] = {
		{ "count", UNIT_COUNT }, { "percent", UNIT_PERCENT }, { "bytes", UNIT_BYTES },
		{ "ns", UNIT_NS }, { "fraction", UNIT_FRACTION },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, series_unit))
			return units[i].unit;
	return UNIT_REAL;
}

enum unit table_unit(const struct table *t, size_t row, size_t column)
{
	enum unit unit = t->columns[column].unit;

	return unit == UNIT_ROW ? format_unit(cell_text(table_get(t, row, "unit"))) : unit;
}

const char *format_cell(char *buf, enum unit unit, const struct cell *c, bool unicode)
{
	if (c->type == CELL_NULL)
		return strcpy(buf, unicode ? "–" : "-");
	if (c->type == CELL_TEXT || c->type == CELL_TREE)
		return strcpy(buf, "");
	if (c->type == CELL_UINT && (unit == UNIT_ID))	/* exact beyond 2^53 */
		snprintf(buf, FORMAT_SIZE, "%" PRIu64, c->u);
	else
		format_value(buf, unit, cell_real(c), unicode);
	return buf;
}

/* ---- trees ---- */

static bool needs_quotes(const char *word)
{
	return !*word || strpbrk(word, " \t\n\"'\\$`;&|<>()*?[]#~{}!") != NULL;
}

static void put_words(FILE *f, const json_t *tree)
{
	size_t i;
	json_t *word;

	json_array_foreach(tree, i, word) {
		const char *s = json_is_string(word) ? json_string_value(word) : NULL;
		char *other = s ? NULL : format_tree(word);

		if (s)
			fprintf(f, needs_quotes(s) ? "%s'%s'" : "%s%s", i ? " " : "", s);
		else
			fprintf(f, "%s%s", i ? "; " : "", other);
		free(other);
	}
}

/* Keys as words; of one that is true its name says all. */
static void put_pair(FILE *f, const char *key, const json_t *value, bool first)
{
	char *text = format_tree(value);

	fputs(first ? "" : ", ", f);
	for (const char *p = key; *p; p++)
		fputc(*p == '_' ? ' ' : *p, f);
	fprintf(f, "%s%s", *text ? " " : "", text);
	free(text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_pairs(FILE *f, const json_t *tree)
{
	const char **keys = need(calloc(json_object_size(tree) + 1, sizeof(*keys))), *key;
	json_t *value, *of = (json_t *)(uintptr_t)tree;	/* the macro wants it so */
	size_t count = 0;

	json_object_foreach(of, key, value)
		if (!json_is_null(value) && !json_is_false(value))
			keys[count++] = key;
	qsort(keys, count, sizeof(*keys), by_text);
	for (size_t i = 0; i < count; i++)
		put_pair(f, keys[i], json_object_get(tree, keys[i]), !i);
	free(keys);
}

char *format_tree(const json_t *tree)
{
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	if (json_is_array(tree))
		put_words(f, tree);
	else if (json_is_object(tree))
		put_pairs(f, tree);
	else if (json_is_string(tree))
		fputs(json_string_value(tree), f);
	else if (json_is_integer(tree))
		fprintf(f, "%lld", (long long)json_integer_value(tree));
	else if (json_is_real(tree))
		fprintf(f, "%.4g", json_real_value(tree));
	return text_close(f, &text);
}

bool format_integer(char *buf, const struct cell *c)
{
	if (c->type == CELL_INT)
		snprintf(buf, FORMAT_SIZE, "%" PRId64, c->i);
	else if (c->type == CELL_UINT)
		snprintf(buf, FORMAT_SIZE, "%" PRIu64, c->u);
	return c->type == CELL_INT || c->type == CELL_UINT;
}

const char *format_exact(char *buf, double value)
{
	if (!isfinite(value))
		return strcpy(buf, "null");
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(buf, FORMAT_SIZE, "%.*g", precision, value == 0 ? 0 : value);
		if (strtod(buf, NULL) == value)
			break;
	}
	return buf;
}

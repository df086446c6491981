/* SPDX-License-Identifier: MIT */
/* Sizes and times: parsing what users write, formatting what they read. */
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{ "B", 1 },	      { "K", 1ULL << 10 },   { "M", 1ULL << 20 },   { "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },  { "KiB", 1ULL << 10 }, { "MiB", 1ULL << 20 }, { "GiB", 1ULL << 30 },
	{ "TiB", 1ULL << 40 },
};

static const struct unit times[] = {
	{ "ns", 1 },	       { "us", 1000 },		 { "ms", 1000000 },
	{ "s", 1000000000 },   { "m", 60000000000ULL },	 { "h", 3600000000000ULL },
	{ "d", 86400000000000ULL },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* strtod would take hexadecimal, inf and nan, and a locale's decimal comma. */
static int parse(const char *text, const struct unit *units, size_t count, uint64_t *value)
{
	double number = 0, place = 1;
	const char *p = text;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++)
		number = number * 10 + (*p - '0');
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++)
			number += (*p - '0') * (place /= 10);
	if (*p == '\0' && number == 0) {
		*value = 0;
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		number *= (double)units[i].factor;
		if (number >= 0x1p63)
			return -EINVAL;
		*value = (uint64_t)(number + 0.5);
		return 0;
	}
	return -EINVAL;
}

int parse_size(const char *text, uint64_t *bytes)
{
	return parse(text, sizes, COUNT(sizes), bytes);
}

int parse_time(const char *text, uint64_t *ns)
{
	return parse(text, times, COUNT(times), ns);
}

const char *format_size(uint64_t bytes, char *out, size_t size)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t i = 0;

	for (; value >= 1024 && i + 1 < COUNT(names); i++)
		value /= 1024;
	snprintf(out, size, i ? "%.1f %s" : "%.0f %s", value, names[i]);
	return out;
}

const char *format_time(uint64_t ns, char *out, size_t size)
{
	if (ns < 1000000000)
		snprintf(out, size, "%.0f ms", (double)ns / 1e6);
	else if (ns < 600 * 1000000000ULL)
		snprintf(out, size, "%.1f s", (double)ns / 1e9);
	else
		snprintf(out, size, "%.0f min", (double)ns / 6e10);
	return out;
}

const char *format_count(uint64_t count, char *out, size_t size)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t at = 0;

	for (int i = 0; i < n && at + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

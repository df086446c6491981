/* SPDX-License-Identifier: MIT */
/*
 * Sizes and times as users write them: 64K, 4M, 1.5G; 500us, 10ms, 5s, 2m, 1h. What dltrace-record takes on its
 * command line, processes read again from their environment, so both do it here. Safe in the application: no locale,
 * no stdio.
 */
#ifndef DLT_TRACEPOINTS_UNITS_H
#define DLT_TRACEPOINTS_UNITS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dlt_unit {
	const char *name;
	uint64_t factor;
};

/* Bytes. */
static const struct dlt_unit dlt_sizes[] = {
	{ "B", 1 },	      { "K", 1ULL << 10 },   { "M", 1ULL << 20 },   { "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },  { "KiB", 1ULL << 10 }, { "MiB", 1ULL << 20 }, { "GiB", 1ULL << 30 },
	{ "TiB", 1ULL << 40 },
};

/* Nanoseconds. */
static const struct dlt_unit dlt_times[] = {
	{ "ns", 1 },	       { "us", 1000 },		 { "ms", 1000000 },
	{ "s", 1000000000 },   { "m", 60000000000ULL },	 { "h", 3600000000000ULL },
	{ "d", 86400000000000ULL },
};

static inline bool dlt_unit_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * 0, or -EINVAL: no number, or no unit, which only 0 does not need; -EDOM: none of the table; -ERANGE: 2^63 and more.
 * (strtod would take hexadecimal, inf and nan, and a locale's decimal comma.)
 */
static inline int dlt_units_parse(const char *text, const struct dlt_unit *units, size_t count, uint64_t *value)
{
	double number = 0, place = 1;
	const char *p = text;

	if (!dlt_unit_is_digit(*p))
		return -EINVAL;
	for (; dlt_unit_is_digit(*p); p++)
		number = number * 10 + (*p - '0');
	if (*p == '.')
		for (p++; dlt_unit_is_digit(*p); p++)
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
			return -ERANGE;
		*value = (uint64_t)(number + 0.5);
		return 0;
	}
	return *p == '\0' ? -EINVAL : -EDOM;
}

/* Of DLTRACE_THRESHOLD, which may be a bare number of bytes. 0: not understood. */
static inline uint64_t dlt_units_bytes(const char *text)
{
	static const struct dlt_unit bare[] = { { "", 1 } };
	uint64_t bytes;

	if (dlt_units_parse(text, dlt_sizes, sizeof(dlt_sizes) / sizeof(dlt_sizes[0]), &bytes) < 0 &&
	    dlt_units_parse(text, bare, 1, &bytes) < 0)
		return 0;
	return bytes;
}

/* Of DLTRACE_SAMPLE. 0: not understood. */
static inline uint64_t dlt_units_ns(const char *text)
{
	uint64_t ns;

	return dlt_units_parse(text, dlt_times, sizeof(dlt_times) / sizeof(dlt_times[0]), &ns) < 0 ? 0 : ns;
}

#endif

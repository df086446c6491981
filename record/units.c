/* SPDX-License-Identifier: MIT */
/* Sizes and times: parsing what users write, formatting what they read. */
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "tracepoints/units.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int parse_size(const char *text, uint64_t *bytes)
{
	return dlt_units_parse(text, dlt_sizes, COUNT(dlt_sizes), bytes);
}

int parse_time(const char *text, uint64_t *ns)
{
	return dlt_units_parse(text, dlt_times, COUNT(dlt_times), ns);
}

static const char *refusal(int err, const char *needed, const struct dlt_unit *units, size_t count)
{
	static char names[128];
	size_t n;

	if (err == -ERANGE)
		return "that is too large";
	if (err != -EDOM)
		return needed;
	n = (size_t)snprintf(names, sizeof(names), "units are");
	for (size_t i = 0; i < count && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s %s", i ? "," : "", units[i].name);
	return names;
}

const char *size_refusal(int err)
{
	return refusal(err, "a size with a unit is needed, as 64K or 4M", dlt_sizes, COUNT(dlt_sizes));
}

const char *time_refusal(int err)
{
	return refusal(err, "a time with a unit is needed, as 10ms, 5s or 2m", dlt_times, COUNT(dlt_times));
}

int poll_time(uint64_t ns)
{
	uint64_t ms = ns / 1000000 + (ns % 1000000 != 0);

	return ms < INT_MAX ? (int)ms : INT_MAX;
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

/* SPDX-License-Identifier: MIT */
/* Expands the patterns of -o. */
#include "pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"

static const char *variable(const char *name)
{
	return getenv(name);
}

/* The value of the pattern at p (behind its '%'); *end: behind the pattern. NULL: none. */
static const char *value_of(const char *p, const char **end, char *buffer, size_t size)
{
	const char *close = *p == 'q' && p[1] == '{' ? strchr(p, '}') : NULL;
	int32_t rank;

	*end = p + 1;
	switch (*p) {
	case '%':
		return "%";
	case 'h':
		return gethostname(buffer, size) == 0 ? buffer : NULL;
	case 'p':
		snprintf(buffer, size, "%d", (int)getpid());
		return buffer;
	case 'r':
		rank = dlt_rank_find(variable).rank;
		snprintf(buffer, size, "%d", rank < 0 ? 0 : (int)rank);
		return buffer;
	case 'q':
		if (!close || (size_t)(close - p) > size)
			return NULL;
		*end = close + 1;
		snprintf(buffer, size, "%.*s", (int)(close - p - 2), p + 2);
		return getenv(buffer);
	default:
		return NULL;
	}
}

int pattern_expand(const char *pattern, char *out, size_t size, const char **bad)
{
	size_t at = 0;

	*bad = NULL;
	for (const char *p = pattern; *p;) {
		char buffer[256], one[2] = { *p, '\0' };
		const char *value = one, *end = p + 1;
		size_t length;

		if (*p == '%')
			value = value_of(p + 1, &end, buffer, sizeof(buffer));
		if (!value) {
			*bad = p;
			return -EINVAL;
		}
		length = strlen(value);
		if (at + length >= size)
			return -ENAMETOOLONG;
		memcpy(out + at, value, length);
		at += length;
		p = end;
	}
	out[at] = '\0';
	return 0;
}

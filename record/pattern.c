/* SPDX-License-Identifier: MIT */
/* Expands the patterns of -o. */
#include "pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who starts ranks, and how it tells them which they are. */
static const char *const rank_variables[] = {
	"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "RANK", "SLURM_PROCID",
};

const char *pattern_rank(void)
{
	for (size_t i = 0; i < sizeof(rank_variables) / sizeof(rank_variables[0]); i++) {
		const char *rank = getenv(rank_variables[i]);

		if (rank && *rank)
			return rank;
	}
	return NULL;
}

/* The value of the pattern at p (behind its '%'); *end: behind the pattern. NULL: none. */
static const char *value_of(const char *p, const char **end, char *buffer, size_t size)
{
	const char *close = *p == 'q' && p[1] == '{' ? strchr(p, '}') : NULL;

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
		return pattern_rank() ? pattern_rank() : "0";
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

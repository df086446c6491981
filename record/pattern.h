/* SPDX-License-Identifier: MIT */
/* The patterns of -o: %h host, %p pid, %r rank, %q{VAR} an environment variable, %% a percent sign. */
#ifndef DLT_RECORD_PATTERN_H
#define DLT_RECORD_PATTERN_H

#include <stddef.h>

/*
 * 0; -EINVAL: unknown pattern, or a variable that is not set, and *bad (borrowed from pattern)
 * points at it; -ENAMETOOLONG.
 */
int pattern_expand(const char *pattern, char *out, size_t size, const char **bad);

#endif

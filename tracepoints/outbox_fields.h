/* SPDX-License-Identifier: MIT */
/*
 * Fields of any length in an outbox, for the generated outbox_layout.h: a string with its NUL, a sequence behind
 * its count. Who writes has counted before; a program may change its string in between.
 */
#ifndef DLT_TRACEPOINTS_OUTBOX_FIELDS_H
#define DLT_TRACEPOINTS_OUTBOX_FIELDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "events.h"

#define DLT_OUTBOX_TOO_LONG ((size_t)1 << 40)	/* more than any message has */

/* Each gives where the next one begins, at most `size`. */
static inline size_t dlt_outbox_put_text(unsigned char *to, size_t at, size_t size, const char *text)
{
	while (at + 1 < size && *text)
		to[at++] = (unsigned char)*text++;
	if (at < size)
		to[at++] = 0;
	return at;
}

static inline size_t dlt_outbox_put_bytes(unsigned char *to, size_t at, size_t size, const void *from, size_t count)
{
	if (size - at < count)
		return at;
	memcpy(to + at, from, count);
	return at + count;
}

static inline size_t dlt_outbox_put_words(unsigned char *to, size_t at, size_t size, const uint64_t *words,
					  uint32_t count)
{
	at = dlt_outbox_put_bytes(to, at, size, &count, sizeof(count));
	return dlt_outbox_put_bytes(to, at, size, words, 8 * (size_t)count);
}

/* Where the next field begins; DLT_OUTBOX_TOO_LONG: this one does not end within `left`. */
static inline size_t dlt_outbox_pass_text(const unsigned char *from, size_t at, size_t left)
{
	for (; at < left; at++)
		if (!from[at])
			return at + 1;
	return DLT_OUTBOX_TOO_LONG;
}

static inline size_t dlt_outbox_pass_words(const unsigned char *from, size_t at, size_t left)
{
	uint32_t count;

	if (at > left || left - at < sizeof(count))
		return DLT_OUTBOX_TOO_LONG;
	memcpy(&count, from + at, sizeof(count));
	return at + sizeof(count) + 8 * (size_t)count;
}

#endif

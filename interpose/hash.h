/* SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits. */
#ifndef DLT_INTERPOSE_HASH_H
#define DLT_INTERPOSE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DLT_HASH_BASIS 14695981039346656037U

/* Goes on from `hash`, which begins as the basis. */
static inline uint64_t dlt_hash(uint64_t hash, const void *bytes, size_t length)
{
	for (const unsigned char *c = bytes; length--; c++)
		hash = (hash ^ *c) * 1099511628211U;
	return hash;
}

#endif

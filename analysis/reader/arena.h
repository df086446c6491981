/* SPDX-License-Identifier: MIT */
/* Memory that lives and dies together: what one metadata file describes. */
#ifndef DLT_ANALYSIS_READER_ARENA_H
#define DLT_ANALYSIS_READER_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks;	/* owned */
};

/* Zeroed, aligned for anything; stops the program when memory is out. */
void *arena_alloc(struct arena *a, size_t size);
/* NUL-terminated copy. */
char *arena_string(struct arena *a, const char *text, size_t length);
/* A copy of the array with room for twice as many; the old one stays until the release. */
void *arena_grow(struct arena *a, const void *array, size_t *capacity, size_t item);
void arena_release(struct arena *a);

#endif

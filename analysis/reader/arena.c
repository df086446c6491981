/* SPDX-License-Identifier: MIT */
/* Memory that lives and dies together. */
#include "analysis/reader/arena.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"

#define BLOCK_SIZE 65536

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	void *memory;

	size = (size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		b = must(calloc(1, sizeof(*b) + room));
		b->size = room;
		b->next = a->blocks;
		a->blocks = b;
	}
	memory = b->bytes + b->used;
	b->used += size;
	return memory;
}

char *arena_string(struct arena *a, const char *text, size_t length)
{
	char *copy = arena_alloc(a, length + 1);

	memcpy(copy, text, length);
	return copy;
}

void *arena_grow(struct arena *a, const void *array, size_t *capacity, size_t item)
{
	size_t old = *capacity;
	char *grown;

	*capacity = old ? 2 * old : 8;
	grown = arena_alloc(a, *capacity * item);
	if (old)
		memcpy(grown, array, old * item);
	return grown;
}

void arena_release(struct arena *a)
{
	struct arena_block *next;

	for (struct arena_block *b = a->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	a->blocks = NULL;
}

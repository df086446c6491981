/* SPDX-License-Identifier: MIT */
/* Strings of a trace, each kept once: a hash set with linear probing. */
#include "analysis/model/names.h"

#include <stdint.h>
#include <string.h>

#include "analysis/model/memory.h"

static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;	/* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

static size_t find(const struct names *n, const char *s)
{
	size_t i = hash(s) & (n->capacity - 1);

	while (n->slots[i] && strcmp(n->slots[i], s))
		i = (i + 1) & (n->capacity - 1);
	return i;
}

static void grow(struct names *n)
{
	struct names old = *n;

	n->capacity = old.capacity ? old.capacity * 2 : 64;
	n->slots = xcalloc(n->capacity, sizeof(*n->slots));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i])
			n->slots[find(n, old.slots[i])] = old.slots[i];
	free(old.slots);
}

const char *names_keep(struct names *n, const char *s)
{
	size_t i;

	if (!s)
		s = "";
	if (n->count * 2 >= n->capacity)
		grow(n);
	i = find(n, s);
	if (!n->slots[i]) {
		n->slots[i] = xcheck(strdup(s), strlen(s) + 1);
		n->count++;
	}
	return n->slots[i];
}

void names_release(struct names *n)
{
	for (size_t i = 0; i < n->capacity; i++)
		free((char *)n->slots[i]);
	free(n->slots);
	*n = (struct names){ 0 };
}

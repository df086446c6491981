/* SPDX-License-Identifier: MIT */
/* From a number to what it names: linear probing with backward shift on removal. */
#include "analysis/model/idmap.h"

#include <stdlib.h>

#include "analysis/model/memory.h"

static size_t home(const struct idmap *m, uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ULL;	/* 2^64 / golden ratio: neighbours spread */
	return (key ^ key >> 32) & (m->capacity - 1);
}

void idmap_release(struct idmap *m)
{
	free(m->slots);
	free(m->used);
	*m = (struct idmap){ 0 };
}

/* The key's slot, or the free one where it would go. */
static size_t find(const struct idmap *m, uint64_t key)
{
	size_t i = home(m, key);

	while (m->used[i] && m->slots[i].key != key)
		i = (i + 1) & (m->capacity - 1);
	return i;
}

uint64_t *idmap_get(const struct idmap *m, uint64_t key)
{
	size_t i;

	if (!m->capacity)
		return NULL;
	i = find(m, key);
	return m->used[i] ? &m->slots[i].value : NULL;
}

static void grow(struct idmap *m)
{
	struct idmap old = *m;

	m->capacity = old.capacity ? old.capacity * 2 : 16;
	m->slots = xcalloc(m->capacity, sizeof(*m->slots));
	m->used = xcalloc(m->capacity, 1);
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.used[i]) {
			size_t to = find(m, old.slots[i].key);

			m->slots[to] = old.slots[i];
			m->used[to] = 1;
		}
	}
	free(old.slots);
	free(old.used);
}

uint64_t *idmap_put(struct idmap *m, uint64_t key)
{
	size_t i;

	if (m->count * 4 >= m->capacity * 3)
		grow(m);
	i = find(m, key);
	if (!m->used[i]) {
		m->used[i] = 1;
		m->slots[i] = (struct idmap_slot){ .key = key };
		m->count++;
	}
	return &m->slots[i].value;
}

bool idmap_take(struct idmap *m, uint64_t key, uint64_t *value)
{
	size_t hole, i;

	if (!m->capacity)
		return false;
	hole = find(m, key);
	if (!m->used[hole])
		return false;
	if (value)
		*value = m->slots[hole].value;
	m->count--;
	/* Whoever stands behind the hole and may stand in it moves up. */
	for (i = hole;;) {
		size_t at;

		i = (i + 1) & (m->capacity - 1);
		if (!m->used[i])
			break;
		at = home(m, m->slots[i].key);
		if (((i - at) & (m->capacity - 1)) >= ((i - hole) & (m->capacity - 1))) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->used[hole] = 0;
	return true;
}

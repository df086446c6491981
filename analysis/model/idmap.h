/* SPDX-License-Identifier: MIT */
/*
 * From a number to what it names: open addressing, no deletion order to mind, one cache line a look-up.
 *
 * Keys are 64 bits, 0 included. Values are 64 bits (numbers or pointers, which the map does not
 * own). Used for threads, processes and profiles.
 */
#ifndef DLT_ANALYSIS_MODEL_IDMAP_H
#define DLT_ANALYSIS_MODEL_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
	uint64_t key;
	uint64_t value;
};

struct idmap {
	struct idmap_slot *slots;	/* owned */
	uint8_t *used;			/* owned: one byte a slot */
	size_t capacity;		/* a power of two, or 0 */
	size_t count;
};

void idmap_release(struct idmap *m);
/* NULL when the key is not there; valid until the next idmap_put or idmap_take. */
uint64_t *idmap_get(const struct idmap *m, uint64_t key);
/* The key's value, made with 0 if it is new. */
uint64_t *idmap_put(struct idmap *m, uint64_t key);
/* Takes the key out; false when it is not there. */
bool idmap_take(struct idmap *m, uint64_t key, uint64_t *value);

static inline void *idmap_pointer(const struct idmap *m, uint64_t key)
{
	uint64_t *value = idmap_get(m, key);

	return value ? (void *)(uintptr_t)*value : NULL;
}

#endif

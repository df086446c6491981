/* SPDX-License-Identifier: MIT */
/* Notes about handles: a hash table, lock-free. */
#include "handles.h"

#include <stdbool.h>
#include <stddef.h>

#define TRIES 64	/* places that are looked at; all of it would take too long where it is full */
#define TAKEN UINT32_MAX	/* in place of a note that is being made */

static struct handle *nth(struct handle *places, unsigned bits, uintptr_t handle, unsigned i)
{
	return &places[((handle * 0x9e3779b97f4a7c15 >> (64 - bits)) + i) & ((1u << bits) - 1)];
}

static struct handle *find(struct handle *places, unsigned bits, uintptr_t handle)
{
	for (unsigned i = 0; handle && i < TRIES; i++) {
		struct handle *h = nth(places, bits, handle, i);
		uintptr_t seen = __atomic_load_n(&h->handle, __ATOMIC_ACQUIRE);

		if (seen == handle)
			return h;
		if (!seen)
			break;
	}
	return NULL;
}

/* One that was never used, or whose handle is gone: nobody else's from now on. */
static struct handle *claim(struct handle *places, unsigned bits, uintptr_t handle)
{
	for (unsigned i = 0; handle && i < TRIES; i++) {
		struct handle *h = nth(places, bits, handle, i);
		uint32_t gone = 0;

		if (__atomic_compare_exchange_n(&h->note, &gone, TAKEN, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_store_n(&h->handle, handle, __ATOMIC_RELEASE);
			return h;
		}
	}
	return NULL;
}

void dlt_handle_note(struct handle *places, unsigned bits, const void *handle, uint32_t note)
{
	struct handle *h = find(places, bits, (uintptr_t)handle);

	if (!h)
		h = claim(places, bits, (uintptr_t)handle);
	if (h)
		__atomic_store_n(&h->note, note, __ATOMIC_RELEASE);
}

void dlt_handle_gone(struct handle *places, unsigned bits, const void *handle)
{
	struct handle *h = find(places, bits, (uintptr_t)handle);

	if (h)
		__atomic_store_n(&h->note, 0, __ATOMIC_RELEASE);
}

uint32_t dlt_handle_noted(struct handle *places, unsigned bits, const void *handle)
{
	const struct handle *h = find(places, bits, (uintptr_t)handle);
	uint32_t note = h ? __atomic_load_n(&h->note, __ATOMIC_ACQUIRE) : 0;

	return note == TAKEN ? 0 : note;
}

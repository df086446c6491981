/* SPDX-License-Identifier: MIT */
/* Interning of kernels, launch shapes and streams: a hash table over the black box's objects. */
#include "objects.h"

#include <stdbool.h>
#include <string.h>

#include "box_private.h"
#include "emit.h"
#include "library.h"
#include "process.h"

#define PLACES 8192	/* a power of 2, twice DLT_BOX_OBJECTS */
#define PLACE_BITS 13

/* index in the box + 1; 0: free. Indices stay true in a forked child, whose box is a copy. */
static uint32_t places[PLACES];

/* A shape's handle is its kernel's, so values[0], the kernel's id, is looked up only once. */
struct key {
	uint64_t handle;
	uint8_t type, count, first;	/* values[first .. count) make the difference */
	uint64_t values[8];
};

static uint32_t intern(const struct key *k);

static uint64_t hash(const struct key *k)
{
	uint64_t h = (k->handle ^ k->type) * 0x9e3779b97f4a7c15u;

	for (unsigned i = k->first; i < k->count; i++)
		h = (h ^ h >> 29 ^ k->values[i]) * 0x9e3779b97f4a7c15u;
	return h >> (64 - PLACE_BITS);
}

static bool is_same(const struct dlt_box_object *o, const struct key *k)
{
	if (o->handle != k->handle || o->type != k->type || o->value_count != k->count)
		return false;
	for (unsigned i = k->first; i < k->count; i++)
		if (o->values[i] != k->values[i])
			return false;
	return true;
}

static void announce(const struct dlt_box_object *o)
{
	struct dlt_ev_proc_object e = {
		.process = dlt_process.id, .type = o->type, .id = o->id, .handle = o->handle,
		.library = o->library, .offset = o->offset, .values = o->values,
		.values_count = o->value_count, .name = "",
	};

	if (dlt_enabled(DLT_EV_PROC_OBJECT))
		dlt_emit(dlt_thread_self(), DLT_EV_PROC_OBJECT, &e);
}

static struct dlt_box_object *make(const struct key *k)
{
	uint32_t index = __atomic_load_n(&dlt_box->objects_used, __ATOMIC_RELAXED);
	struct dlt_box_object *o;

	do {
		o = dlt_box_object(index);
		if (index >= dlt_box->objects_count || !dlt_box_back(o, sizeof(*o)))
			return NULL;
	} while (!__atomic_compare_exchange_n(&dlt_box->objects_used, &index, index + 1, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	o->handle = k->handle;
	o->id = index + 1;
	o->value_count = k->count;
	memcpy(o->values, k->values, sizeof(o->values));
	if (k->type == DLT_OBJECT_KERNEL) {
		o->library = dlt_library_of((const void *)k->handle);
		o->offset = o->library ? k->handle - dlt_library_base((const void *)k->handle) : 0;
	} else if (k->type == DLT_OBJECT_SHAPE) {
		const struct key kernel = { .handle = k->handle, .type = DLT_OBJECT_KERNEL };

		o->values[0] = intern(&kernel);
	}
	__atomic_store_n(&o->type, k->type, __ATOMIC_RELEASE);
	return o;
}

static uint32_t intern(const struct key *k)
{
	struct dlt_box_object *made = NULL;

	for (uint64_t at = hash(k);; at = (at + 1) % PLACES) {
		uint32_t seen = __atomic_load_n(&places[at], __ATOMIC_ACQUIRE);

		if (!seen) {
			if (!made)
				made = make(k);
			if (!made)
				return 0;
			if (__atomic_compare_exchange_n(&places[at], &seen, made->id, false,
							__ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
				announce(made);
				return made->id;
			}
		}
		/* Somebody else was quicker: if it is the same thing, ours stays unused. */
		if (is_same(dlt_box_object(seen - 1), k))
			return seen;
	}
}

uint32_t dlt_shape(const void *kernel, struct dlt_cuda_dim3 grid, struct dlt_cuda_dim3 block,
		   size_t shared)
{
	const struct key shape = {
		.handle = (uintptr_t)kernel, .type = DLT_OBJECT_SHAPE, .count = 8, .first = 1,
		.values = { 0, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared },
	};

	return intern(&shape);
}

uint16_t dlt_stream(const void *stream)
{
	/* 1 is CUDA's name for the default stream where 0 means one by thread. */
	const struct key k = { .handle = (uintptr_t)stream, .type = DLT_OBJECT_STREAM };

	return (uintptr_t)stream <= 1 ? 0 : (uint16_t)intern(&k);
}

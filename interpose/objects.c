/* SPDX-License-Identifier: MIT */
/* Interning of kernels, launch shapes and streams: a hash table over the black box's objects. */
#include "objects.h"

#include <stdbool.h>
#include <string.h>

#include "box_private.h"
#include "emit.h"
#include "kernels.h"
#include "library.h"
#include "process.h"

#define PLACES 32768	/* a power of 2, twice DLT_BOX_OBJECTS */
#define PLACE_BITS 15
#define FORMER (1ULL << 63)	/* in the handle of a kernel that is gone; no handle of a process has it */

/* The id of the one that counts what found no room; 0: all did. */
static uint32_t missed;

/* index in the box + 1; 0: free. Indices stay true in a forked child, whose box is a copy. */
static uint32_t places[PLACES];

/* A shape's handle is its kernel's, so values[0], the kernel's id, is looked up only once. */
struct key {
	uint64_t handle;
	uint8_t type, count, first;	/* values[first .. count) make the difference */
	uint64_t values[8];
};

static uint32_t intern(const struct key *k, uint64_t place);
static uint32_t kernel_id(const void *handle);

static uint64_t place_of(uint64_t mixed)
{
	return (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15 >> (64 - PLACE_BITS);
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
		.values_count = o->value_count, .name = o->name_size ? (const char *)(o + 1) : "",
	};

	if (o->type == DLT_OBJECT_UNCOVERED) {
		e.name = (const char *)o->values;
		e.values_count = 0;
	}

	if (dlt_enabled(DLT_EV_PROC_OBJECT))
		dlt_emit(dlt_thread_self(), DLT_EV_PROC_OBJECT, &e);
}

/* An entry and, after it, those that its name fills; NULL when there are none left but `spare`. */
static struct dlt_box_object *claim(uint32_t name_size, uint32_t spare)
{
	uint32_t index = __atomic_load_n(&dlt_box->objects_used, __ATOMIC_RELAXED);
	uint32_t entries = 1 + dlt_box_name_entries(name_size);
	struct dlt_box_object *o;

	do {
		o = dlt_box_object(index);
		if (index + entries + spare > dlt_box->objects_count ||
		    !dlt_box_back(o, entries * sizeof(*o)))
			return NULL;
	} while (!__atomic_compare_exchange_n(&dlt_box->objects_used, &index, index + entries, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	o->id = index + 1;
	return o;
}

/* The last entry is its own; NULL: a box without objects. */
static struct dlt_box_object *missed_object(void)
{
	uint32_t id = __atomic_load_n(&missed, __ATOMIC_ACQUIRE);
	struct dlt_box_object *o = id ? NULL : claim(0, 0);

	if (o) {
		o->value_count = DLT_MISSED_KINDS;
		__atomic_store_n(&o->type, DLT_OBJECT_MISSED, __ATOMIC_RELEASE);
		__atomic_compare_exchange_n(&missed, &id, o->id, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	}
	id = __atomic_load_n(&missed, __ATOMIC_ACQUIRE);
	return id && id <= dlt_box->objects_count ? dlt_box_object(id - 1) : NULL;
}

void dlt_missed(enum dlt_missed what)
{
	struct dlt_box_object *o = missed_object();
	uint64_t count = o ? __atomic_add_fetch(&o->values[what], 1, __ATOMIC_RELAXED) : 0;

	/* The sampler tells how many in the end. */
	if (o && !(count & (count - 1)))
		announce(o);
}

static void missed_one(uint8_t type)
{
	/* A kernel's own object is asked for by that of its launch. */
	if (type != DLT_OBJECT_KERNEL)
		dlt_missed(type == DLT_OBJECT_SHAPE ? DLT_MISSED_LAUNCH : type == DLT_OBJECT_GRAPH ? DLT_MISSED_GRAPH :
			   type == DLT_OBJECT_STREAM ? DLT_MISSED_STREAM : DLT_MISSED_NAME);
}

static struct dlt_box_object *make(const struct key *k)
{
	uint32_t kernel = k->type == DLT_OBJECT_SHAPE ? kernel_id((const void *)k->handle) : 0;
	const void *code = NULL;
	const char *name = NULL;
	size_t length = 0;
	struct dlt_box_object *o;

	if (k->type == DLT_OBJECT_SHAPE && !kernel)
		return NULL;
	if (k->type == DLT_OBJECT_KERNEL)
		length = dlt_kernel_name((const void *)k->handle, &code, &name);
	o = claim(length ? (uint32_t)length + 1 : 0, 1);
	if (!o)
		return NULL;
	o->handle = k->handle;
	o->value_count = k->count;
	memcpy(o->values, k->values, sizeof(o->values));
	if (k->type == DLT_OBJECT_KERNEL) {
		o->library = dlt_library_of(code);
		o->offset = o->library ? (uintptr_t)code - dlt_library_base(code) : 0;
		o->name_size = length ? (uint32_t)length + 1 : 0;
		memcpy(o + 1, name, length);
	} else if (k->type == DLT_OBJECT_SHAPE) {
		o->values[0] = kernel;
	}
	__atomic_store_n(&o->type, k->type, __ATOMIC_RELEASE);
	return o;
}

static uint32_t intern(const struct key *k, uint64_t place)
{
	struct dlt_box_object *made = NULL;

	for (uint64_t at = place;; at = (at + 1) % PLACES) {
		uint32_t seen = __atomic_load_n(&places[at], __ATOMIC_ACQUIRE);

		if (!seen) {
			if (!made)
				made = make(k);
			if (!made) {
				missed_one(k->type);
				return 0;
			}
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

static uint32_t kernel_id(const void *handle)
{
	const struct key k = { .handle = (uintptr_t)handle, .type = DLT_OBJECT_KERNEL };

	return intern(&k, place_of(k.handle));
}

/* NULL: it was never launched. */
static const struct dlt_box_object *known_kernel(const void *handle)
{
	const struct key k = { .handle = (uintptr_t)handle, .type = DLT_OBJECT_KERNEL };

	for (uint64_t at = place_of(k.handle);; at = (at + 1) % PLACES) {
		uint32_t seen = __atomic_load_n(&places[at], __ATOMIC_ACQUIRE);

		if (!seen || is_same(dlt_box_object(seen - 1), &k))
			return seen ? dlt_box_object(seen - 1) : NULL;
	}
}

void dlt_kernel_renamed(const void *kernel, const char *name, size_t length)
{
	const struct dlt_box_object *known = known_kernel(kernel);

	if (!known || !known->name_size || (known->name_size == length + 1 && memcmp(known + 1, name, length) == 0))
		return;
	for (uint32_t i = 0; i < __atomic_load_n(&dlt_box->objects_used, __ATOMIC_RELAXED); i++) {
		struct dlt_box_object *o = dlt_box_object(i);

		/* Else it is a part of a name. */
		if (o->id == i + 1 && o->handle == (uintptr_t)kernel &&
		    (o->type == DLT_OBJECT_KERNEL || o->type == DLT_OBJECT_SHAPE))
			__atomic_store_n(&o->handle, o->handle | FORMER, __ATOMIC_RELAXED);
	}
}

static uint32_t new_shape(const void *kernel, const uint64_t values[8], uint64_t place)
{
	struct key k = {
		.handle = (uintptr_t)kernel, .type = DLT_OBJECT_SHAPE, .count = 8, .first = 1,
	};

	memcpy(k.values, values, sizeof(k.values));
	return intern(&k, place);
}

static uint64_t pair(uint64_t low, uint64_t high)
{
	return low | high << 32;
}

static uint64_t turned(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

/*
 * Nearly always the first place is right. LTTng's clock waits for all that came before, so what
 * counts here is the longest chain: one product, two loads, one comparison.
 */
uint32_t dlt_shape_id(const void *kernel, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy,
		      uint32_t block_z, size_t shared)
{
	uint64_t grids = turned(grid_xy, 24) + ((uint64_t)grid_z << 14);
	uint64_t blocks = turned(block_xy, 34) + ((uint64_t)block_z << 4);
	uint64_t place = place_of((uintptr_t)kernel + grids + blocks + (shared << 10));
	uint32_t id = __atomic_load_n(&places[place], __ATOMIC_ACQUIRE);
	const struct dlt_box_object *o = dlt_box_object(id - 1);
	const uint64_t *v = o->values;

	if (id && !((o->handle ^ (uintptr_t)kernel) | (uint64_t)(o->type ^ DLT_OBJECT_SHAPE) |
		    (pair(v[1], v[2]) ^ grid_xy) | (v[3] ^ grid_z) | (pair(v[4], v[5]) ^ block_xy) |
		    (v[6] ^ block_z) | (v[7] ^ shared)))
		return id;
	return new_shape(kernel, (uint64_t[]){ 0, (uint32_t)grid_xy, grid_xy >> 32, grid_z,
						(uint32_t)block_xy, block_xy >> 32, block_z, shared },
			 place);
}

/* Its name is in the values, cut if need be; the handle is the name's hash. */
void dlt_uncovered(const char *name)
{
	struct key k = { .type = DLT_OBJECT_UNCOVERED, .count = 8, .handle = 5381 };

	if (!dlt_box)		/* before the process has come to its first hook */
		return;
	for (size_t i = 0; name[i]; i++) {
		k.handle = k.handle * 33 + (unsigned char)name[i];
		if (i < sizeof(k.values) - 1)
			((char *)k.values)[i] = name[i];
	}
	intern(&k, place_of(k.handle));
}

uint32_t dlt_object_id(enum dlt_object type, const void *handle, const uint64_t *values,
		       unsigned count)
{
	struct key k = { .handle = (uintptr_t)handle, .type = (uint8_t)type, .count = (uint8_t)count };
	uint64_t mixed = k.handle + type;

	for (unsigned i = 0; i < count; i++) {
		k.values[i] = values[i];
		mixed = mixed * 31 + values[i];
	}
	return intern(&k, place_of(mixed));
}

struct dlt_box_object *dlt_object_make(enum dlt_object type, uint64_t handle,
				       const uint64_t *values, unsigned count)
{
	struct key k = { .handle = handle, .type = (uint8_t)type, .count = (uint8_t)count };

	struct dlt_box_object *o;

	memcpy(k.values, values, count * sizeof(*values));
	o = make(&k);
	if (!o)
		missed_one(k.type);
	return o;
}

void dlt_object_say(const struct dlt_box_object *o)
{
	announce(o);
}

uint32_t dlt_object_named(enum dlt_object type, uint64_t handle, const char *name, size_t length)
{
	struct dlt_box_object *o = claim((uint32_t)length + 1, 1);

	if (!o) {
		missed_one((uint8_t)type);
		return 0;
	}
	o->handle = handle;
	o->name_size = (uint32_t)length + 1;
	memcpy(o + 1, name, length);
	__atomic_store_n(&o->type, type, __ATOMIC_RELEASE);
	announce(o);
	return o->id;
}

void dlt_objects_after_fork(void)
{
	struct dlt_box_object *o = missed ? missed_object() : NULL;

	if (o)
		memset(o->values, 0, sizeof(o->values));
}

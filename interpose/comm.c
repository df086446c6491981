/* SPDX-License-Identifier: MIT */
/* Communicators by handle: a small open hash table beside the objects of the black box. */
#include "comm.h"

#include <stdbool.h>
#include <string.h>

#include "box_private.h"
#include "objects.h"
#include "process.h"

#define PLACES 1024	/* a power of 2; what finds no place among the next ones is not named */
#define TRIES 64

/* A place once taken stays its handle's; the communicator may be another one later. */
struct place {
	uint64_t key;			/* handle and kind; 0: free */
	struct dlt_box_object *object;	/* borrowed from the box */
	uint32_t made;			/* communicators made of it so far */
	bool said;
};

static struct place places[PLACES];

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b) * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	return x ^ x >> 32;
}

uint64_t dlt_comm_hash(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3;
	hash = mix(hash, size);
	return hash ? hash : 1;
}

/* Handles are pointers below 2^48 or 32-bit numbers: the kind fits above. */
static struct place *place_of(enum dlt_comm_kind kind, uint64_t handle)
{
	uint64_t key = (handle & 0xffffffffffffff) | (uint64_t)kind << 56;
	uint64_t at = mix(key, 0);

	for (unsigned i = 0; i < TRIES; i++) {
		struct place *p = &places[(at + i) % PLACES];
		uint64_t seen = __atomic_load_n(&p->key, __ATOMIC_ACQUIRE);

		if (!seen && __atomic_compare_exchange_n(&p->key, &seen, key, false, __ATOMIC_ACQ_REL,
							 __ATOMIC_ACQUIRE))
			return p;
		if (seen == key)
			return p;
	}
	return NULL;
}

static struct place *place_of_object(const struct dlt_box_object *o)
{
	return place_of((enum dlt_comm_kind)o->values[DLT_COMM_KIND], o->handle);
}

static void make(struct place *p, enum dlt_comm_kind kind, uint64_t handle,
		 const struct dlt_comm_first *first)
{
	const uint64_t values[DLT_COMM_VALUES] = {
		[DLT_COMM_KIND] = kind, [DLT_COMM_RANKS] = first->ranks,
		[DLT_COMM_RANK] = first->rank, [DLT_COMM_IDENTITY] = first->identity,
		[DLT_COMM_ROLE] = first->role,
	};

	p->made = 0;
	p->said = false;
	__atomic_store_n(&p->object, dlt_object_make(DLT_OBJECT_COMMUNICATOR, handle, values,
						     DLT_COMM_VALUES), __ATOMIC_RELEASE);
}

struct dlt_box_object *dlt_comm_of(enum dlt_comm_kind kind, uint64_t handle,
				   const struct dlt_comm_first *first)
{
	struct place *p = dlt_process.counted ? place_of(kind, handle) : NULL;
	struct dlt_box_object *o = p ? __atomic_load_n(&p->object, __ATOMIC_ACQUIRE) : NULL;

	if (o || !p)
		return o;
	make(p, kind, handle, first);
	return __atomic_load_n(&p->object, __ATOMIC_ACQUIRE);
}

void dlt_comm_made(enum dlt_comm_kind kind, uint64_t handle, const struct dlt_comm_first *first)
{
	struct place *p = dlt_process.counted ? place_of(kind, handle) : NULL;

	if (p)
		make(p, kind, handle, first);
}

void dlt_comm_gone(enum dlt_comm_kind kind, uint64_t handle)
{
	struct place *p = dlt_process.counted && handle ? place_of(kind, handle) : NULL;

	if (p)
		__atomic_store_n(&p->object, NULL, __ATOMIC_RELEASE);
}

uint32_t dlt_comm_say(struct dlt_box_object *o)
{
	struct place *p = o ? place_of_object(o) : NULL;

	/* Late, so that what the program asks of a new communicator is known by then. */
	if (p && !__atomic_exchange_n(&p->said, true, __ATOMIC_RELAXED))
		dlt_object_say(o);
	return o ? o->id : 0;
}

uint64_t dlt_comm_next_identity(struct dlt_box_object *parent, uint64_t color)
{
	struct place *p = parent ? place_of_object(parent) : NULL;
	uint64_t index, identity;

	if (!p)
		return 0;
	index = __atomic_add_fetch(&p->made, 1, __ATOMIC_RELAXED);
	identity = parent->values[DLT_COMM_IDENTITY];
	return identity ? mix(mix(identity, index), color + 1) : 0;
}

/* ---- NCCL ---------------------------------------------------------------------------------- */

static const struct dlt_comm_first nothing = { .rank = DLT_COMM_UNKNOWN };

static struct dlt_box_object *nccl(const void *comm)
{
	return comm ? dlt_comm_of(DLT_COMM_NCCL, (uintptr_t)comm, &nothing) : NULL;
}

uint32_t dlt_nccl_comm(const void *comm)
{
	return dlt_comm_say(nccl(comm));
}

uint64_t dlt_nccl_bytes(size_t count, int datatype)
{
	/* int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 fp8 (e4m3, e5m2) */
	static const uint8_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

	return (unsigned)datatype < sizeof(sizes) ? count * sizes[datatype] : 0;
}

uint64_t dlt_nccl_all(const void *comm, uint64_t bytes)
{
	struct dlt_box_object *o = nccl(comm);

	return o ? bytes * o->values[DLT_COMM_RANKS] : 0;
}

void dlt_nccl_made(void **comm, int ranks, int rank, const struct dlt_nccl_id *ids, int id_count)
{
	struct dlt_comm_first first = {
		.ranks = ranks > 0 ? (uint64_t)ranks : 0, .rank = (uint64_t)rank,
		.identity = dlt_comm_hash(DLT_COMM_NCCL, ids, sizeof(*ids) * (size_t)(id_count > 0)),
	};

	if (comm && *comm)
		dlt_comm_made(DLT_COMM_NCCL, (uintptr_t)*comm, &first);
}

void dlt_nccl_made_all(void **comms, int count)
{
	for (int i = 0; comms && i < count; i++) {
		struct dlt_comm_first first = { .ranks = (uint64_t)count, .rank = (uint64_t)i };

		if (comms[i])
			dlt_comm_made(DLT_COMM_NCCL, (uintptr_t)comms[i], &first);
	}
}

void dlt_nccl_split(void **made, const void *parent, int color)
{
	struct dlt_comm_first first = { .rank = DLT_COMM_UNKNOWN };

	first.identity = dlt_comm_next_identity(nccl(parent), (uint64_t)color);
	if (made && *made)
		dlt_comm_made(DLT_COMM_NCCL, (uintptr_t)*made, &first);
}

void dlt_nccl_grown(void **made, int ranks, int rank, const struct dlt_nccl_id *id)
{
	const struct dlt_comm_first first = { .ranks = ranks > 0 ? (uint64_t)ranks : 0, .rank = DLT_COMM_UNKNOWN };

	if (id && rank >= 0)
		dlt_nccl_made(made, ranks, rank, id, 1);
	else if (made && *made)
		dlt_comm_made(DLT_COMM_NCCL, (uintptr_t)*made, &first);
}

int dlt_nccl_free(int (*real)(void *comm), void *comm)
{
	dlt_comm_gone(DLT_COMM_NCCL, (uintptr_t)comm);
	return real(comm);
}

void dlt_nccl_ranks_are(const void *comm, int ranks)
{
	struct dlt_box_object *o = nccl(comm);

	if (o)
		__atomic_store_n(&o->values[DLT_COMM_RANKS], (uint64_t)ranks, __ATOMIC_RELAXED);
}

void dlt_nccl_rank_is(const void *comm, int rank)
{
	struct dlt_box_object *o = nccl(comm);

	if (o)
		__atomic_store_n(&o->values[DLT_COMM_RANK], (uint64_t)rank, __ATOMIC_RELAXED);
}

/* ---- Gloo ---------------------------------------------------------------------------------- */

uint32_t dlt_gloo_comm(void)
{
	const struct dlt_rank *r = &dlt_process.rank;
	struct dlt_comm_first first = { .rank = DLT_COMM_UNKNOWN };

	if (r->rank >= 0) {
		first.rank = (uint64_t)r->rank;
		first.ranks = r->size > 0 ? (uint64_t)r->size : 0;
		first.identity = dlt_comm_hash(dlt_process.job, "gloo", 4);
	}
	return dlt_comm_say(dlt_comm_of(DLT_COMM_GLOO, 1, &first));
}

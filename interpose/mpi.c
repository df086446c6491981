/* SPDX-License-Identifier: MIT */
/* The two ABIs of MPI: handles, sizes of datatypes, MPI_IN_PLACE and statuses. */
#include "mpi.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "box_private.h"
#include "log.h"
#include "process.h"
#include "scope.h"

/* MPICH: the upper bits of a handle say what it is. */
#define MPICH_WORLD 0x44000000
#define MPICH_SELF 0x44000001
#define MPICH_BASIC 0x4c000000	/* a basic datatype: its size is in bits 8 to 15 */
#define MPICH_KIND 0xfc000000
#define MPICH_PAIRS 0x8c000000	/* MPI_FLOAT_INT, MPI_DOUBLE_INT, ... */
#define MPICH_IN_PLACE UINTPTR_MAX
#define MPICH_STATUS_IGNORE 1
#define MPICH_PROC_NULL (-1)

#define OPEN_MPI_IN_PLACE 1
#define OPEN_MPI_PROC_NULL (-2)
#define OPEN_MPI_SIZE_AT 24	/* in a datatype: size_t, its size in bytes */

struct open_mpi_status {
	int source, tag, error, cancelled;
	size_t bytes;
};

struct mpich_status {
	uint32_t low, high_and_cancelled;
	int source, tag, error;
};

enum abi { NOT_LOOKED, INTS, POINTERS };

static struct {
	enum abi abi;			/* stored last */
	bool sized;			/* Open MPI's datatypes are laid out as we think */
	uint64_t world, self;
} mpi;

static bool open_mpi_size_is(const char *symbol, size_t size)
{
	const char *type = dlt_scope_find_data(symbol);

	return type && *(const size_t *)(const void *)(type + OPEN_MPI_SIZE_AT) == size;
}

static enum abi look(void)
{
	const void *world = dlt_scope_find_data("ompi_mpi_comm_world");
	enum abi abi = world ? POINTERS : INTS;

	mpi.world = world ? (uintptr_t)world : MPICH_WORLD;
	mpi.self = world ? (uintptr_t)dlt_scope_find_data("ompi_mpi_comm_self") : MPICH_SELF;
	mpi.sized = world && open_mpi_size_is("ompi_mpi_char", 1) &&
		    open_mpi_size_is("ompi_mpi_short", sizeof(short)) &&
		    open_mpi_size_is("ompi_mpi_float", sizeof(float)) &&
		    open_mpi_size_is("ompi_mpi_double", sizeof(double));
	if (world && !mpi.sized)
		dlt_log(DLT_LOG_MPI, "unknown layout of Open MPI's datatypes: no bytes", NULL, 0);
	__atomic_store_n(&mpi.abi, abi, __ATOMIC_RELEASE);
	return abi;
}

static inline enum abi abi(void)
{
	enum abi known = __atomic_load_n(&mpi.abi, __ATOMIC_ACQUIRE);

	return known ? known : look();
}

/* Of an int only the lower half of the register is its own. */
static uint64_t handle(const void *argument)
{
	return abi() == INTS ? (uint32_t)(uintptr_t)argument : (uintptr_t)argument;
}

static uint64_t handle_at(const void *place)
{
	uint32_t small = 0;
	uintptr_t large = 0;

	if (!place)
		return 0;
	if (abi() == INTS)
		memcpy(&small, place, sizeof(small));
	else
		memcpy(&large, place, sizeof(large));
	return small | large;
}

/* ---- communicators ------------------------------------------------------------------------- */

/* World's size and rank are what the launcher said; the program asks MPI for them anyway. */
static struct dlt_comm_first first_of(uint64_t comm)
{
	struct dlt_comm_first first = { .rank = DLT_COMM_UNKNOWN };
	const struct dlt_rank *r = &dlt_process.rank;

	if (comm == mpi.self) {
		first = (struct dlt_comm_first){ .ranks = 1, .role = DLT_COMM_SELF };
	} else if (comm == mpi.world) {
		first.role = DLT_COMM_WORLD;
		if (dlt_process.job)
			first.identity = dlt_comm_hash(dlt_process.job, "world", 5);
		if (r->size > 0) {
			first.ranks = (uint64_t)r->size;
			first.rank = (uint64_t)r->rank;
		}
	}
	return first;
}

static struct dlt_box_object *comm_of(const void *comm)
{
	uint64_t h = handle(comm);
	struct dlt_comm_first first = first_of(h);

	return dlt_comm_of(DLT_COMM_MPI, h, &first);
}

uint32_t dlt_mpi_comm(const void *comm)
{
	return dlt_comm_say(comm_of(comm));
}

/* NULL where its counts are not of its own ranks, too. */
static struct dlt_box_object *own_ranks_of(const void *comm)
{
	struct dlt_box_object *o = comm_of(comm);

	return o && o->values[DLT_COMM_ROLE] != DLT_COMM_BETWEEN ? o : NULL;
}

int64_t dlt_mpi_ranks(const void *comm)
{
	struct dlt_box_object *o = own_ranks_of(comm);

	return o ? (int64_t)o->values[DLT_COMM_RANKS] : 0;
}

int64_t dlt_mpi_rank(const void *comm)
{
	struct dlt_box_object *o = own_ranks_of(comm);

	return o && o->values[DLT_COMM_RANK] != DLT_COMM_UNKNOWN ?
		       (int64_t)o->values[DLT_COMM_RANK] : -1;
}

static void set(const void *comm, enum dlt_comm_value which, int value)
{
	struct dlt_box_object *o = comm_of(comm);

	if (o && value >= 0)
		__atomic_store_n(&o->values[which], (uint64_t)value, __ATOMIC_RELAXED);
}

void dlt_mpi_ranks_are(const void *comm, int ranks)
{
	set(comm, DLT_COMM_RANKS, ranks);
}

void dlt_mpi_rank_is(const void *comm, int rank)
{
	set(comm, DLT_COMM_RANK, rank);
}

static void made(const void *place, const struct dlt_comm_first *first)
{
	uint64_t h = handle_at(place);

	if (h)
		dlt_comm_made(DLT_COMM_MPI, h, first);
}

void dlt_mpi_same(const void *place, const void *parent)
{
	struct dlt_box_object *o = comm_of(parent);
	struct dlt_comm_first first = { .rank = DLT_COMM_UNKNOWN };

	if (o) {
		first.ranks = o->values[DLT_COMM_RANKS];
		first.rank = o->values[DLT_COMM_RANK];
		first.role = o->values[DLT_COMM_ROLE] == DLT_COMM_BETWEEN ? DLT_COMM_BETWEEN : DLT_COMM_OTHER;
		first.identity = dlt_comm_next_identity(o, 0);
	}
	made(place, &first);
}

void dlt_mpi_derived(const void *place, const void *parent, int color)
{
	struct dlt_comm_first first = { .rank = DLT_COMM_UNKNOWN };

	first.identity = dlt_comm_next_identity(comm_of(parent), (uint64_t)color);
	made(place, &first);
}

void dlt_mpi_unknown(const void *place, const void *parent)
{
	struct dlt_comm_first first = { .rank = DLT_COMM_UNKNOWN };

	if (parent)
		dlt_mpi_sibling(parent);
	made(place, &first);
}

void dlt_mpi_between(const void *place)
{
	made(place, &(struct dlt_comm_first){ .rank = DLT_COMM_UNKNOWN, .role = DLT_COMM_BETWEEN });
}

void dlt_mpi_sibling(const void *parent)
{
	dlt_comm_next_identity(comm_of(parent), 0);
}

int dlt_mpi_free(int (*real)(void *comm), void *comm)
{
	dlt_comm_gone(DLT_COMM_MPI, handle_at(comm));
	return real(comm);
}

/* ---- datatypes ----------------------------------------------------------------------------- */

#define LEARNT 1024	/* a power of 2 */

/* Sizes of MPICH's other datatypes, by handle; the last one of a place stays. */
static uint64_t learnt[LEARNT];	/* size << 32 | handle */

static uint64_t pack(uint32_t type, uint64_t size)
{
	return (uint64_t)(size < UINT32_MAX ? size : 0) << 32 | type;
}

static unsigned place_of(uint32_t type)
{
	return (type ^ type >> 26) % LEARNT;
}

static uint64_t learnt_size(uint32_t type)
{
	static const uint8_t pairs[] = { 8, 12, 12, 6, 20 };
	uint64_t seen;

	if (type - MPICH_PAIRS < sizeof(pairs))
		return pairs[type - MPICH_PAIRS];
	seen = __atomic_load_n(&learnt[place_of(type)], __ATOMIC_RELAXED);
	return (uint32_t)seen == type ? seen >> 32 : 0;
}

static uint64_t size_of(uint64_t type)
{
	if (abi() == POINTERS)
		return mpi.sized && type ? *(const size_t *)(type + OPEN_MPI_SIZE_AT) : 0;
	return (type & MPICH_KIND) == MPICH_BASIC ? type >> 8 & 0xff : learnt_size((uint32_t)type);
}

static void learn(const void *made_at, uint64_t size)
{
	uint32_t type = (uint32_t)handle_at(made_at);

	if (type)
		__atomic_store_n(&learnt[place_of(type)], pack(type, size), __ATOMIC_RELAXED);
}

void dlt_mpi_learn(const void *made_at, int64_t count, const void *type)
{
	if (abi() == INTS)
		learn(made_at, dlt_mpi_bytes(count, type));
}

void dlt_mpi_learn_struct_int(const void *made_at, int64_t n, const int *counts, const void *types)
{
	uint64_t size = 0;

	for (int64_t i = 0; abi() == INTS && i < n; i++)
		size += (uint64_t)counts[i] * size_of(handle_at((const uint32_t *)types + i));
	if (abi() == INTS)
		learn(made_at, size);
}

void dlt_mpi_learn_struct_long(const void *made_at, int64_t n, const long *counts,
			       const void *types)
{
	uint64_t size = 0;

	for (int64_t i = 0; abi() == INTS && i < n; i++)
		size += (uint64_t)counts[i] * size_of(handle_at((const uint32_t *)types + i));
	if (abi() == INTS)
		learn(made_at, size);
}

/* ---- bytes --------------------------------------------------------------------------------- */

uint64_t dlt_mpi_bytes(int64_t count, const void *type)
{
	return count > 0 ? (uint64_t)count * size_of(handle(type)) : 0;
}

uint64_t dlt_mpi_message(int64_t count, const void *type, int peer)
{
	return peer == (abi() == POINTERS ? OPEN_MPI_PROC_NULL : MPICH_PROC_NULL) ? 0 : dlt_mpi_bytes(count, type);
}

uint64_t dlt_mpi_received(const void *status, uint64_t bytes)
{
	const struct open_mpi_status *open = status;
	const struct mpich_status *mpich = status;

	if (abi() == POINTERS)
		return status ? open->bytes : bytes;
	if ((uintptr_t)status <= MPICH_STATUS_IGNORE)
		return bytes;
	return mpich->low | (uint64_t)(mpich->high_and_cancelled >> 1) << 32;
}

int dlt_mpi_in_place(const void *buffer)
{
	return (uintptr_t)buffer == (abi() == POINTERS ? OPEN_MPI_IN_PLACE : MPICH_IN_PLACE);
}

uint64_t dlt_mpi_either(const void *buffer, int64_t count, const void *type, int64_t in_place_count,
			const void *in_place_type)
{
	return dlt_mpi_in_place(buffer) ? dlt_mpi_bytes(in_place_count, in_place_type)
					: dlt_mpi_bytes(count, type);
}

uint64_t dlt_mpi_all(const void *comm, uint64_t bytes)
{
	return bytes * (uint64_t)dlt_mpi_ranks(comm);
}

int64_t dlt_mpi_total_int(int64_t n, const int *counts)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

int64_t dlt_mpi_total_long(int64_t n, const long *counts)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

int64_t dlt_mpi_product_int(int n, const int *counts)
{
	int64_t product = n > 0;

	for (int i = 0; i < n; i++)
		product *= counts[i];
	return product;
}

int64_t dlt_mpi_product_long(int n, const long *counts)
{
	int64_t product = n > 0;

	for (int i = 0; i < n; i++)
		product *= counts[i];
	return product;
}

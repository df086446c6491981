/* SPDX-License-Identifier: MIT */
/*
 * MPI's handles, for comm.tbl: what a communicator is, how large a datatype is, without a call of
 * MPI. One binary serves the two ABIs there are: Open MPI's handles are pointers, those of MPICH
 * and its kin (Intel MPI, MVAPICH2) are ints, which a `void *` argument carries as well; which of
 * them is loaded tells Open MPI's symbol of MPI_COMM_WORLD.
 *
 * Sizes: Open MPI's datatypes say theirs at a place that is checked with known ones first; MPICH's
 * basic datatypes have theirs in the handle, and those made of them are noted while they are made.
 * What is not known counts 0 bytes.
 *
 * Hook-safe. Handles and buffers are looked behind only after MPI has taken them.
 */
#ifndef DLT_INTERPOSE_MPI_H
#define DLT_INTERPOSE_MPI_H

#include <stdint.h>

#include "comm.h"

uint32_t dlt_mpi_comm(const void *comm);

uint64_t dlt_mpi_bytes(int64_t count, const void *type);
/* The same of a message; 0 where `peer` is MPI_PROC_NULL: nothing moves then. */
uint64_t dlt_mpi_message(int64_t count, const void *type, int peer);
/* What was received, by its status; the whole buffer where the program ignores that. */
uint64_t dlt_mpi_received(const void *status, uint64_t bytes);
/* Of the buffer, or, if it is MPI_IN_PLACE, of what its data are then told by. */
uint64_t dlt_mpi_either(const void *buffer, int64_t count, const void *type, int64_t in_place_count,
			const void *in_place_type);
/* The same for each rank of comm; 0 where their number is not known. */
uint64_t dlt_mpi_all(const void *comm, uint64_t bytes);

/* Counts are int, or long in the functions for large counts: one for each rank of comm. */
int64_t dlt_mpi_total_int(int64_t n, const int *counts);
int64_t dlt_mpi_total_long(int64_t n, const long *counts);
/* Not known between two groups, either: there are counts for each rank of the other one. */
int64_t dlt_mpi_ranks(const void *comm);	/* 0: not known */
int64_t dlt_mpi_rank(const void *comm);		/* -1: not known */

#define dlt_mpi_total(n, counts) \
	_Generic((counts), int *: dlt_mpi_total_int, const int *: dlt_mpi_total_int, \
		 const long *: dlt_mpi_total_long)(n, counts)
#define dlt_mpi_sum(counts, type, comm) \
	dlt_mpi_bytes(dlt_mpi_total(dlt_mpi_ranks(comm), counts), type)
/* This rank's own one. */
#define dlt_mpi_own(counts, comm) (dlt_mpi_rank(comm) < 0 ? 0 : (counts)[dlt_mpi_rank(comm)])
#define dlt_mpi_sums(buffer, counts, type, in_place_counts, in_place_type, comm) \
	(dlt_mpi_in_place(buffer) ? dlt_mpi_sum(in_place_counts, in_place_type, comm) \
				  : dlt_mpi_sum(counts, type, comm))
int dlt_mpi_in_place(const void *buffer);

/* ---- what the program does with communicators: `made` points to a handle ---- */

void dlt_mpi_ranks_are(const void *comm, int ranks);
void dlt_mpi_rank_is(const void *comm, int rank);
void dlt_mpi_same(const void *made, const void *parent);
void dlt_mpi_derived(const void *made, const void *parent, int color);
/* Its identity can't be told; parent may be NULL. */
void dlt_mpi_unknown(const void *made, const void *parent);
/* It is between two groups. */
void dlt_mpi_between(const void *made);
/* One is being made of it, and is not there yet. */
void dlt_mpi_sibling(const void *parent);
/* Calls real(comm), which gives it back: its handle may be that of another one soon. */
int dlt_mpi_free(int (*real)(void *comm), void *comm);

/* ---- and with datatypes ---- */

void dlt_mpi_learn(const void *made, int64_t count, const void *type);
void dlt_mpi_learn_struct_int(const void *made, int64_t n, const int *counts, const void *types);
void dlt_mpi_learn_struct_long(const void *made, int64_t n, const long *counts, const void *types);
#define dlt_mpi_learn_struct(made, n, counts, types) \
	_Generic((counts), int *: dlt_mpi_learn_struct_int, const int *: dlt_mpi_learn_struct_int, \
		 const long *: dlt_mpi_learn_struct_long)(made, n, counts, types)

int64_t dlt_mpi_product_int(int n, const int *counts);
int64_t dlt_mpi_product_long(int n, const long *counts);
#define dlt_mpi_product(n, counts) \
	_Generic((counts), const int *: dlt_mpi_product_int, \
		 const long *: dlt_mpi_product_long)(n, counts)

static inline int64_t dlt_mpi_times(int64_t a, int64_t b)
{
	return a > 0 && b > 0 ? (int64_t)((uint64_t)a * (uint64_t)b) : 0;
}

#endif

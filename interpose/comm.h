/* SPDX-License-Identifier: MIT */
/*
 * Communicators of NCCL and MPI: small ids for their handles, and what is known about each: how
 * many ranks, which of them this process is, and an identity that is the same in all of its
 * processes, so that a report can put together what they say of it.
 *
 * An identity is a hash: of NCCL's unique id; for MPI_COMM_WORLD of the job as its launcher names
 * it; for what is made of another communicator, of that one's identity, of how many were made of
 * it before (its ranks make them together, in the same order), and of the colour. 0 is "not known".
 *
 * All of it is observed in calls that the program makes. Hook-safe: no locks, no allocation, no
 * call of NCCL or MPI. Ids are 0 when none is left.
 */
#ifndef DLT_INTERPOSE_COMM_H
#define DLT_INTERPOSE_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "comm_types.h"

/* ---- what both are made of ---- */

struct dlt_box_object;

/* The communicator with this handle; made, with what *first says, if it is not known yet. */
struct dlt_comm_first {
	uint64_t ranks, rank, identity, role;	/* as in dltrace_proc:object */
};
struct dlt_box_object *dlt_comm_of(enum dlt_comm_kind kind, uint64_t handle,
				   const struct dlt_comm_first *first);

/* The program has made one: whatever had that handle before is another one. */
void dlt_comm_made(enum dlt_comm_kind kind, uint64_t handle, const struct dlt_comm_first *first);

/* The program gives it back: what has that handle next is another one, also if it is not seen being made. */
void dlt_comm_gone(enum dlt_comm_kind kind, uint64_t handle);

/* Its id for an event, named in the trace from now on. */
uint32_t dlt_comm_say(struct dlt_box_object *o);

/* The identity of the next communicator that is made of `parent`. */
uint64_t dlt_comm_next_identity(struct dlt_box_object *parent, uint64_t color);

uint64_t dlt_comm_hash(uint64_t hash, const void *data, size_t size);

/* ---- NCCL, for comm.tbl ---- */

uint32_t dlt_nccl_comm(const void *comm);

/* ncclDataType_t; 0 bytes for types that are not known. */
uint64_t dlt_nccl_bytes(size_t count, int datatype);
/* The same for each rank of comm; 0 where their number is not known. */
uint64_t dlt_nccl_all(const void *comm, uint64_t bytes);

void dlt_nccl_made(void **comm, int ranks, int rank, const struct dlt_nccl_id *ids, int id_count);
void dlt_nccl_made_all(void **comms, int count);
/* color: as the program gave it; the new communicator may be NULL (no color) */
void dlt_nccl_split(void **made, const void *parent, int color);
/* id NULL: this rank was in the old one, the new one's identity is not known. */
void dlt_nccl_grown(void **made, int ranks, int rank, const struct dlt_nccl_id *id);
/* Calls real(comm), which gives it back. */
int dlt_nccl_free(int (*real)(void *comm), void *comm);
void dlt_nccl_ranks_are(const void *comm, int ranks);
void dlt_nccl_rank_is(const void *comm, int rank);

/* ---- Gloo ---- */

/* All groups of this process are told as one, whose ranks are those that the launcher gave. */
uint32_t dlt_gloo_comm(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The ledger of GPU memory: what each kind, device and asking library holds now, exactly, whether
 * or not anybody listens; kept in the black box (struct dlt_box_memory).
 *
 * A free does not say how much it frees, so blocks stand in a table of the process's own: some
 * arrays that are mapped as they are needed, each place claimed by one compare-and-swap. A block is
 * taken out *before* the real free, and put back if that fails: another thread may be given the
 * same address before the free has returned.
 *
 * Only the outermost of nested calls about memory counts: cudaMalloc calls cuMemAlloc. What encloses
 * them otherwise (ncclCommInitRank) does not matter. Only what succeeded counts.
 *
 * No locks; never calls CUDA. A forked child owns nothing.
 */
#ifndef DLT_INTERPOSE_LEDGER_H
#define DLT_INTERPOSE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_types.h"
#include "memory_kinds.h"
#include "process.h"
#include "thread.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* One call about memory, on the wrapper's stack. */
struct dlt_ledger {
	bool outer;
	bool found;		/* free: the block was known, and what follows is set */
	uint8_t memory, device;
	uint16_t library;	/* who asked for it */
	uint16_t row;
	uint64_t key, size;	/* size: bytes that this call frees */
	uint32_t backing, stack;
	uint8_t context;
};

/* Stack address of the outermost call about memory in flight; 0: none. */
extern __thread uintptr_t dlt_ledger_at __attribute__((tls_model("initial-exec")));

/* False: nested in another one, or not traced; then the other functions do nothing. */
static inline bool dlt_ledger_begin(struct dlt_ledger *l)
{
	*l = (struct dlt_ledger){ .outer = false };
	dlt_thread_self();	/* in a forked child: makes its box */
	/* What lies at or below this call is over, however it was left. */
	l->outer = (!dlt_ledger_at || dlt_ledger_at <= (uintptr_t)l) && dlt_process.traced;
	if (l->outer)
		dlt_ledger_at = (uintptr_t)l;
	return l->outer;
}

/*
 * The real function has returned. handle: the pointer or what else names the block; size in bytes;
 * library: who asked. backing: the handle of the physical memory that is mapped, else 0.
 */
void dlt_ledger_allocated(struct dlt_ledger *l, bool ok, enum dlt_memory memory, uint8_t device,
			  uint16_t library, uint64_t handle, uint64_t size, uint64_t backing);

/* Before the real function: takes the block out. size: of a range that is unmapped, else 0. */
void dlt_ledger_take(struct dlt_ledger *l, enum dlt_memory memory, uint64_t handle, uint64_t size);

/* After it: counts the block as freed, or puts it back. library: who frees. */
void dlt_ledger_freed(struct dlt_ledger *l, bool ok, uint8_t device, uint16_t library);

/* A device was reset: what belonged to its primary context is gone. */
void dlt_ledger_reset(uint8_t device);
/* The same of another context, by its id (contexts.h). */
void dlt_ledger_context_gone(uint8_t context);

/* A graph was given a node that allocates; NULL: it was not. */
void dlt_ledger_graph(const struct dlt_cuda_node_memory *memory);

/* What CUDA says of a device's memory (cudaMemGetInfo), in bytes. */
void dlt_ledger_told(uint8_t device, uint64_t free, uint64_t total);

/* The thread has ended: its rows may go to the next one. */
void dlt_ledger_thread_end(const struct dlt_thread *t);

/* Child side of fork, after the new box is in place. */
void dlt_ledger_after_fork(void);

#pragma GCC visibility pop

/* Where cuMemCreate's memory is, of CUmemAllocationProp (cuda.h). NULL: a GPU, the first. */
static inline enum dlt_memory dlt_cu_prop_memory(const void *prop)
{
	return !prop || dlt_cu_is_gpu(dlt_cu_prop_location(prop)) ? DLT_MEMORY_PHYSICAL : DLT_MEMORY_HOST;
}

static inline uint8_t dlt_cu_prop_device(const void *prop)
{
	return prop && dlt_cu_is_gpu(dlt_cu_prop_location(prop)) ? dlt_cu_gpu(dlt_cu_prop_location(prop)) : 0;
}

#endif

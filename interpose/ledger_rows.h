/* SPDX-License-Identifier: MIT */
/*
 * The rows of the ledger of GPU memory in the black box (struct dlt_box_memory): found by kind, device and
 * asking library, and counted into without a lock.
 *
 * While one thread alone uses a row it only stores. Once others have come, each of the first DLT_BOX_OWNS of
 * them has counters of its own, and keeps the room of what it gives back: it takes from there what it asks
 * for next, and nobody else's cache line moves. Bytes that are live are row->live less all that is kept so.
 * Each call changes one of these words, so their sum is exact at each moment. So is the peak: where row->live
 * is not above it nothing can be; where it is, who asks for memory sums up and raises it. Of calls that
 * overlap in time nobody can tell which was first: then the peak is that of one of the orders.
 */
#ifndef DLT_INTERPOSE_LEDGER_ROWS_H
#define DLT_INTERPOSE_LEDGER_ROWS_H

#include <stdint.h>

#include "box.h"
#include "memory_kinds.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

#define ROWS_NONE DLT_BOX_MEMORY	/* of indices: there is no row */

/*
 * The caller's row, made at first use; where there are too many callers, the one of all others (DLT_BOX_OTHERS)
 * of its kind and device; where there are too many devices, none. Of DLT_MEMORY_STRAY there is always one.
 */
unsigned rows_of(enum dlt_memory memory, uint8_t device, uint16_t library);

/* A block of so many bytes; one less; one that was refused. */
void rows_alloc(unsigned index, uint64_t size);
void rows_free(unsigned index, uint64_t size);
void rows_refused(unsigned index, uint64_t size);

/* A forked child has none. */
void rows_forget(void);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: MIT */
/*
 * From a buffer of CUPTI's records to events of dltrace_gpu. Buffers are only read, so another
 * profiler's may pass here on their way to it. Any thread; takes a lock of its own.
 */
#ifndef DLT_INTERPOSE_CUPTI_RECORDS_H
#define DLT_INTERPOSE_CUPTI_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find.h"

/* `kinds` of dltrace_gpu:gap */
enum { GAP_KERNELS = 1, GAP_COPIES = 2, GAP_SETS = 4, GAP_SYNCS = 8, GAP_CALLS = 16, GAP_PEERS = 32,
       GAP_ALL = 63 };

struct records_account {
	uint64_t emitted;	/* pieces of the GPU's work */
	uint64_t unfinished;	/* told before they had ended, so without a time */
	uint64_t odd;		/* with times or sizes that cannot be */
	uint64_t clock_error;	/* ns, the largest that a time of theirs may have */
};

/* False: there is no memory. */
bool records_init(const struct dlt_cupti_host *host, const struct cupti *cupti);

/* A pair of clock readings, now; changed: of another clock than before. */
void records_tick(bool changed);

/*
 * Work whose call is not known yet waits for it. has_waits: there are records of synchronisations; else calls tell
 * them.
 */
void records_read(uint8_t *buffer, size_t valid, bool has_waits);

/* Returns when no thread of CUPTI's reads a buffer any more, in which calls may be; after `ns` at most. */
void records_finish(uint64_t ns);

/* Work that has waited for its call for `ns` is emitted without; 0: all. */
void records_settle(uint64_t ns);

/* Names are said again. */
void records_again(void);

struct records_account records_account(void);

/* In a forked child: the lock is free again. */
void records_after_fork(void);

#endif

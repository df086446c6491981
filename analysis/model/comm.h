/* SPDX-License-Identifier: MIT */
/*
 * What a process did on each communicator, by function: sums over the calls that are events. What
 * only the totals know (too short, nested, lost, level summary) is in no communicator's sums.
 *
 * Of sockets also the time in which data moved: from a transfer's begin to its end, with the pauses
 * between two that are shorter than TRANSFER_PAUSE, and nothing twice.
 */
#ifndef DLT_ANALYSIS_MODEL_COMM_H
#define DLT_ANALYSIS_MODEL_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm_types.h"
#include "events.h"
#include "analysis/model/idmap.h"
#include "analysis/model/leaves.h"
#include "analysis/model/tally.h"

struct process;

#define TRANSFER_PAUSE 1000000	/* ns */

struct communicator {
	uint32_t id;		/* 0: calls whose communicator is not known */
	enum dlt_comm_kind kind;
	enum dlt_comm_role role;
	uint64_t handle;
	uint64_t ranks, identity;	/* 0: not known; equal identities of one trace are the same */
	int64_t rank;		/* -1: not known */
	unsigned number;	/* of its identity among its kind's, by first sight, from 1; at the trace's end */
};

struct comm_use {
	uint32_t communicator;	/* id */
	uint16_t function;
	uint64_t calls, failed, bytes;
	uint64_t total, max;	/* ns, of all of them */
	int64_t begin, end;	/* of the first one, of the last one */
	struct leaves *leaves;	/* owned; NULL: calls with a root or a peer */
	struct tally slices;	/* struct slice, nothing nested */
};

struct comms {
	struct communicator *list;	/* owned; as announced last */
	size_t count, capacity;
	struct comm_use *uses;		/* owned; by first sight */
	size_t use_count, use_capacity;
	struct idmap by_id, use_by_key;	/* indices */
	uint64_t moving;		/* ns */
	int64_t moved_until;		/* the end of the last transfer */
};

void comms_release(struct comms *c);
void comms_announced(struct comms *c, const struct dlt_ev_proc_object *e);
/* at: the call's end */
void comms_call(struct comms *c, const struct dlt_ev_comm_call *e, int64_t at, uint64_t duration,
		bool failed);
/* What `from` did was the other's; `from` does it no more. */
void comms_adopt(struct comms *to, struct comms *from);
/* The same of a transfer on a socket, besides. */
void comms_transfer(struct comms *c, int64_t at, uint64_t duration);
/* Numbers those of all processes of a trace, when all has been read. */
void comms_number(struct process *const *processes, size_t count);
/* The same for all communicators that are one; other ones have others. Of those with an identity. */
static inline uint64_t comm_key(const struct communicator *c)
{
	return c->identity ^ (uint64_t)c->kind << 61;
}
/* NULL when nobody announced it. */
const struct communicator *comms_find(const struct comms *c, uint32_t id);

#endif

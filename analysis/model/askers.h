/* SPDX-License-Identifier: MIT */
/*
 * Who asks for memory: what each call stack of a process has asked for and holds (dltracefull_stack).
 *
 * The heap and the memory of GPUs are summed apart, each with what every stack held at the moment when the most was
 * live: at a new peak all stacks hold what they do then, so each keeps that when it changes next, and no peak costs
 * a walk. A stack is told by the id of its innermost frame, which the process's own frames explain.
 *
 * Events are taken in order of their time (window.h): a block may be given back by another thread, whose events come
 * first.
 *
 * Blocks of the heap are told by their address alone: they are kept while they live, so memory grows with what the
 * program holds, not with the length of the trace. A block is temporary if the thread that asked for it gives it back
 * before it asks for another one: both stand in that thread's own events, whose order is certain.
 */
#ifndef DLT_ANALYSIS_MODEL_ASKERS_H
#define DLT_ANALYSIS_MODEL_ASKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame_kinds.h"
#include "analysis/model/idmap.h"

struct process;
struct trace;

struct asker_frame {
	uint32_t caller;		/* id of its caller's frame; 0: it has none */
	uint64_t what;			/* frame_kinds.h; 0: nobody has said */
};

enum asked_memory { ASKED_HEAP, ASKED_GPU, ASKED_OTHER, ASKED_KINDS };	/* GPU: what takes room there */

/* What one stack asked for of one kind on one device. */
struct asker {
	uint32_t stack;			/* id of its innermost frame; 0: not known */
	uint8_t memory, device;		/* DLT_STACK_HEAP, or enum dlt_memory */
	uint64_t allocated;		/* bytes */
	uint64_t allocations;
	uint64_t temporary, temporary_bytes;	/* of these: blocks of the heap that did not last */
	int64_t live, blocks;		/* now, while the trace is read; at its end: in the end */
	int64_t peak_live, peak_blocks;	/* when the most was live, if `peak` is that one's number */
	uint64_t peak;
};

struct asked_sum {
	int64_t live, peak;		/* bytes */
	int64_t peak_at;		/* UNKNOWN: nothing was asked for in the range */
	uint64_t number;		/* of peaks so far */
};

struct askers {
	struct asker_frame *frames;	/* owned; by id - 1 */
	size_t frame_count, frame_capacity;
	struct asker *list;		/* owned; by first sight */
	size_t count, capacity;
	struct idmap by_key;		/* index into list */
	struct idmap blocks;		/* of the heap, by address: size << 24 | index into list */
	struct idmap newest;		/* of the heap: who asked for a block last of all that thread's, by address */
	struct asked_sum sums[ASKED_KINDS];
};

void askers_release(struct askers *a);

/* What the events of an unannounced thread told is `to`'s. */
void askers_adopt(struct askers *to, struct askers *orphan);

/* All has been read. */
void askers_end(struct trace *t);

enum asked_memory asked_kind(uint8_t memory);

/* Bytes and blocks that it held when the most of its kind was live. */
int64_t asker_peak(const struct askers *all, const struct asker *a);
int64_t asker_peak_blocks(const struct askers *all, const struct asker *a);

/* It asked for something in the range, or held something in it: at its peak or in its end. */
bool asker_counts(const struct askers *all, const struct asker *a);

/* NULL: neither the process nor those it was forked from has said. */
const struct asker_frame *process_frame_of(const struct process *p, uint32_t id);

#endif

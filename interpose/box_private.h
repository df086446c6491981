/* SPDX-License-Identifier: MIT */
/*
 * The writer's side of the black box (layout and rules: tracepoints/box.h).
 *
 * One mapping, at one address for the life of the process and of its forked children: a child
 * maps its own over it. Pages are backed when they are first needed, so that a full /dev/shm is
 * an answer here and not a SIGBUS there.
 */
#ifndef DLT_INTERPOSE_BOX_PRIVATE_H
#define DLT_INTERPOSE_BOX_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "box.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

extern struct dlt_box_header *dlt_box;	/* NULL before the first hook of a process */

/*
 * Makes the box of this process, in place of the old one if there is any: what ids mean is copied,
 * counters begin at 0. `folder`: DLTRACE_BOX, "" for private memory.
 * Falls back to private memory, saying why in `cause`. Identity (dlt_process) must stand.
 */
void dlt_box_make(const char *folder);

/* The box is complete: readers may come. */
void dlt_box_publish(const char *folder);

/* Makes sure that [p, p + size) inside the box can be written. Hook-safe. */
bool dlt_box_back(const void *p, size_t size);

/* Takes over dlt_clock_pairs after they have changed. */
void dlt_box_set_clock(void);

/* True when the box is a file that a recorder finds. */
bool dlt_box_is_read(void);

/* Bytes of the whole box, for the sampling thread. */
size_t dlt_box_size(void);

static inline struct dlt_box_slot *dlt_box_slot(unsigned index)
{
	return (struct dlt_box_slot *)((char *)dlt_box + dlt_box->slots_offset) + index;
}

static inline struct dlt_box_late *dlt_box_late(unsigned function)
{
	return (struct dlt_box_late *)((char *)dlt_box + dlt_box->late_offset) + function;
}

static inline struct dlt_box_totals *dlt_box_totals(unsigned index)
{
	return (struct dlt_box_totals *)((char *)dlt_box + dlt_box->totals_offset) + index;
}

static inline struct dlt_box_library *dlt_box_library(unsigned id)
{
	return (struct dlt_box_library *)((char *)dlt_box + dlt_box->libraries_offset) + id;
}

static inline struct dlt_box_object *dlt_box_object(unsigned index)
{
	return (struct dlt_box_object *)((char *)dlt_box + dlt_box->objects_offset) + index;
}

static inline struct dlt_box_frame *dlt_box_frame(unsigned index)
{
	return (struct dlt_box_frame *)((char *)dlt_box + dlt_box->frames_offset) + index;
}

static inline struct dlt_box_memory *dlt_box_memory(unsigned index)
{
	return (struct dlt_box_memory *)((char *)dlt_box + dlt_box->memory_offset) + index;
}

static inline struct dlt_box_ring *dlt_box_ring(unsigned index)
{
	return (struct dlt_box_ring *)((char *)dlt_box + dlt_box->rings_offset) + index;
}

/* For what several threads write: two steps, each exact. */
static inline void dlt_pair_add_shared(struct dlt_box_pair *p, uint64_t bytes, uint64_t count)
{
	__atomic_fetch_add(&p->bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&p->count, count, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop

#endif

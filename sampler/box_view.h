/* SPDX-License-Identifier: MIT */
/*
 * A black box as its reader sees it: bounds are checked once, here, and nothing read from the box
 * is used as an index or a size without them. The writer runs meanwhile, and may be hostile: every
 * value is read once. A file that is cut behind our back raises SIGBUS: see sampled_guard().
 */
#ifndef DLT_SAMPLER_BOX_VIEW_H
#define DLT_SAMPLER_BOX_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "box.h"

struct box_view {
	const struct dlt_box_header *header;	/* borrowed, as are all below */
	const struct dlt_box_slot *slots;
	const struct dlt_box_totals *totals;
	const struct dlt_box_late *late;
	const struct dlt_box_library *libraries;
	const struct dlt_box_object *objects;
	const struct dlt_box_frame *frames;
	const struct dlt_box_memory *memory;
	struct dlt_box_ring *rings;	/* may be written where the mapping allows it */
	/* Entries that fit: */
	size_t slot_count, totals_count, late_count, library_count, object_count, memory_count;
	size_t frame_count, ring_count;
	size_t size;			/* bytes of the box */
};

/* Whose box a file of this name is, "<pid>-<32 hexadecimal digits>.box"; 0: it is none. */
pid_t box_view_pid(const char *name);

/* False when these `size` bytes are no box of this version. */
bool box_view_init(struct box_view *v, const void *box, size_t size);

/* How many of them are in use now, within what fits. */
size_t box_view_slots(const struct box_view *v);
size_t box_view_totals(const struct box_view *v);
size_t box_view_libraries(const struct box_view *v);
size_t box_view_objects(const struct box_view *v);
size_t box_view_frames(const struct box_view *v);
size_t box_view_memory(const struct box_view *v);

/* The next late total whose memory is backed, of function *i or a later one; NULL: none. *i: its function. */
const struct dlt_box_late *box_view_late(const struct box_view *v, size_t *i);

/* How many pages of a box, or of a part of it, are backed. */
size_t box_view_backed(const void *p, size_t size);

/* The ring of a slot; NULL: it has none. */
struct dlt_box_ring *box_view_ring(const struct box_view *v, size_t slot);

/* Where the process puts its events; NULL: it has none, or not yet. */
struct dlt_box_outbox *box_view_outbox(const struct box_view *v);

/* Events that the slot's present owner emitted. */
uint64_t box_view_events(const struct box_view *v, size_t slot);

/* One step of the writer or none, never half of it. */
struct dlt_box_pair box_view_pair(const struct dlt_box_pair *p);

/* A value that somebody else may write meanwhile. */
#define box_value(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

/* The heap over all threads; `live` can't be negative, since freed is read first. */
struct box_heap {
	struct dlt_box_pair allocated, freed;
	uint64_t events;
};

void box_view_heap(const struct box_view *v, struct box_heap *h);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Kernels, launch shapes and graphs of a process, and the launches that named them.
 *
 * Launches are summed by the id that they name, since what an id means may be said later, or by
 * the process that this one was forked from. A launch that was captured into a graph is not
 * executed; a graph's launch executes what was captured, or built by hand, into the graph.
 */
#ifndef DLT_ANALYSIS_MODEL_LAUNCHES_H
#define DLT_ANALYSIS_MODEL_LAUNCHES_H

#include <stddef.h>
#include <stdint.h>

#include "events.h"
#include "object_types.h"
#include "analysis/model/idmap.h"
#include "analysis/model/tally.h"

struct process;
struct trace;

struct object {
	uint8_t type;
	uint16_t library;
	uint32_t id;
	uint64_t handle, offset, values[8];
	const char *name;
};

enum {	/* values of a graph */
	GRAPH_KERNELS, GRAPH_COPIES, GRAPH_SETS, GRAPH_UNSURE, GRAPH_COPY_BYTES, GRAPH_SET_BYTES,
	GRAPH_CONDITIONAL, GRAPH_BODY_KERNELS,
};
enum { SHAPE_KERNEL, SHAPE_GRID, SHAPE_BLOCK = 4, SHAPE_SHARED = 7 };	/* values of a shape */

#define LAUNCH_CAPTURED 0x8000	/* in the stream of an event */

/* The launches that named one shape or graph; failed ones are left out. */
struct launches {
	uint32_t id;			/* of the object; 0: of no kernel that is known */
	uint64_t count, captured;	/* executed; captured into a graph */
	uint64_t time;			/* ns, of all these calls */
	struct tally slices;		/* when: executed ones, their time and that of captures; nested: captures */
};

/* Of one process. */
struct launched {
	struct object *objects;		/* owned */
	size_t object_count, object_capacity;
	struct idmap object_by_id;	/* type << 32 | id: index */
	struct launches *list;		/* owned; by first sight */
	size_t count, capacity;
	struct idmap by_id;		/* index into list */
};

void launched_release(struct launched *l);

/* What the program calls the stream of an id that events have; NULL: it has not said. */
const char *process_stream_name(const struct process *p, uint16_t stream);
/* Likewise a GPU, as the process numbers them. */
const char *process_device_name(const struct process *p, unsigned device);

/* An id is explained. True: for the first time. */
bool process_object(struct process *p, const struct dlt_ev_proc_object *e);

/* NULL: neither this process nor those it was forked from has said. */
const struct object *process_find_object(const struct process *p, enum dlt_object type, uint32_t id);

/* Launches of a shape or graph have succeeded, about `at`: executed, captured, ns of all of them. */
void process_launches(struct process *p, uint32_t id, int64_t at, uint64_t count, uint64_t captured,
		      uint64_t time);
/* What `from` launched was the other's; `from` stays as it is. */
void launched_adopt(struct process *to, const struct process *from);

#endif

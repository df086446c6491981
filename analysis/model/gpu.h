/* SPDX-License-Identifier: MIT */
/*
 * What the GPU did for one process (dltrace_gpu): work by name as profiles, each device's busy
 * time, what is missing. Times are ns (`begin`, `end`, `counted_to`: since the trace's begin).
 *
 * Busy time is the union of all work on a device. Work is told late and not in order, so intervals
 * are kept until they are many, then the oldest are counted for good: what comes later still and
 * lies before those counts only where it sticks out.
 */
#ifndef DLT_ANALYSIS_MODEL_GPU_H
#define DLT_ANALYSIS_MODEL_GPU_H

#include "analysis/model/model.h"

#define GPU_INTERVALS 4096	/* kept of a device */
#define GPU_GAPS_KEPT 4096	/* of a process; later ones make the last one of their reason longer */
#define GPU_IDLE_LEAST 10000	/* ns: shorter pauses between work are no gaps */
#define GPU_PAUSE_SHORT 1000000	/* ns: from one launch to the next; nobody reads a batch in less */

enum gpu_work_kind { GPU_KERNEL, GPU_COPY, GPU_SET, GPU_WORK_KINDS };

struct gpu_interval {
	int64_t begin, end;
};

struct gpu_device {
	uint8_t index;
	uint64_t count[GPU_WORK_KINDS], time[GPU_WORK_KINDS];	/* ns, summed over streams */
	uint64_t bytes;			/* copied and set */
	uint64_t callers_unknown;
	uint64_t waits, wait_time;	/* from the call's begin to the work's, ns */
	int64_t begin, end;		/* of the first piece, of the last one */
	uint64_t busy;			/* ns */
	uint64_t gaps, gaps_time, longest_gap;
	struct gpu_interval *intervals;	/* owned; sorted, disjoint */
	size_t interval_count;
	int64_t counted_to;		/* up to there for good */
	int64_t slot, slot_busy;	/* of the curve */
	struct curve curve;		/* thousandths of a percent */
	struct tally slices;		/* struct slice; `nested`: busy, ns */
	struct tally pauses;		/* shorter than GPU_PAUSE_SHORT, by their ends; struct slice, `outer`: ns */
};

/* A name, and all work of that name. */
struct gpu_item {
	uint32_t id;			/* 0: a copy or a set */
	struct function function;	/* name "" until it is said */
	struct profile *profile;	/* borrowed from the process's list */
};

#define GPU_KINDS_OPENCL 64	/* in `kinds` of dltrace_gpu:gap */

struct gpu_gap {
	uint8_t reason, kinds;
	int64_t begin, end;		/* end UNKNOWN: it never ended */
	uint64_t records;
	const char *text;
};

struct gpu_work {
	struct gpu_item **items;	/* owned */
	size_t item_count, item_capacity;
	struct idmap by_key;		/* kind << 32 | id or direction: item */
	struct idmap names;		/* id: text of the model's pool */
	struct gpu_device *devices;	/* owned */
	size_t device_count, device_capacity;
	struct gpu_gap *gaps;		/* owned */
	size_t gap_count, gap_capacity;
	uint64_t syncs, sync_time;
	uint64_t told;			/* pieces of work that CUPTI told, by the last account */
	uint64_t lost;			/* records that found no room */
	uint64_t impossible;		/* pieces of work that cannot have been */
	uint32_t version, clock_error;	/* of CUPTI; ns */
	const char *account;		/* in words */
	const char *opencl;		/* likewise, of OpenCL's commands; NULL: they were not measured */
};

/* Work has ended when it is told of: no time from a trace is trusted. */
bool gpu_work_can_be(int64_t at, int64_t begin, uint64_t duration);

/* dltrace_proc:object of type 5. */
void gpu_name(struct process *p, uint32_t id, const char *name);

/* After the last event: names, busy time. */
void gpu_end(struct trace *t);
void gpu_work_free(struct gpu_work *w);

#endif

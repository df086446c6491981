/* SPDX-License-Identifier: MIT */
/*
 * GPU memory of a process, by kind (tracepoints/memory_kinds.h), device and asking library. Amounts are bytes, but for
 * numbers of calls (`allocations`, `frees`, `failed`).
 *
 * The process counts itself (dltrace_sample:process, gpu_memory); those counters are the truth for
 * amounts, since none of them can be lost. Events of single calls draw the curve between two
 * samples; where both are there and differ, the counters win, but not before the same difference was
 * seen twice: a call that is under way while the sample is taken is in one of them only.
 */
#ifndef DLT_ANALYSIS_MODEL_GPU_MEMORY_H
#define DLT_ANALYSIS_MODEL_GPU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/model/curve.h"
#include "box.h"
#include "memory_kinds.h"

struct process;
struct dlt_ev_cuda_alloc;
struct dlt_ev_cuda_free;
struct dlt_ev_sample_process;

/* The counters in the order of gpu_memory's words. */
struct gpu_counters {
	uint64_t key;
	int64_t live, peak;
	uint64_t allocated, allocations, frees, largest, failed;
	uint64_t refused, refused_at;	/* what the last that failed asked for, and when, ns CLOCK_MONOTONIC */
	uint64_t told_free, told_total;
};

_Static_assert(sizeof(struct gpu_counters) == DLT_BOX_MEMORY_WORDS * 8, "a word for each counter");

struct gpu_row {
	uint32_t key;			/* kind << 24 | device << 16 | library */
	struct gpu_counters events;	/* the same, as far as events tell */
	struct gpu_counters counters;	/* as last said by the process */
	bool counted;			/* `counters` were said */
	bool told_anew;			/* ... just now, with another answer to how much memory is free */
	int64_t offset, candidate;	/* live bytes that no event tells of */
};

/* What one library holds of what is physical, all kinds and devices. */
struct gpu_library {
	uint16_t library;
	int64_t live;
	struct curve curve;
};

static inline unsigned gpu_row_kind(const struct gpu_row *r)
{
	return r->key >> 24;
}

static inline unsigned gpu_row_device(const struct gpu_row *r)
{
	return r->key >> 16 & 255;
}

static inline uint16_t gpu_row_library(const struct gpu_row *r)
{
	return (uint16_t)r->key;
}

/* Live bytes now, while the trace is read; at its end: in the end. */
static inline int64_t gpu_row_live(const struct gpu_row *r)
{
	return r->events.live + r->offset;
}

/* Counters that know of fewer calls than events are from before them: it was killed, or the trace ends. */
static inline bool gpu_row_is_counted(const struct gpu_row *r)
{
	return r->counted &&
	       r->counters.allocations + r->counters.frees >= r->events.allocations + r->events.frees;
}

/* What to believe of everything but `live`. */
static inline const struct gpu_counters *gpu_row_counters(const struct gpu_row *r)
{
	return gpu_row_is_counted(r) ? &r->counters : &r->events;
}

#define GPU_HOLDERS 4

/* An allocation that was refused. */
struct gpu_failure {
	int64_t t;
	uint32_t key;			/* kind, device, library that asked */
	uint32_t thread;		/* 0: not known */
	uint16_t function;		/* 0: not known, no event told of it */
	int32_t code;			/* 0: not known */
	uint64_t size;			/* asked for */
	uint64_t count;			/* this one, and those after it that are not kept */
	int64_t live;			/* bytes of what is physical on that device then */
	struct {
		uint32_t key;
		int64_t live;
	} holders[GPU_HOLDERS];		/* largest first; live 0: none */
	uint64_t told_free, told_total;	/* as the application heard it afterwards; total 0: it did not ask */
};

#define GPU_FAILURES_KEPT 16		/* a process; all are counted */
#define GPU_REFUSING 16			/* functions that were refused memory; others' errors are told of as such */

#define GPUS_KNOWN 32
#define GPU_HINTS 64			/* a power of 2 */

struct gpu_memory {
	struct gpu_row *rows;		/* owned; by first sight */
	size_t count, capacity;
	uint32_t hints[GPU_HINTS];	/* where a row may be, by its key's hash */
	bool others;			/* there is a row of DLT_BOX_OTHERS: libraries without one are in that */
	struct gpu_library *libraries;	/* owned */
	size_t library_count, library_capacity;
	uint64_t events;		/* allocations and frees read */
	uint64_t strays;		/* frees of what nobody was seen to allocate */
	struct gpu_failure failures[GPU_FAILURES_KEPT];
	size_t failures_kept;
	uint64_t failed;
	uint16_t refused[GPU_REFUSING];	/* functions; 0: no more */
	int64_t live[DLT_MEMORIES];	/* by kind, all devices */
	struct curve curves[DLT_MEMORIES];
	/* What NVML says of the process, all GPUs: at the largest reading. */
	uint64_t nvml;			/* 0: no reading */
	int64_t nvml_at, nvml_live;	/* physical bytes by the ledger at that moment */
	uint64_t nvml_by_gpu[GPUS_KNOWN];	/* the last reading of each */
	struct curve nvml_curve;
};

void gpu_memory_release(struct gpu_memory *g);

/* An event; `result` is looked at here. */
void gpu_memory_alloc(struct process *p, int64_t at, const struct dlt_ev_cuda_alloc *e);
void gpu_memory_free(struct process *p, int64_t at, const struct dlt_ev_cuda_free *e);

/* The process's counters at `at`. */
void gpu_memory_sample(struct process *p, int64_t at, const struct dlt_ev_sample_process *e);

/* What the events of an unannounced thread told, which is `to`'s. */
void gpu_memory_adopt(struct process *to, struct process *orphan, int64_t at);

/* Physical bytes on a device now; at the trace's end: in the end. */
int64_t gpu_memory_physical(const struct gpu_memory *g, unsigned device);

/* The process is gone: until then it held what it holds now. */
void gpu_memory_ended(struct process *p, int64_t at);

/* NVML's figure for the process on one GPU. */
void gpu_memory_nvml(struct process *p, int64_t at, uint32_t gpu, uint64_t used);

#endif

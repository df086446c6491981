/* SPDX-License-Identifier: MIT */
/*
 * What kept a process busy, by time: what rules look at beside the curves.
 *
 * Tallies add up and curves join, so two parts of a trace merge by load_merge(), whatever the
 * split.
 */
#ifndef DLT_ANALYSIS_MODEL_LOAD_H
#define DLT_ANALYSIS_MODEL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/model/curve.h"
#include "analysis/model/tally.h"

#define LOAD_POINTS 256

/*
 * The words of `threads`: samples of the process; threads seen running or ready, waiting for a disk;
 * samples in which any was running or ready.
 */
enum { LOAD_SAMPLES, LOAD_READY, LOAD_DISK, LOAD_ACTIVE };
/* The words of a thread's `gpu_blocks`: calls that allocate or free memory of a GPU, their ns, bytes asked for. */
enum { LOAD_CALLS, LOAD_NS, LOAD_BYTES };

struct load {
	bool seen;			/* a thread running or ready, */
	int64_t first, last;		/* at these times for the first and for the last time */
	struct tally threads;
	struct curve cpu, system; /* ns since its start, as sampled: they only rise */
	struct curve read;	  /* bytes, the same */
};

struct process;
struct thread;
struct dlt_ev_sample_process;
struct dlt_ev_sample_thread;

void load_release(struct load *l);
void load_merge(struct load *to, const struct load *from);
void load_process(struct process *p, int64_t at, const struct dlt_ev_sample_process *e);
void load_thread(struct process *p, int64_t at, const struct dlt_ev_sample_thread *e);
void load_gpu_block(struct thread *thread, int64_t at, uint64_t duration, uint64_t bytes);

/* What a curve of the process's load that only rises rose by between two moments. */
int64_t load_risen(const struct process *p, const struct curve *c, int64_t from, int64_t to);

#endif

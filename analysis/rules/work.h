/* SPDX-License-Identifier: MIT */
/*
 * What several rules want to know of a process: when it worked, what it waited for, how busy its
 * GPU was. Times in ns since the trace's begin; -1 where a share is not known.
 */
#ifndef DLT_ANALYSIS_RULES_WORK_H
#define DLT_ANALYSIS_RULES_WORK_H

#include <stdbool.h>

#include "analysis/findings.h"

#define WORK_LEAST 2000000000 /* ns: of less, no rule judges */

struct span {
	int64_t begin, end;
};

static inline double span_length(struct span s)
{
	return s.end > s.begin ? (double)(s.end - s.begin) : 0;
}

/* From its first launch or computation to its last; of at least WORK_LEAST. */
bool work_span(const struct process *p, struct span *s);
/* The steady phase if one was found, else what comes after the first third of the work. */
bool steady_span(const struct findings *f, const struct process *p, struct span *s);

/*
 * What a GPU is judged by: the steady iterations, which may be short if CUPTI tells of them; where none were found
 * the work, and `iterations` is 0.
 */
struct gpu_span {
	struct span span;
	uint64_t iterations;
	double busy; /* as gpu_busy() has it; in the whole slices of time within the span */
	bool exact;
	double pauses; /* of its idle time: between work, shorter than GPU_PAUSE_SHORT; -1: not known */
	double kernel_ns;	    /* mean; 0: not known */
	double launches, launch_ns; /* in it */
};

bool gpu_span(const struct process *p, struct gpu_span *s);

/* Calls that the GPU is used by, summed over threads; first calls, which make contexts, left out.
 */
struct gpu_calls {
	uint64_t launches, waits, copies;     /* copies: between host and device, or not known */
	uint64_t launch_ns, wait_ns, copy_ns; /* blocking copies are in both of the latter */
	uint64_t bytes;			      /* of `copies` */
	const struct profile *longest_wait;   /* NULL: it never waited */
};

struct gpu_calls gpu_calls(const struct process *p);

enum gpu_use { USE_LAUNCH, USE_WAIT, USE_COPY };

/*
 * Threads spend their time side by side. Of what they spent in calls of that kind the share of the
 * one that spent most, and of how many; by events, where there are none 1 and 0.
 */
double gpu_longest(const struct process *p, enum gpu_use use, size_t *threads);

/*
 * The part of the time in which work ran on the GPU, over the span: by CUPTI (then *exact), else by
 * NVML, if there is one GPU or `p` is all alone on its machine; -1: not known.
 */
double gpu_busy(const struct process *p, struct span s, bool *exact);

/*
 * The share of the samples in which any of its threads ran or could have run; how many waited for a
 * disk, on average; -1: not sampled enough.
 */
double threads_active(const struct process *p, struct span s);
double threads_on_disk(const struct process *p, struct span s);
/* CPU time by time. */
double cores_used(const struct process *p, struct span s);

/* Cores that it may use: those of the machine, or its cgroup's limit; 0: not known. */
double cores_allowed(const struct process *p);

/* Was `p` forked by `parent`, does it run the same program, and did it live through a good part of
 * `s`? */
bool is_worker(const struct process *p, const struct process *parent, struct span s);

/* Threads that were made and ended for single images or steps (steps.c). */
uint64_t threads_made_again(const struct process *p);

#endif

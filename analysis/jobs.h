/* SPDX-License-Identifier: MIT */
/*
 * Which traces are recordings of one job: several hosts, or ranks, that a distributed training has.
 *
 * Two traces belong together that overlap in time, when a process of the one and a process of the
 * other are different ranks of the same job by their launcher's environment, or of the same
 * communicator, and no rank is in both: a repetition may have the same identities, but then it has the
 * same ranks too.
 */
#ifndef DLT_ANALYSIS_JOBS_H
#define DLT_ANALYSIS_JOBS_H

#include <stdlib.h>

#include "analysis/model/model.h"

struct job {
	size_t *traces, count, capacity;	/* owned vector; indices, in the order of the report */
};

struct jobs {
	struct job *list;		/* owned vector; by first sight */
	size_t count, capacity;
	size_t *of;			/* owned; by trace: index of its job */
};

/* Found at the first question, when all has been read, and owned by the model from then on. Never NULL. */
const struct jobs *jobs_of(const struct model *m);

/* NULL is fine. */
static inline void jobs_free(struct jobs *jobs)
{
	for (size_t i = 0; jobs && i < jobs->count; i++)
		free(jobs->list[i].traces);
	if (jobs) {
		free(jobs->list);
		free(jobs->of);
	}
	free(jobs);
}

/* The host that it was recorded on; "" not known. */
const char *trace_host(const struct trace *t);
/* How many hosts a job's processes ran on. */
size_t job_hosts(const struct model *m, const struct job *job);

#endif

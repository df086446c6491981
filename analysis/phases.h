/* SPDX-License-Identifier: MIT */
/* The phases of a process: start-up, compilation, warm-up, steady, end; one after another. */
#ifndef DLT_ANALYSIS_PHASES_H
#define DLT_ANALYSIS_PHASES_H

#include "analysis/iterations.h"
#include "analysis/model/model.h"

#define PHASES_MAX 5

struct phase {
	const char *name;
	int64_t begin, end;
	uint64_t iterations;	/* that begin in it */
};

/* None where no iterations were found. */
struct phases {
	struct phase list[PHASES_MAX];
	size_t count;
};

struct phases process_phases(const struct process *p);

#endif

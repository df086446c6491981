/* SPDX-License-Identifier: MIT */
/* What of a process's work could be seen, and what not: for the tables `coverage` and `limits`. */
#ifndef DLT_ANALYSIS_COVERAGE_H
#define DLT_ANALYSIS_COVERAGE_H

#include "analysis/analyses.h"

struct coverage {
	const struct library *library;	/* NULL: the whole process */
	const char *kind;		/* heap, cuda runtime, cuda driver, cuda calls, blas, ... */
	const char *covered;		/* symbol, driver, cupti, no */
	const char *name;		/* of a function; NULL */
	const char *version;		/* by the file's name; "" */
	uint64_t calls;			/* seen; of a CUDA copy in a library: that library's */
	char text[200];			/* for people */
};

/* Calls `each` for everything that can be said of a process. What it inherited is its parent's. */
void coverage_each(const struct process *p, void (*each)(const struct coverage *c, void *data),
		   void *data);

#endif

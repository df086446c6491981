/* SPDX-License-Identifier: MIT */
/*
 * Which deep-learning frameworks a process uses: recognised by the libraries that it loaded
 * (frameworks.tbl), with the version where it can be known.
 *
 * The version comes from the library's own name (libtorch_cpu.so.1.13.0), which the trace holds;
 * or, when the report is made on the machine that was traced and the package is still there, from
 * the metadata of the Python package beside the library.
 */
#ifndef DLT_ANALYSIS_FRAMEWORKS_H
#define DLT_ANALYSIS_FRAMEWORKS_H

#include <stddef.h>

#include "analysis/model/model.h"

struct framework_rule {
	const char *pattern, *name, *role, *package;
};

struct framework {
	const struct framework_rule *rule;	/* static */
	char version[64];			/* "" when it is not known */
};

#define FRAMEWORKS_MAX 16

/* The rule that a path matches; NULL when it belongs to no framework. */
const struct framework_rule *library_framework(const char *path);

/* Each framework once, in the table's order; the count. Libraries of forked-from parents count. */
size_t process_frameworks(const struct process *p, struct framework found[FRAMEWORKS_MAX]);

/* Name of the engine that a process runs, else of its first framework; "" without any. */
const char *process_engine(const struct process *p);

/* Does the option --framework choose this name? NULL chooses all. Case is ignored. */
bool framework_chosen(const char *pattern, const char *name);

#endif

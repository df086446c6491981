/* SPDX-License-Identifier: MIT */
/*
 * Which deep-learning frameworks a process uses: recognised by the libraries that it loaded and the
 * Python packages that it imported (frameworks.tbl), with the version where it can be known.
 *
 * The version comes from the library's own name (libtorch_cpu.so.1.13.0), which the trace holds;
 * or, when the report is made on the machine that was traced and the package is still the one that was there
 * when the process began, from the metadata of the Python package beside the library.
 *
 * A program often loads more frameworks than it uses. One with libraries works if they computed,
 * launched, copied or communicated for a millisecond, or allocated a MiB of tensors (large blocks
 * that are aligned: containers are not), or if threads of theirs used 50 ms of CPU time; and each of
 * these is at least a hundredth of what the framework that does most of it did. One that does not work
 * while another does is only imported (where large blocks are events: not at the level summary). One of
 * Python alone works if it is the only such, none with libraries works, and others, such as NumPy's,
 * compute and allocate instead.
 */
#ifndef DLT_ANALYSIS_FRAMEWORKS_H
#define DLT_ANALYSIS_FRAMEWORKS_H

#include <stddef.h>

#include "analysis/model/model.h"

struct framework_rule {
	const char *pattern, *name, *role, *package;
};

enum framework_state { FRAMEWORK_UNKNOWN, FRAMEWORK_WORKS, FRAMEWORK_IMPORTED };

/* What libraries did in a process. */
struct framework_use {
	uint64_t calls;		/* ns, in calls that compute, launch, copy, communicate */
	uint64_t tensors;	/* bytes */
	uint64_t cpu;		/* ns, of threads */
};

struct framework {
	const struct framework_rule *rule;	/* static; of its first sign */
	char version[64];			/* "" when it is not known */
	bool has_libraries;			/* else its use is unknown */
	struct framework_use use;
	enum framework_state state;
};

#define FRAMEWORKS_MAX 16

/* The rule that a path matches; NULL when it belongs to no framework. */
const struct framework_rule *library_framework(const char *path);

/* Python itself, as a program or as a library. */
bool library_is_interpreter(const struct library *l);

/* Each framework once, in the table's order; the count. Libraries of forked-from parents count. */
size_t process_frameworks(const struct process *p, struct framework found[FRAMEWORKS_MAX]);

/* "" where it is not known. */
const char *framework_state_name(enum framework_state state);

/* Name of the engine that works in a process, else of its first framework; "" without any. */
const char *process_engine(const struct process *p);

/* "Keras 3.15.1 on JAX 0.10.2": who works, top and engine; false without any. */
bool process_stack(const struct process *p, char *text, size_t size);

/* frameworks_use.c: fills `use` and `state` of those that were found. */
void frameworks_used(const struct process *p, struct framework *found, size_t count);

/* Does the option --framework choose this name? NULL chooses all. Case is ignored. */
bool framework_chosen(const char *pattern, const char *name);

#endif

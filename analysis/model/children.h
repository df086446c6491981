/* SPDX-License-Identifier: MIT */
/*
 * The processes that one process made: when, what programs they became, how long they lived. Those
 * that are only counted, such as compilers and shells, are among them; what these make is not.
 */
#ifndef DLT_ANALYSIS_MODEL_CHILDREN_H
#define DLT_ANALYSIS_MODEL_CHILDREN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/model/idmap.h"

#define CHILDREN_TIMES 65536	/* kept; all are counted */

struct child_program {
	const char *path;	/* borrowed from the model's names */
	uint64_t count;
};

struct children {
	uint64_t count;
	uint64_t hidden;	/* of these, who is not traced and whose program nobody told */
	int64_t *made;		/* owned; ns, in order */
	size_t made_count, made_capacity;
	struct child_program *programs;	/* owned; by first sight; copies of the process itself are in none */
	size_t program_count, program_capacity;
	struct idmap since;	/* pid: when it was made, while nobody has waited for it */
	uint64_t ended;		/* whose end was waited for ... */
	uint64_t lived;		/* ... ns, in all */
};

void children_release(struct children *c);
/* pid 0: not known. */
void children_made(struct children *c, uint32_t pid, int64_t at);
void children_became(struct children *c, const char *path);
void children_ended(struct children *c, uint32_t pid, int64_t at);

#endif

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

#define CHILDREN_TIMES 65536	/* kept, and as many lives; all are counted */

struct child_program {
	const char *path;	/* borrowed from the model's names */
	uint64_t count;
};

/* Of one that is not traced, and whose end was waited for. */
struct child_life {
	const char *path;	/* borrowed from the model's names; perhaps only the end of it; "": not told */
	int64_t begin, end;	/* ns; made, waited for */
};

struct children {
	uint64_t count;
	uint64_t hidden;	/* of these, who is not traced and whose program nobody told */
	int64_t *made;		/* owned; ns, in order */
	size_t made_count, made_capacity;
	struct child_program *programs;	/* owned; by first sight; copies of the process itself are in none */
	size_t program_count, program_capacity;
	struct idmap since;	/* pid: when it was made, while nobody has waited for it */
	struct idmap becomes;	/* pid: its program, if it is not traced, as long */
	struct child_life *lives;	/* owned; by their ends */
	size_t life_count, life_capacity;
	uint64_t ended;		/* whose end was waited for ... */
	uint64_t lived;		/* ... ns, in all */
};

void children_release(struct children *c);
/* pid 0: not known. path: of one that is not traced, "" if it is not told (yet); NULL: traced. */
void children_made(struct children *c, uint32_t pid, int64_t at, const char *path);
void children_became(struct children *c, const char *path);
/* path: told only now; NULL: not. */
void children_ended(struct children *c, uint32_t pid, int64_t at, const char *path);
/* The lives of those that are not traced, also of those that nobody has waited for (end INT64_MAX); the caller's. */
struct child_life *children_unseen(const struct children *c, size_t *count);

#endif

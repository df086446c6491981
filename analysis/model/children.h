/* SPDX-License-Identifier: MIT */
/*
 * The processes that one process made: when, what programs they became, how long they lived. Those
 * that are only counted, such as compilers and shells, are among them; what these make is not.
 */
#ifndef DLT_ANALYSIS_MODEL_CHILDREN_H
#define DLT_ANALYSIS_MODEL_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/idmap.h"

#define CHILDREN_KEPT 65536	/* all are counted */

struct child {
	const char *path;	/* program, perhaps only its end; borrowed from the model's names; NULL: not told */
	int64_t begin, end;	/* ns; INT64_MAX: nobody has waited for it */
	uint32_t pid;		/* 0: not known */
	bool unseen;		/* not traced: only counted, or it cannot be */
};

struct children {
	uint64_t count;
	struct child *list;	/* owned; in the order in which they were made */
	size_t kept, capacity;
	struct idmap alive;	/* pid: place in the list, while nobody has waited for it */
};

void children_release(struct children *c);
/* Its begin, pid, path as far as it is told, and whether it is traced. */
void children_made(struct children *c, const struct child *made);
/* What it became by exec. */
void children_became(struct children *c, uint32_t pid, const char *path);
/* path: told only now; NULL: not. */
void children_ended(struct children *c, uint32_t pid, int64_t at, const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * When one process entered and left the calls of one function on one communicator: the first ones and
 * the last ones, by their ordinal. Clocks of hosts are compared by them (analysis/clocks.c).
 *
 * Two consecutive parts of a process merge: the counts add up, the first part's beginning is filled
 * up from the second, and of both ends the last LEAVES_KEPT stay; so any split gives the same.
 */
#ifndef DLT_ANALYSIS_MODEL_LEAVES_H
#define DLT_ANALYSIS_MODEL_LEAVES_H

#include <stdbool.h>
#include <stdint.h>

#define LEAVES_KEPT 256		/* of the beginning, and of the end */

struct leave {
	int64_t begin, end;	/* of the call, ns since the trace's begin */
};

struct leaves {
	uint64_t count;		/* of all calls */
	struct leave first[LEAVES_KEPT];
	struct leave last[LEAVES_KEPT];	/* call number i is in i % LEAVES_KEPT */
};

/* *l is made when it is NULL; the caller frees it. */
void leaves_add(struct leaves **l, int64_t begin, int64_t end);
/* `later` comes after `to`; either may be NULL. */
void leaves_merge(struct leaves **to, const struct leaves *later);
/* Call number i, from 0; NULL when it is not kept. */
const struct leave *leaves_get(const struct leaves *l, uint64_t i);

#endif

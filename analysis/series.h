/* SPDX-License-Identifier: MIT */
/*
 * The beats of a process (analysis/model/rhythm.h) as series of times that can be compared: which
 * alternate, which come the same number of times between the beats of another.
 *
 * A shape that stands for the same calls as a more general one (the batch is one of its
 * dimensions) is dropped. What was there before the work began (weights made, libraries loaded) is
 * cut off.
 */
#ifndef DLT_ANALYSIS_SERIES_H
#define DLT_ANALYSIS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/model.h"

struct series_of {
	const struct beat *beat;	/* borrowed; one of them, where several became one */
	int64_t *at;			/* owned; ns, rising */
	size_t count;
	uint64_t total;			/* calls in the whole run */
	int64_t last;			/* the latest of these */
	const struct beat *whole;	/* borrowed; all these calls; NULL: they are several beats' */
	bool work;			/* it computes, copies, launches: not only memory */
	bool dropped;			/* another one says the same, or more */
	bool batch;			/* dropped: that one with batches of one size */
	bool trained;			/* sums over batches of two sizes: both were trained on */
};

struct all_series {
	struct series_of *list;		/* owned */
	size_t count, capacity;
	bool cut;			/* some beat came too often for its times to be kept */
};

/* How calls are looked at. */
enum series_way {
	SERIES_CALLS,		/* each by itself */
	SERIES_RUNS,		/* those of one kind right after each other are one: an image of a batch each */
	SERIES_DEVICE,		/* only what a GPU is given to do, and waiting for it */
	SERIES_BLOCKS,		/* only memory, whichever thread asks for it */
	SERIES_ALL_BLOCKS,	/* before the work began, too */
};

/* Has it given a GPU anything to do? */
bool series_launches(const struct process *p);
/* Does it work, as far as that way looks at it? */
bool series_works(enum series_way way, const struct process *p, const struct beat *b);
/* The times before `until` of the beats that are known until then; INT64_MAX: known to the end. */
void series_collect(struct all_series *all, const struct process *p, enum series_way way, int64_t until);
/* Until when all times are known; INT64_MAX: to the end. */
int64_t series_horizon(const struct beat *b);
void series_release(struct all_series *all);

/* From each call by itself to SERIES_RUNS. */
void series_join_runs(struct all_series *all);

/* The times of a beat behind those that are there; its own array. */
void series_add_beat(struct series_of *s, const struct beat *b);

/* a b a b ...: equally often, each once between two of the other. */
bool series_alternate(const struct series_of *a, const struct series_of *b);
/* How many of `s` come from the i-th of `anchor` until before the next; `each` has room for all. */
void series_between(const struct series_of *anchor, const struct series_of *s, uint32_t *each);
/* How many are before `at`. */
size_t series_before(const struct series_of *s, int64_t at);
/* The number that is there most often. */
uint32_t usual(const uint32_t *each, size_t count);

#endif

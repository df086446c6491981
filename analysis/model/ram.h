/* SPDX-License-Identifier: MIT */
/*
 * RAM of processes that were forked from each other: what they share counts once.
 *
 * A forked child's pages are its parent's until one of the two writes. By forks alone the run has what each had
 * besides what it shared at its first sample. What has parted since only a proportional set size tells (Pss), which
 * is read seldom, since reading it holds the process up. But pages part by page faults, and these come with every
 * sample: what a reading says has parted since the one before is spread over the time between by the faults of all
 * who share. So sums over the run stay open until the next readings, the last RAM_ROUNDS at most.
 */
#ifndef DLT_ANALYSIS_MODEL_RAM_H
#define DLT_ANALYSIS_MODEL_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"

struct process;
struct trace;

#define RAM_ROUNDS 256	/* open at most: 25 s of samples ten times a second */

/* An open round of a family. */
struct ram_round {
	uint64_t round, faults;		/* the family's so far */
	int64_t at;
};

/* Those that were forked from each other; kept with the eldest, who may be gone. */
struct ram_family {
	int64_t changed;		/* the last fork or end among them */
	uint64_t faults;		/* of all of them so far, major ones not counted */
	int64_t parted;			/* bytes more than by forks alone, when that was known last */
	struct ram_round *rounds;	/* owned vector */
	size_t count, capacity;
	int64_t unread_since;		/* when not everybody had a reading; UNKNOWN: all have, or nobody shares */
	bool unread;			/* that lasted once */
	/* of the round at hand: */
	int64_t by_forks, by_pss, shmem, largest;	/* bytes; what one of them has */
	size_t members;
	bool shares, read;		/* some page is counted at another member; all have a reading since `changed` */
	struct process *next;		/* borrowed; the eldest of another family; NULL: none */
	uint64_t seen;			/* the round at hand, + 1 */
};

/* Of a process. */
struct ram {
	int64_t anon, shmem;		/* bytes at the last sample */
	int64_t shared;			/* bytes of `anon` that `charged` is counted for */
	struct process *charged;	/* borrowed; counted for what a fork shares with it; NULL: nobody */
	struct process *heir;		/* borrowed; who is counted for that when it is gone; NULL: nobody yet */
	const struct process *instead;	/* borrowed; whose heir it is, the first of them; NULL: nobody's */
	uint64_t faults;		/* its own at the last sample */
	int64_t pss, base;		/* bytes at the last Pss reading, 0: none; of anon + shmem then */
	int64_t read_at;		/* when that was */
	uint64_t read_faults;		/* of the family then */
	uint64_t open;			/* the first round that its next reading completes; 0: none will */
	int64_t excess;			/* of a round: what others still share that it has given back */
	struct ram_family family;
};

struct ram_sum {
	int64_t at, bytes;
	int64_t least;			/* bytes; a family has no less than each of its members */
	size_t open;			/* processes that it waits for */
};

/* Of the run. */
struct ram_sums {
	struct ram_sum *list;		/* owned vector: rounds that are open, and those between */
	size_t count, capacity;
	uint64_t first;			/* the round of list[0] */
	bool shared;			/* somebody had a reading of what it shares */
	int64_t error;			/* bytes; by how much one process's part was off at most */
};

void ram_release(struct ram *r);
void ram_sums_release(struct ram_sums *s);

/* Before the first sample is noted as such (now.sampled). */
void ram_sample(struct process *p, int64_t at, const struct dlt_ev_sample_process *e);
/* It has ended, and is marked so (now.gone). */
void ram_gone(struct process *p, int64_t at);
/* It goes on after all: its exec has failed. Before it is marked so. */
void ram_returned(struct process *p, int64_t at);
/* Its parent is known now. */
void ram_adopted(struct process *p);
/* Live heap of all that live, what they share counted once; bytes. */
int64_t ram_heap(struct trace *t);
/* A point of the run's memory, and all that have become complete. */
void ram_round(struct trace *t);
/* Were pages that it shared, and has written since, not known for long? */
bool ram_is_unread(const struct process *p);
/* Nothing more comes. */
void ram_end(struct trace *t);

#endif

/* SPDX-License-Identifier: MIT */
/* What the table `communication` and the rules on ranks have in common. Borrowed from the model. */
#ifndef DLT_ANALYSIS_COMMUNICATION_H
#define DLT_ANALYSIS_COMMUNICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/jobs.h"

/*
 * Time in blocking calls on one communicator, by rank, as a share of the time from the first of
 * them to the last, in any of its processes.
 */
struct comm_balance {
	char name[40];
	size_t members;			/* processes that are known to be in it */
	double least, others;		/* the rank that waits least; the median of the others */
	int64_t time;			/* ns, of which these are shares */
	int64_t least_rank;
	const struct process *least_process;
};

/* Of functions: NCCL, MPI, Gloo. */
bool layer_communicates(const char *layer);

/* Does it return when others have done their part? */
bool comm_is_blocking(const struct function *fn);
/* For people: "NCCL 2", "MPI_COMM_WORLD". */
void comm_name(const struct communicator *c, char *name, size_t size);
/* Of a process, in the communicator; -1: not known. */
int64_t comm_rank(const struct process *p, const struct communicator *c);

/* Communicators of a job by the processes that have them: comm_walk_begin, comm_balance until that is false. */
struct comm_walk {
	struct comm_place *places;	/* owned; those of one communicator side by side */
	size_t count, next;
};

void comm_walk_begin(struct comm_walk *w, const struct model *m, const struct job *job);
/*
 * The next communicator of those that the job's processes have, each life of it where ranks were started anew;
 * false: there are no more, and w is released.
 */
bool comm_balance(struct comm_walk *w, struct comm_balance *b);

/*
 * Blocking communication of the processes that have some, as a share of the time from the begin of their
 * first iteration to the end of the last; where none are known, of their lives. Of ranks that have it
 * inside a library: the time in which their sockets moved data.
 */
struct comm_share {
	size_t processes;
	double mean, least, most;
};

struct comm_share comm_share(const struct trace *t);

/*
 * Bytes that a process gives to others: those of its collectives and of the messages that it sends, of a
 * broadcast its part by the number of ranks; where these tell none, what its sockets sent. 0: it is no rank,
 * or nothing is known.
 */
double comm_bytes(const struct process *p);

#endif

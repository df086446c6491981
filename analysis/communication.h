/* SPDX-License-Identifier: MIT */
/* What the table `communication` and the rules on ranks have in common. Borrowed from the model. */
#ifndef DLT_ANALYSIS_COMMUNICATION_H
#define DLT_ANALYSIS_COMMUNICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct trace;

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

/* The communicator `index` of those that several processes share; false: there are no more. */
bool comm_balance(const struct trace *t, size_t index, struct comm_balance *b);

/* Blocking communication as a share of the lives of the processes that have some. */
struct comm_share {
	size_t processes;
	double mean, least, most;
};

struct comm_share comm_share(const struct trace *t);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Processes of one report that mpirun has started, perhaps on many machines: number 0 has the model,
 * the others decode for it. All see the traces under the same paths.
 *
 * The library dltrace-mpi.so fills this, the only place that knows MPI (analysis/team_mpi.c).
 */
#ifndef DLT_ANALYSIS_MODEL_TEAM_H
#define DLT_ANALYSIS_MODEL_TEAM_H

#include <stddef.h>
#include <sys/types.h>

struct team {
	size_t rank, size;
	void (*alive)(void);	/* called while it waits; set by whoever joins */
	/* From number 0 to all others: all of them call it, with the same size. */
	void (*tell)(struct team *t, void *bytes, size_t size);
	/* From one of the others to number 0. */
	void (*put)(struct team *t, const void *bytes, size_t size);
	/* What number `from` has put, one piece; `room` is enough for the largest. Its size. */
	size_t (*get)(struct team *t, size_t from, void *bytes, size_t room);
	/* The last thing that each does. */
	void (*leave)(struct team *t);
};

/* Of dltrace-mpi.so. NULL: MPI does not start. Not to be freed. */
typedef struct team *(*team_join_fn)(void (*alive)(void));
#define TEAM_JOIN "dlt_team_join"

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A trace read in parts by several processes.
 *
 * The trace is cut in time; forked workers decode part after part in turn and give digests; this
 * process takes them in order of time, by the same functions as if it had read the events itself.
 * So the model is the same, byte by byte, whatever the cuts. A trace in which anything is not as
 * it should be (corrupt packets, times that go back, a batch that came twice) is read by one process
 * after all. A worker that crashes or goes round in circles costs its part, and that is reported.
 */
#ifndef DLT_ANALYSIS_MODEL_PARTS_H
#define DLT_ANALYSIS_MODEL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct reader;
struct team;
struct trace;

#define PARTS_MOST	4096

/*
 * 1: done; 0: nothing was done: it is small, or cannot be cut; -EAGAIN: it has to be read as a whole,
 * with a new struct trace.
 */
int parts_read(struct trace *t, struct reader *r);

/* ---- a team's (model/team.h) ---- */

/* What number 0 tells the others: to decode parts of a trace. */
struct parts_order {
	size_t trace;		/* its index in the model; SIZE_MAX: there are no more */
	uint64_t count;		/* of parts */
	int64_t from, to;	/* the trace's */
	uint64_t cuts[PARTS_MOST];
};

/* Waits for an order; false: there are no more. */
bool parts_order_await(struct team *team, struct parts_order *order);
/* Does it; without a reader (the trace cannot be opened here) number 0 reads it alone. */
void parts_order_obey(struct team *team, struct model *m, struct reader *r, const char *path,
		      const struct parts_order *order);
/* Number 0: no more orders. */
void parts_order_end(struct team *team);

#endif

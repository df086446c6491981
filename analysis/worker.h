/* SPDX-License-Identifier: MIT */
/*
 * Work on traces that nobody vouches for happens in a child process under limits: of memory (a part
 * of the machine's) and of CPU time without progress. When it crashes, runs out of memory or goes
 * round in circles while it reads a trace, the parent says so and starts it again without that
 * trace, so the others are still reported. However it ends, the parent removes what it has not
 * completed; a signal that asks the parent to end (Ctrl-C, SIGTERM, SIGHUP) is passed on to it first.
 */
#ifndef DLT_ANALYSIS_WORKER_H
#define DLT_ANALYSIS_WORKER_H

#include "analysis/options.h"

enum worker_stage { STAGE_READING, STAGE_REPORTING };

/* Shared by parent and child. */
struct worker {
	volatile enum worker_stage stage;
	volatile int trace;		/* index into the options' traces, while reading */
};

/*
 * Runs work() in a child and returns what it returned. `broken` has one entry a trace: NULL, or
 * why it was given up (owned by this); work() leaves such traces out.
 */
int worker_run(const struct options *o,
	       int (*work)(const struct options *o, struct worker *w, char *const *broken));

/* To be called in the child whenever it got somewhere; every 64K events costs nothing. */
void worker_progress(void);

#endif

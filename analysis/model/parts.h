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

struct reader;
struct trace;

/*
 * 1: done; 0: nothing was done: it is small, or cannot be cut; -EAGAIN: it has to be read as a whole,
 * with a new struct trace.
 */
int parts_read(struct trace *t, struct reader *r);

#endif

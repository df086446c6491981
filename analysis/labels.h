/* SPDX-License-Identifier: MIT */
/*
 * What kind of run a trace is: labels KEY=VALUE, by which runs are repetitions of each other or not.
 *
 * From the weakest to the strongest: what the trace itself shows (framework with its version, program,
 * device, ranks), options on its command line (labels.tbl), what was said when it was recorded
 * (dltrace-record --label, or lines of a file `labels` in its folder), and --label of dltrace-report.
 */
#ifndef DLT_ANALYSIS_LABELS_H
#define DLT_ANALYSIS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/model/model.h"

struct label {
	char *key, *value;	/* owned */
	bool said;		/* by --label or a file, not found out */
};

struct labels {
	struct label *items;	/* owned; by key */
	size_t count, capacity;
};

/* Owned by the caller. */
struct labels labels_of(const struct trace *t);
void labels_release(struct labels *l);

/* What was found out beside the trace itself; something that somebody said stays. */
void labels_found_number(struct labels *l, const char *key, size_t number);

/* "" when there is none; borrowed. */
const char *label_value(const struct labels *l, const char *key);

/* Of two runs of which only the others agree; "repeat", which repetition a run is, does not. */
bool label_tells_apart(const char *key);

/* Same keys with the same values; `said_only`: only those that somebody said, and at least one. */
bool labels_same(const struct labels *a, const struct labels *b, bool said_only);

/* "SGD" for one example a step, "mini-batch N" for more, NULL when the batch is not known. */
const char *label_mode(const struct labels *l, char *buffer, size_t size);

/* [PATTERN:]KEY=VALUE of the command line: the length of what is before the value; 0: it is none. */
size_t label_option_key(const char *text);
/* Is it of the trace with this path? */
bool label_option_fits(const char *text, const char *path);

#endif

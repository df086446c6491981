/* SPDX-License-Identifier: MIT */
/*
 * What a source of events is, for the files of this folder only.
 *
 * A source's open function fills `ops`, `state` (owned by ops->close) and the info it knows; it
 * returns 0, or a negative errno and one line in `error`. After a failed open nothing is owned.
 */
#ifndef DLT_ANALYSIS_READER_SOURCE_H
#define DLT_ANALYSIS_READER_SOURCE_H

#include "analysis/reader/batches.h"
#include "analysis/reader/reader.h"

struct reader_ops {
	enum reader_source source;
	int (*next)(struct reader *r, struct reader_event *event);	/* as reader_next */
	void (*close)(struct reader *r);
};

struct reader {
	const struct reader_ops *ops;
	void *state;
	struct batch batch;			/* the one that is being given out */
	struct reader_info info;
	struct reader_problem *problems;	/* owned; info.problems points to it */
	uint64_t problems_left_out;		/* beyond the bound */
	bool slow;				/* for tests: the fast source walks every type */
};

#define READER_ERROR_SIZE 512

int source_open_text(struct reader *r, const char *path, char *error, size_t size);
/* -ENOTSUP: it is a trace, but not one that this source understands. */
int source_open_fast(struct reader *r, const char *path, char *error, size_t size);
int source_open_babeltrace(struct reader *r, const char *path, char *error, size_t size);

/* Adds one line to the info. Beyond 99 they are only counted, in the 100th. */
void source_problem(struct reader *r, const char *kind, uint64_t value, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Takes `key value` of the file `recording` into the info; unknown keys are passed over. */
void source_recording_line(struct reader *r, const char *key, const char *value);

#endif

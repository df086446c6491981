/* SPDX-License-Identifier: MIT */
/*
 * What a source of events is, for the files of this folder only.
 *
 * A source's open function fills `ops`, `state` (owned by ops->close) and the info it knows; it
 * returns 0, or a negative errno and one line in `error`. After a failed open nothing is owned.
 */
#ifndef DLT_ANALYSIS_READER_SOURCE_H
#define DLT_ANALYSIS_READER_SOURCE_H

#include <stdio.h>

#include "analysis/reader/batches.h"
#include "analysis/reader/outbox.h"
#include "analysis/reader/reader.h"

struct reader_ops {
	enum reader_source source;
	int (*next)(struct reader *r, struct reader_event *event);	/* as reader_next */
	void (*close)(struct reader *r);
	/* As reader_cuts, and as reader_seek; NULL: this source can only read from begin to end. */
	size_t (*cuts)(struct reader *r, uint64_t least, size_t fewest, size_t most, uint64_t *cuts);
	void (*seek)(struct reader *r, uint64_t from, uint64_t to);
};

/* What a look at the whole trace tells that reading its parts does not. */
struct reader_whole {
	uint64_t discarded, discarded_packets, end;
};

struct reader {
	const struct reader_ops *ops;
	void *state;
	struct batch batch;			/* the one that is being given out */
	struct outbox outbox;			/* likewise */
	struct reader_info info;
	struct reader_problem *problems;	/* owned; info.problems points to it */
	uint64_t left_out[PROBLEM_KINDS];	/* problems beyond the bound */
	uint64_t other_layout;			/* events that another build of dltrace has packed */
	struct reader_info opened;		/* the info before the first event was looked at */
	uint64_t opened_left_out[PROBLEM_KINDS];	/* the same of left_out */
	struct reader_whole whole;		/* by ops->cuts */
	struct reader_part_batch *part_batches;	/* owned */
	bool irregular;				/* read in parts, it is not what it is as a whole */
	bool slow;				/* for tests: the fast source walks every type */
};

/*
 * 1: the next event of the batch that is being given out; 0: there is none left. Most events of a
 * trace come this way, so it is to be inlined.
 */
static inline int batch_next(struct reader *r, struct reader_event *event)
{
	struct batch *b = &r->batch;

	if (!b->rest.at)
		return 0;
	if (!records_take(&b->rest, records_code(&b->rest), &b->event, &event->type))
		return batch_end(r);
	event->time = records_time(&b->rest);
	event->data = &b->event;
	return 1;
}

int source_open_text(struct reader *r, const char *path, char *error, size_t size);
/* -ENOTSUP: it is a trace, but not one that this source understands. */
int source_open_fast(struct reader *r, const char *path, char *error, size_t size);
int source_open_babeltrace(struct reader *r, const char *path, char *error, size_t size);

/* Adds one line to the info. Beyond 100 those of a kind that was told are only counted, in one line for the kind. */
void source_problem(struct reader *r, enum reader_problem_kind kind, uint64_t value, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* As somebody's reader has told it: of `count`. */
void source_problem_told(struct reader *r, enum reader_problem_kind kind, uint64_t value, uint64_t count,
			 const char *text);

/* What ended the recording before the command, as the recorder has told it; NULL: nothing. The reader's. */
const char *source_why_stopped(const struct reader *r);

/* Events that are packed in a way that is not this build's. */
void source_other_layout(struct reader *r, uint32_t count);

/* The kind of that name, of `length` bytes; PROBLEM_KINDS: there is none. */
enum reader_problem_kind source_problem_kind(const char *name, size_t length);

/*
 * A file of a trace's folder, opened to be read; NULL or -1 and errno, also where it is no regular file: a FIFO
 * would keep whoever opens it waiting for ever.
 */
FILE *source_open_file(const char *path);
int source_open_descriptor(const char *path);

/* Takes `key value` of the file `recording` into the info; unknown keys are passed over. */
void source_recording_line(struct reader *r, const char *key, const char *value);

#endif

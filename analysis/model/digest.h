/* SPDX-License-Identifier: MIT */
/*
 * What one process has read of a trace, on its way to the one that has the model.
 *
 * A digest is a sequence of items: folds (analysis/model/fold.h), and between them, as they are, the
 * events whose order matters. Part after part of a trace, in order of time, they give the model what
 * the trace gives it. The bytes are for the same program on a machine of the same kind; still, who
 * takes them believes no size in them.
 */
#ifndef DLT_ANALYSIS_MODEL_DIGEST_H
#define DLT_ANALYSIS_MODEL_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "events.h"
#include "analysis/model/feed.h"
#include "analysis/reader/reader.h"

/* The way from one to the other: a pipe, MPI. */
struct channel {
	/* All of it, at most DIGEST_CHUNK; 0 or a negative errno. */
	int (*put)(struct channel *c, const void *bytes, size_t size);
	/* Some; `room` is at least DIGEST_CHUNK. 0: nothing comes any more; or a negative errno. */
	ssize_t (*get)(struct channel *c, void *bytes, size_t room);
};

#define DIGEST_CHUNK	(256 << 10)	/* bytes */

/* What is known of a part when it has been read. */
struct digest_end {
	struct reader_part part;
	struct feed_counts counts;
};

/* ---- giving ---- */

struct digest_writer {
	struct channel *channel;	/* borrowed */
	unsigned char *buffer;		/* owned */
	size_t used, room;
	int error;			/* the first one; then nothing more goes out */
};

void digest_writer_init(struct digest_writer *w, struct channel *channel);
void digest_writer_release(struct digest_writer *w);

void digest_event(struct digest_writer *w, enum dlt_event type, int64_t at, const void *data);
void digest_fold(struct digest_writer *w, const struct fold *fold);
/* The part is over; sends everything. */
void digest_end(struct digest_writer *w, const struct digest_end *end);

/* ---- taking ---- */

struct digest_reader {
	struct channel *channel;	/* borrowed */
	unsigned char *buffer;		/* owned */
	size_t at, used, room;
	struct fold *fold;		/* owned: of the item given last */
	struct digest_end end;
};

enum digest_item { DIGEST_NOTHING, DIGEST_EVENT, DIGEST_FOLD, DIGEST_END };

/* What an item says; borrowed until the next one. */
struct digest_found {
	enum dlt_event type;		/* DIGEST_EVENT: these three */
	int64_t at;
	const void *data;
	struct fold *fold;
	const struct digest_end *end;
};

void digest_reader_init(struct digest_reader *r, struct channel *channel);
void digest_reader_release(struct digest_reader *r);

/* The next item. DIGEST_NOTHING: the channel's end, or what came makes no sense. */
enum digest_item digest_next(struct digest_reader *r, struct digest_found *found);

#endif

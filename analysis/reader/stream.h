/* SPDX-License-Identifier: MIT */
/*
 * One stream of a CTF trace: the packets of its files, one after another, and their events.
 *
 * A stream lies in one file, or in several after rotations; these are joined in order of time, so
 * that memory depends on the number of streams and not on the length of the trace. At most about
 * a megabyte of one file (or one packet, if that is larger) is mapped at a time.
 */
#ifndef DLT_ANALYSIS_READER_STREAM_H
#define DLT_ANALYSIS_READER_STREAM_H

#include "analysis/reader/part.h"
#include "analysis/reader/source.h"

struct packet {
	uint64_t offset, size;		/* in its file, bytes */
	uint64_t content;		/* bytes with events, from its begin */
	uint64_t events_at;		/* bits from its begin to the first event */
	uint64_t begin, end;		/* cycles */
	uint64_t discarded, sequence;
	bool has_discarded, has_sequence, has_uuid;
	uint64_t stream_id, instance;
	uint32_t magic;
	uint8_t uuid[16];
};

struct stream_file {
	char *path;			/* owned */
	const struct part *part;	/* borrowed */
	unsigned folder;		/* breaks ties between events of the same time */
	struct packet first;		/* for grouping and sorting */
	uint64_t size;			/* bytes */
};

/* Where a packet lies, for those who begin in the middle. */
struct packet_place {
	uint64_t offset, end;		/* in its file; ns since 1970 */
	uint32_t file;
};

/* Only events from `from` to before `to` (ns since 1970) are given. */
struct stream_span {
	uint64_t from, to;
};

struct stream {
	struct reader *reader;		/* borrowed: for what is to be said */
	struct plan_state *state;	/* borrowed: shared by all streams */
	struct stream_file *files;	/* owned; in order of time */
	size_t file_count, file;	/* the present one: files[file] */
	int fd;				/* -1: none */
	const uint8_t *window;		/* a mapping of the present file ... */
	uint64_t window_offset, window_size;	/* ... and what it covers */
	struct packet packet;		/* the present one */
	bool started;			/* a packet came before */
	uint64_t discarded;		/* the highest count of its packets so far */
	const struct part_class *class;
	const uint8_t *base, *at, *end;	/* in the packet's content */
	uint64_t cycles;		/* of the last event or the packet's begin */
	uint64_t time;			/* the present event: ns since 1970 */
	const struct plan *plan;
	uint64_t events;		/* met in this packet */
	uint64_t went_back;		/* events whose time lay before the one before */
	struct stream_span span;
	struct packet_place *places;	/* owned; NULL: nobody looked */
	size_t place_count, place_room;
};

/* Reads the head of a file's first packet. 0, or why not: -ENODATA: there is no whole packet. */
int stream_probe(struct reader *r, struct plan_state *state, struct stream_file *file);

/* Takes over `files`. */
struct stream *stream_new(struct reader *r, struct plan_state *state, struct stream_file *files,
			  size_t file_count);
void stream_free(struct stream *s);

/* What a look at all packets tells; times in ns since 1970. */
struct stream_packets {
	void (*each)(void *context, uint64_t begin, uint64_t end, uint64_t bytes);
	void *context;
	uint64_t discarded, discarded_packets, end;
};

/*
 * Looks at the heads of all packets; afterwards the stream has to be begun. false: something about
 * them is not as it should be, and the stream can only be read from its begin to its end.
 */
bool stream_skim(struct stream *s, struct stream_packets *found);

/* It is not needed until it is begun again. */
void stream_rest(struct stream *s);

/* To the first event of the span; then stream_next. Not from the stream's begin: only when skimmed. */
void stream_begin(struct stream *s, struct stream_span span);

/* Moves on to the next event of dltrace and its time. false: the end. */
bool stream_next(struct stream *s);
/* Decodes it; afterwards stream_next. false: its bytes make no sense, and the packet was left. */
bool stream_decode(struct stream *s, void *data);

#endif

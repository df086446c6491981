/* SPDX-License-Identifier: MIT */
/*
 * Reading traces: one interface, several sources, the same events from each.
 *
 * A reader gives the events of one trace in order of time; but those that came in batches
 * (dltrace_batch of events.tbl) are given when their batch comes, in order within their thread: with
 * a time that may lie half a second back; and those that came by way of a black box (dltrace_outbox) when the
 * recorder has passed them on, in order within their process. A trace is a folder: one that
 * dltrace-record wrote, or any LTTng trace folder below which `metadata` files lie (all domains,
 * uids and rotation chunks below it are one trace); or a text file of events, for tests
 * (tests/report/README tells its form).
 *
 * Nothing from a trace is trusted: a source checks every length, skips what it does not know,
 * reads the whole packets of a truncated stream, and says what it left out in the info.
 * Events of processes that belong to another recording are left to the model to drop.
 */
#ifndef DLT_ANALYSIS_READER_READER_H
#define DLT_ANALYSIS_READER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"

enum reader_source {
	READER_AUTO,		/* fast; babeltrace2 for what that does not understand */
	READER_FAST,		/* our decoder of the CTF 1.8 and 2 that LTTng-UST writes */
	READER_BABELTRACE,
	READER_TEXT,
};

struct reader_event {
	uint64_t time;		/* ns since 1970: the trace's clock plus its offset */
	enum dlt_event type;
	const void *data;	/* struct dlt_ev_...; valid until the next call, as all in it */
};

/* Their names are in reader.c. */
enum reader_problem_kind {
	PROBLEM_TRUNCATED, PROBLEM_LOST, PROBLEM_FOREIGN, PROBLEM_CORRUPT, PROBLEM_UNREADABLE, PROBLEM_STOPPED,
	PROBLEM_LAYOUT,	/* packed by another build of dltrace */
	PROBLEM_KINDS,
};

/* Something that could not be read. */
struct reader_problem {
	const char *kind;	/* by name; static */
	char *text;		/* one line for people: what, where, what was done about it */
	uint64_t value;		/* bytes or events, by kind */
	uint64_t count;		/* of how many it tells: beyond a bound one is of all others of its kind */
};

/* The file `recording` beside the trace, as dltrace-record wrote it (record/label.h has its form). */
struct reader_recording {
	bool present;
	uint64_t id;
	char level[16], version[32];
	char *command;		/* arguments separated by 0x1f; "" unknown */
	int exit_status;	/* -1 unknown, or it ended by a signal */
	int signal;		/* 0: none */
	uint64_t begin, end;	/* ns since 1970; 0 unknown: the recorder was killed */
	uint64_t lost;		/* events, as the recorder counted them; at the end, if stalled, all that are missing */
	uint64_t events;	/* the same of those that were recorded; 0: not known, or some were dropped since */
	bool running;		/* it has not ended: the trace is what was written until now */
	bool stalled;		/* LTTng's buffers stood still: what came after is missing */
	char *labels;		/* KEY=VALUE, separated by 0x1f; the file `labels` beside it is in it too */
};

struct reader_info {
	const char *path;
	enum reader_source source;	/* the one in use */
	int64_t clock_offset;	/* ns: the traced machine's CLOCK_MONOTONIC + this = since 1970 */
	uint64_t begin, end;	/* ns since 1970 of the first and last packet or event; 0: none */
	uint64_t events;	/* events of dltrace given so far */
	uint64_t boxed;		/* those of them that came by way of a black box, not in batches */
	uint64_t foreign;	/* events of others (other providers), left out */
	uint64_t discarded;	/* events that LTTng says it discarded */
	uint64_t discarded_packets;
	uint64_t bytes;		/* of the trace on disk */
	size_t parts;		/* in which it was read; 0: as a whole */
	char host[256];		/* of the metadata; "" unknown */
	struct reader_recording recording;
	const struct reader_problem *problems;
	size_t problem_count;
};

struct reader;
struct records;

#define READER_ERROR_SIZE 1024	/* bytes: room for a path and why */

/*
 * Opens a trace. NULL on failure, and `error` (READER_ERROR_SIZE) holds one line: what and why.
 * The reader is owned by the caller.
 */
struct reader *reader_open(const char *path, enum reader_source source, char *error, size_t size);

/* 1: an event; 0: the end; a negative errno: nothing more can be read (info tells why). */
int reader_next(struct reader *r, struct reader_event *event);

/* When all is read: events that are not in the trace, or packed by another build of dltrace, become a problem. */
void reader_end(struct reader *r);

/*
 * What is left of the batch whose event was given last; NULL: none came in a batch. Who takes records
 * from it says how many.
 */
struct records *reader_records(struct reader *r);
void reader_took(struct reader *r, uint32_t count);

/* ---- parts: a trace read piece by piece, by several processes ----
 *
 *	count = reader_cuts(r, least, fewest, most, cuts);	in the process that collects
 *	reader_seek(r, cuts[i - 1], cuts[i]); reader_next ...	in one that reads a part
 *	reader_part(r, &part);					... what it has to tell of it
 *	reader_add_part(r, &part);				in the first one, in order of time
 *
 * Part after part gives the events of the whole in their order. A trace in which something is wrong
 * is not the same in parts; whoever reads one finds that out.
 */

/* How a part's batches of one thread are numbered: from `first`, on from `next`. */
struct reader_part_batch {
	uint32_t thread, first, next;
};

struct reader_part {
	uint64_t events, boxed, foreign;
	bool irregular;			/* the trace has to be read as a whole */
	const struct reader_part_batch *batches;
	size_t batch_count;
};

/*
 * Times (ns since 1970, ascending) at which the trace can be cut into parts of about `least` bytes
 * or more, at least `fewest` of them where that is possible, and at most `most`: most - 1 cuts or
 * fewer; how many. 0: it is read in one go. The reader stands at its begin.
 */
size_t reader_cuts(struct reader *r, uint64_t least, size_t fewest, size_t most, uint64_t *cuts);

/*
 * From here on: events from `from` to before `to`; 0 and UINT64_MAX: as after reader_open. Only when
 * reader_cuts gave any.
 */
void reader_seek(struct reader *r, uint64_t from, uint64_t to);

/* After reader_next has returned 0: what was read since reader_seek. Borrowed until then. */
void reader_part(struct reader *r, struct reader_part *part);

/* Into the info, as if it had been read here. -EINVAL: the trace has to be read as a whole. */
int reader_add_part(struct reader *r, const struct reader_part *part);

/* What somebody else found out. */
void reader_set_running(struct reader *r);
void reader_add_problem(struct reader *r, enum reader_problem_kind kind, const char *text);

/* Borrowed; complete after reader_next returned 0 or less. */
const struct reader_info *reader_info(const struct reader *r);

/* NULL is fine. */
void reader_close(struct reader *r);

#endif

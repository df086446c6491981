/* SPDX-License-Identifier: MIT */
/*
 * Reading traces: one interface, several sources, the same events from each.
 *
 * A reader gives the events of one trace in order of time; but those that came in batches
 * (dltrace_batch of events.tbl) are given when their batch comes, in order within their thread: with
 * a time that may lie half a second back. A trace is a folder: one that
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
	READER_FAST,		/* our decoder of the CTF 1.8 that LTTng-UST writes */
	READER_BABELTRACE,
	READER_TEXT,
};

struct reader_event {
	uint64_t time;		/* ns since 1970: the trace's clock plus its offset */
	enum dlt_event type;
	const void *data;	/* struct dlt_ev_...; valid until the next call, as all in it */
};

/* Something that could not be read. */
struct reader_problem {
	const char *kind;	/* "truncated", "lost", "foreign", "corrupt", "unreadable" */
	char *text;		/* one line for people: what, where, what was done about it */
	uint64_t value;		/* bytes or events, by kind */
};

/* The file `recording` beside the trace, as dltrace-record wrote it (record/label.h has its form). */
struct reader_recording {
	bool present;
	uint64_t id;
	char level[16];
	char *command;		/* arguments separated by 0x1f; "" unknown */
	int exit_status;	/* -1 unknown, or it ended by a signal */
	int signal;		/* 0: none */
	uint64_t begin, end;	/* ns since 1970; 0 unknown: the recorder was killed */
	uint64_t lost;		/* events, as the recorder counted them */
	bool stalled;		/* LTTng's buffers stood still: what came after is missing */
	char *labels;		/* KEY=VALUE, separated by 0x1f; the file `labels` beside it is in it too */
};

struct reader_info {
	const char *path;
	enum reader_source source;	/* the one in use */
	int64_t clock_offset;	/* ns: the traced machine's CLOCK_MONOTONIC + this = since 1970 */
	uint64_t begin, end;	/* ns since 1970 of the first and last packet or event; 0: none */
	uint64_t events;	/* events of dltrace given so far */
	uint64_t foreign;	/* events of others (other providers), left out */
	uint64_t discarded;	/* events that LTTng says it discarded */
	uint64_t discarded_packets;
	uint64_t bytes;		/* of the trace on disk */
	char host[256];		/* of the metadata; "" unknown */
	struct reader_recording recording;
	const struct reader_problem *problems;
	size_t problem_count;
};

struct reader;

/*
 * Opens a trace. NULL on failure, and `error` (at least 256 bytes) holds one line: what and why.
 * The reader is owned by the caller.
 */
struct reader *reader_open(const char *path, enum reader_source source, char *error, size_t size);

/* 1: an event; 0: the end; a negative errno: nothing more can be read (info tells why). */
int reader_next(struct reader *r, struct reader_event *event);

/* Borrowed; complete after reader_next returned 0 or less. */
const struct reader_info *reader_info(const struct reader *r);

/* NULL is fine. */
void reader_close(struct reader *r);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One LTTng session through liblttng-ctl. Calls block as long as the session daemon likes, so only
 * the keeper makes them; what waits for data has a limit all the same.
 */
#ifndef DLT_RECORD_SESSION_H
#define DLT_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

struct lttng_handle;
struct lttng_rotation_handle;

struct session {
	char name[64];
	bool borrowed;		/* --session: the user's own, never stopped or destroyed by us */
	struct lttng_handle *handle;	/* owned */
	struct plan plan;
	bool started;
	bool rotated;		/* once, or more often: the last part has a folder of its own, too */
	struct lttng_rotation_handle *rotation;	/* owned; NULL: none is going on */
};

/* What an end has found. */
struct session_end {
	uint64_t discarded;	/* events that found no room */
	uint64_t lost_packets;
	bool stalled;		/* data never left the buffers: a process died inside an event */
	bool left;		/* all is written, and the session still there */
};

/* All: 0 or -errno, with the reason for people in `why`. */
int session_create(struct session *s, const char *name, const char *output, const char *relay,
		   const struct plan *plan, char *why, size_t size);
int session_borrow(struct session *s, const char *name, const struct plan *plan, char *why, size_t size);
int session_set_level(struct session *s, enum level level, char *why, size_t size);
int session_start(struct session *s, char *why, size_t size);

/*
 * Everything recorded so far becomes a folder of its own that can be read. Begins it: 0; -ENOTSUP:
 * this session cannot; -EBUSY: the last one has not ended.
 */
int session_rotate(struct session *s);

/* 1: it has ended, and `path` (of `size` bytes) is that folder, or ""; 0: not yet; -EIO: failed. */
int session_rotated(struct session *s, char *path, size_t size);

/* Stops recording, and waits at most `limit` ms for data in flight; what is there stays. */
void session_pause(struct session *s, int limit);

/* No event is enabled any more but those of the recorder's own notes. */
void session_set_notes_only(struct session *s);

/*
 * Stops, waits at most `limit` ms for data in flight, counts, destroys. ends: its daemon is about to be ended, and its
 * files are on this machine; then it is left as it is, if all is written and none of it has to be moved: LTTng 2.13
 * takes 0.5 s to destroy it, since it looks but twice a second whether the last part is closed.
 */
void session_finish(struct session *s, int limit, bool ends, struct session_end *end);

#endif

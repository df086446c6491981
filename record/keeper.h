/* SPDX-License-Identifier: MIT */
/*
 * The keeper: a process of its own that holds the session daemon and the LTTng session, because
 * liblttng-ctl blocks (so it must be possible to give up on it), because a private mount namespace
 * must not become the command's, and because a trace must end well even when dltrace-record is
 * killed: then the keeper finds its socket closed, and finishes.
 *
 * It and the sampler have process groups of their own, not sessions: Linux divides CPU time by sessions
 * (sched_autogroup), and in one of its own a sampler that could run waited for up to 6 s where the CPU's other threads
 * were busy (6.18), in the recorder's for some ms.
 *
 * To the keeper:   start | level N | rotate | stop | leave
 * From the keeper: daemon PID                               (once it runs)
 *                  ready private|shared | failed WHY        (after its launch)
 *                  started | unstarted WHY                  (start)
 *                  done TEXT | failed WHY                   (level, rotate)
 *                  full                                     (the disk; recording is about to end)
 *                  rotated                                  (names must be announced again)
 *                  note SEVERITY KIND VALUE TEXT            (for the trace, by the sampler)
 *                  end DISCARDED LOST_PACKETS STALLED       (after stop, leave; then it exits)
 *
 * leave: the command runs on, unrecorded, also where the session is the user's own and does so as well.
 */
#ifndef DLT_RECORD_KEEPER_H
#define DLT_RECORD_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon.h"
#include "plan.h"

struct keeper {
	pid_t pid;	/* 0: none */
	int fd;
	struct session_daemon daemon;	/* to look at */
	bool deaf;	/* it waits for one that has died, or longer than anything takes: it has nothing to save */
};

/* Strings are borrowed and must last until keeper_launch has returned. */
struct keeper_config {
	const char *home;	/* the private folder */
	const char *output;	/* absolute; "": none (relay, borrowed session) */
	const char *session;	/* --session; NULL: one of our own ... */
	const char *name;	/* ... of this name */
	const char *relay;
	const struct plan *plan;
	unsigned cpus;		/* possible ones */
	enum level level;
	uint64_t rotate;	/* ns between rotations; 0: never */
	uint64_t max_size;	/* bytes; 0: no limit */
};

/* 0 or -errno. */
int keeper_launch(struct keeper *k, const struct keeper_config *c);

/* Wait for its session to be there, to be started. 0, or -errno with the reason for people in `why`. */
int keeper_ready(struct keeper *k, bool *private_daemon, char *why, size_t size);
int keeper_start(struct keeper *k, char *why, size_t size);

/* Waits at most `limit` ms for its end, then kills it and with it the daemon. */
void keeper_reap(struct keeper *k, int limit);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The session daemon of a recording.
 *
 * A user gets a private one by LTTNG_HOME. For root, LTTng fixes /run/lttng as the place of all
 * sockets and allows one daemon there; so the keeper and its daemon live in a mount namespace of
 * their own, in which /run/lttng *is* <private folder>/.lttng (a bind mount). The command, outside
 * of it, finds the daemon's application socket under $LTTNG_HOME/.lttng as any user's would.
 * Root without CAP_SYS_ADMIN (a plain container) shares the machine's daemon: it is there already, or the first
 * recording starts it, and the last one of those at the same time ends it.
 *
 * All this but daemon_died runs in the keeper only (keeper.h): it changes the namespace of the calling process.
 */
#ifndef DLT_RECORD_DAEMON_H
#define DLT_RECORD_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct session_daemon {
	pid_t pid;		/* 0: not known */
	pid_t consumer;		/* its consumer daemon; 0: not known yet */
	bool private;		/* processes find it by LTTNG_HOME */
	bool shared;		/* the machine's */
	int lock;		/* of the shared one */
};

/*
 * home: the private folder, owned by the caller, outlives the daemon. 0, or -errno with the reason
 * for people in `why`.
 */
int daemon_start(struct session_daemon *d, const char *home, char *why, size_t size);

/* daemon_stop will end it. */
bool daemon_is_ours(const struct session_daemon *d);

/*
 * Ends it within about three seconds, whatever state it is in. at_once: it has nothing to do any more, but would take
 * 0.5 s for that.
 */
void daemon_stop(struct session_daemon *d, bool at_once);

/* NULL while daemon and consumer daemon live; else who died. Asked from outside, of one with nothing but a pid. */
const char *daemon_died(struct session_daemon *d);

#endif

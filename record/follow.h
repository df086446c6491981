/* SPDX-License-Identifier: MIT */
/*
 * Following processes by their black boxes: found by inotify and a first scan, watched by a pidfd,
 * read at every tick and once more at their end, then unlinked. Nothing in a box is trusted; one
 * that is cut while it is read (SIGBUS) is dropped.
 */
#ifndef DLT_RECORD_FOLLOW_H
#define DLT_RECORD_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

/* Events that processes have emitted; those among them that found no room in their outboxes. */
struct follow_events {
	uint64_t emitted, lost;
};

/*
 * folder: of the boxes, borrowed. hang: ns after which a call in flight is worth a note; 0: never. past: where those of
 * boxes that are gone are counted, borrowed; NULL: nobody else wants to go on with them.
 */
int follow_init(const char *folder, uint64_t hang, struct follow_events *past);

/* To poll: becomes readable when a box has come or a process has ended. */
int follow_descriptor(void);
/* Takes in what has come, reads what has ended. */
void follow_changes(void);

/*
 * A process is looked at for the first time when it is 10 ms old: one that is gone by then costs no reading of /proc,
 * which would keep a CPU from its successors. ns CLOCK_MONOTONIC when it is time to; UINT64_MAX: there is none.
 */
uint64_t follow_first_look(void);
void follow_look(uint64_t now);

/* Tells of calls that have not returned for --hang, once each. When it is time to look; UINT64_MAX: never. */
uint64_t follow_next_watch(void);
void follow_watch(uint64_t now);

void follow_tick(uint64_t now);
/* Only what processes have put into their outboxes. */
void follow_pass_on(uint64_t now);
/* The trace was rotated: say all names again. */
void follow_again(void);
/* Totals of all that live, since recording stops while they go on. */
void follow_last(uint64_t now);
/* The same at the end; the boxes stay for their processes. */
void follow_leave(uint64_t now);

/* Processes alive. */
unsigned follow_alive(void);

/* Of all. */
struct follow_events follow_events(void);

/* One line each, for --control PID dump. */
void follow_dump(void (*line)(const char *text), uint64_t now);

#endif

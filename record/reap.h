/* SPDX-License-Identifier: MIT */
/*
 * Waiting for children: for ours with a limit, for others' at once. Others' are there where dltrace-record is the first
 * process of a container, which all are handed to that have lost their parents: nobody else would reap them.
 */
#ifndef DLT_RECORD_REAP_H
#define DLT_RECORD_REAP_H

#include <stdbool.h>
#include <sys/types.h>

/* As fork(2), of a child that somebody waits for: by reap_within, or otherwise and says so by reap_done. */
pid_t reap_fork(void);
void reap_done(pid_t pid);

/* Those that have ended. One of ours that has ended holds them up until it is waited for. */
void reap_strangers(void);

/* True: it has ended within so long, ms, and is no zombie; `status`: as waitpid tells it; may be NULL. */
bool reap_within(pid_t pid, int limit, int *status);

/* By SIGKILL. One that a driver or a disk holds is left behind, for whoever adopts it. */
void reap_killed(pid_t pid);

#endif

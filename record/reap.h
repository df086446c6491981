/* SPDX-License-Identifier: MIT */
/* Waiting for a child with a limit. */
#ifndef DLT_RECORD_REAP_H
#define DLT_RECORD_REAP_H

#include <stdbool.h>
#include <sys/types.h>

/* True: it has ended within so long, ms, and is no zombie; `status`: as waitpid tells it; may be NULL. */
bool reap_within(pid_t pid, int limit, int *status);

/* By SIGKILL. One that a driver or a disk holds is left behind, for whoever adopts it. */
void reap_killed(pid_t pid);

#endif

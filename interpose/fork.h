/* SPDX-License-Identifier: MIT */
/*
 * fork: our handlers around it, which come before everybody's so that LTTng is quiet last and
 * awake first. The handlers are registered by dlt_fork_init (init.h).
 */
#ifndef DLT_INTERPOSE_FORK_H
#define DLT_INTERPOSE_FORK_H

#include <stdbool.h>

/* True between our prepare handler and the end of our child or parent handler. */
bool dlt_fork_is_prepared(void);

/*
 * This thread is about to fork (or is no more, or is the child): the child does nothing but make
 * itself another program. Then it is only counted, and LTTng is left as it is there, locks held:
 * to connect it anew takes 5 ms, for a process that has nothing to say and lives as long.
 */
void dlt_fork_to_exec(bool is);
bool dlt_fork_is_to_exec(void);

#endif

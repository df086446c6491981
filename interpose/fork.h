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

#endif

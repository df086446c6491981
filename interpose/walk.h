/* SPDX-License-Identifier: MIT */
/*
 * dl_iterate_phdr, kept apart from fork: its lock (up to glibc 2.36 at least) stays locked for ever
 * in a child that was forked while another thread held it, and then the child hangs in its next
 * dlopen. What an application does so itself is its own business; we must not make it so.
 *
 * A walk that would begin during a fork waits for it: no longer than the system call takes, since
 * our fork handlers are the first and the last. A fork waits for walks in progress, 10 ms at most.
 */
#ifndef DLT_INTERPOSE_WALK_H
#define DLT_INTERPOSE_WALK_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* As dl_iterate_phdr; may be called inside `each`. */
int dlt_walk(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data);

void dlt_walk_before_fork(void);
void dlt_walk_after_fork(bool child);

#pragma GCC visibility pop

#endif

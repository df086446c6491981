/* SPDX-License-Identifier: MIT */
/*
 * dl_iterate_phdr, kept apart from fork: its lock (up to glibc 2.36 at least) stays locked for ever
 * in a child that was forked while another thread held it, and then the child hangs in its next
 * dlopen. What an application does so itself is its own business; we must not make it so.
 *
 * A walk that would begin during a fork waits for it: no longer than the system call takes, since
 * our fork handlers are the first and the last. A fork waits for walks in progress, a second at most.
 */
#ifndef DLT_INTERPOSE_WALK_H
#define DLT_INTERPOSE_WALK_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* As dl_iterate_phdr; may be called inside `each`. */
int dlt_walk(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data);

/*
 * False in a forked child that has not walked yet: a thread of its parent's may have been inside the lock, by a
 * walk of the application's own or by dlopen. A child that loads something walks then.
 */
bool dlt_walk_returns(void);

/* For who can do without: 0 at once where a walk might not return. */
int dlt_walk_or_not(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data);

void dlt_walk_before_fork(void);
void dlt_walk_after_fork(bool child);

#pragma GCC visibility pop

#endif

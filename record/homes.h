/* SPDX-License-Identifier: MIT */
/* Looks for the private folders of recordings, its homes: PLACE/.dltrace-PID-XXXXXX, what is in them is in folder.h. */
#ifndef DLT_RECORD_HOMES_H
#define DLT_RECORD_HOMES_H

#include <stdbool.h>
#include <sys/types.h>

#define PRIVATE_PREFIX ".dltrace-"	/* the pid of dltrace-record follows */

/* Where they may be, best first, NULL at last; a user without any has $TMPDIR in its own hands. */
extern const char *const home_places[];

/* Is told a folder's path and the pid in its name: of anybody's, dead or alive. True: it has seen enough. */
typedef bool home_visit_fn(const char *path, pid_t recorder, void *arg);

/* Whether one has seen enough. What cannot be read has none. */
bool homes_in(const char *place, home_visit_fn *visit, void *arg);
bool homes_everywhere(home_visit_fn *visit, void *arg);

#endif

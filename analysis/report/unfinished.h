/* SPDX-License-Identifier: MIT */
/*
 * What is begun and not complete: hidden files beside their targets, folders made for them. Whoever makes them sees to
 * them; this list is for when a signal, a crash or a limit comes first. It outlives the process that writes, in memory
 * that its parent shares.
 *
 * Not for threads: one process adds at a time.
 */
#ifndef DLT_ANALYSIS_REPORT_UNFINISHED_H
#define DLT_ANALYSIS_REPORT_UNFINISHED_H

/* From now on children share the list. Before the first path is added. */
void unfinished_share(void);

/* To be removed, unless it is done before. The list's copy, for mkostemp to complete; NULL: there are too many. */
char *unfinished_add(const char *path);
/* `path` as unfinished_add gave it; NULL: nothing. */
void unfinished_done(char *path);

/* Removes all of them, what was added last first; folders only if they are empty. For signals' handlers, too. */
void unfinished_remove(void);

#endif

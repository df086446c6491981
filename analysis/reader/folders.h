/* SPDX-License-Identifier: MIT */
/* Which folders below a path hold a CTF trace, those with a file `metadata`; which ones dltrace-record wrote. */
#ifndef DLT_ANALYSIS_READER_FOLDERS_H
#define DLT_ANALYSIS_READER_FOLDERS_H

#include "analysis/reader/source.h"

struct folders {
	char **paths;		/* owned, sorted */
	size_t count, capacity;
};

/*
 * Looks below `path`, without following links to folders. What cannot be read becomes a problem.
 * 0, or a negative errno and one line in `error` when there is no trace at all.
 */
int folders_find(struct folders *f, struct reader *r, const char *path, char *error, size_t size);
/*
 * Adds `path`, or, where all traces below it are recordings of dltrace-record's and it is none itself, these: each
 * has a file `recording`.
 */
void folders_add_recordings(struct folders *f, const char *path);
/* Of all files in the folders. */
uint64_t folders_bytes(const struct folders *f);
void folders_release(struct folders *f);

#endif

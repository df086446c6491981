/* SPDX-License-Identifier: MIT */
/*
 * Folders: the output folder, and the private one of a recording that is gone afterwards.
 *
 * Private folder, on /dev/shm where that is possible (a short path: sockets allow 108 bytes). It is called
 * .dltrace-PID-XXXXXX, as nothing that a user makes is, so that one that is left behind can be swept (homes.h finds
 * them):
 *	lock		held by flock while the recording runs; who finds it free in an old folder may sweep that
 *	box/		black boxes (DLTRACE_BOX), 0700; `ids`, the counter of thread ids; and `wanted`, which
 *			events of the boxes are (wanted.h)
 *	.lttng/		the private session daemon's (LTTNG_HOME is the private folder)
 *	control		socket of --control
 *	trace		symbolic link: the output folder, or the name of the session or relay
 *	log		what LTTng's daemons say
 */
#ifndef DLT_RECORD_FOLDER_H
#define DLT_RECORD_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

struct private_folder {
	char path[64];		/* "" while there is none */
	int lock;		/* descriptor, or -1 */
};

/* 0 or -errno. Sweeps what dead recordings of this user have left. */
int private_folder_make(struct private_folder *f);
void private_folder_remove(struct private_folder *f);

/* Says where the trace is, for those who find this recording by its private folder (--live). NULL: nowhere. */
void private_folder_point(const struct private_folder *f, const char *trace);

/* Bytes of all files below `path`; symbolic links are not followed. */
uint64_t folder_size(const char *path);
int folder_remove(const char *path);
/* A file of that name, somewhere below. */
bool folder_has(const char *path, const char *name);

/*
 * Makes the output folder and its parents. `absolute` has PATH_MAX bytes; made: the folder was not there.
 * 0; -ENOTEMPTY when it holds something; -errno.
 */
int output_folder_make(const char *path, char *absolute, bool *made);

/* Takes out what a recording has written into the output folder. */
void output_folder_clear(const char *path);

#endif

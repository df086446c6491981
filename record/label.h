/* SPDX-License-Identifier: MIT */
/*
 * The file `recording` in the output folder: what the recording is, readable even when the trace
 * is not. Lines "key value"; a newline in a value is written as \n, a backslash as \\.
 *
 *	format dltrace-recording 1
 *	id HEX | level NAME | host NAME | version V | folder PATH | begin NS_SINCE_1970
 *	monotonic NS            CLOCK_MONOTONIC at begin
 *	command ARGUMENTS       separated by 0x1f
 *	label KEY=VALUE         each --label
 *	note SEVERITY KIND TEXT      each one that is a warning (1) or a problem (2)
 *	end NS_SINCE_1970 | exit N | signal N | events N | lost N (what is known of it) | stalled 1
 */
#ifndef DLT_RECORD_LABEL_H
#define DLT_RECORD_LABEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

/*
 * NULL on failure, as errno says: EEXIST where another recording was given the same folder and has it now.
 * Line-buffered, so that it survives a kill.
 */
FILE *label_open(const char *folder, uint64_t recording);

/* f may be NULL in all. */
void label_describe(FILE *f, const struct options *o);	/* which begins now */
void label_line(FILE *f, const char *key, const char *value);
void label_note(FILE *f, int severity, const char *kind, const char *text);
void label_number(FILE *f, const char *key, uint64_t value);
/* "SEVERITY KIND VALUE TEXT", where it is a warning; the user is told where it is a problem. */
void label_tell(FILE *f, const char *text);

/* LTTng does not say so where it can make no channel. */
#define LABEL_NOTHING_TAKEN "2 taken 0 nothing was recorded: LTTng took no event (do limits, as ulimit -a shows " \
	"them, or a sandbox keep its daemons from timers or memory?)"

/* Corrects `folder` (PATH_MAX bytes), where it has been moved since; false: it was removed. */
bool label_find_folder(FILE *f, char *folder);

/* How the command ended, as from waitpid, now. */
void label_end(FILE *f, int status);

/* And forgets it. */
void label_close(FILE **f);

#endif

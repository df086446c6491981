/* SPDX-License-Identifier: MIT */
/* One recording from its command line to the last line on stderr. */
#ifndef DLT_RECORD_RECORDING_H
#define DLT_RECORD_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

/* Exit status of dltrace-record. */
int recording_run(const struct options *o);

/* The default or expanded -o, as the user would write it. 0 or an exit status, said why. */
int recording_output(const struct options *o, char *path);

/*
 * Makes that folder, absolute[PATH_MAX], unless the trace goes elsewhere; made: it was not there. 0; or why not, and
 * -errno, or EXIT_OWN where the user has named it: the command does not run then.
 */
int recording_output_make(const struct options *o, const char *path, char *absolute, bool *made, char *why,
			  size_t size);

/*
 * It was empty a moment ago: of several recordings that were given it, it is the one's that makes the label, which is
 * the caller's. As above.
 */
int recording_output_take(const struct options *o, const char *path, char *absolute, uint64_t id, FILE **label,
			  char *why, size_t size);

#endif

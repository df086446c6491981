/* SPDX-License-Identifier: MIT */
/* One recording from its command line to the last line on stderr. */
#ifndef DLT_RECORD_RECORDING_H
#define DLT_RECORD_RECORDING_H

#include "options.h"

/* Exit status of dltrace-record. */
int recording_run(const struct options *o);

/* The default or expanded -o, as the user would write it. 0 or an exit status, said why. */
int recording_output(const struct options *o, char *path);

#endif

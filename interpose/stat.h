/* SPDX-License-Identifier: MIT */
/* /proc/self/stat as a program would find it without us. */
#ifndef DLT_INTERPOSE_STAT_H
#define DLT_INTERPOSE_STAT_H

#include <stdio.h>

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* A stream was opened to read, and nothing is read yet. Does nothing for any other path. */
void dlt_stat_opened(FILE *file, const char *path);

#pragma GCC visibility pop

#endif

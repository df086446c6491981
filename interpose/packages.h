/* SPDX-License-Identifier: MIT */
/* Which Python packages a program imports, told by what it opens. */
#ifndef DLT_INTERPOSE_PACKAGES_H
#define DLT_INTERPOSE_PACKAGES_H

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

/* A file was opened, in a process that is traced. Hook-safe. */
void dlt_packages_opened(const char *path);

#pragma GCC visibility pop

#endif

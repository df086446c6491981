/* SPDX-License-Identifier: MIT */
/*
 * The real function behind a wrapper, as the loader would have bound it for that caller if this
 * library were not there. Takes the loader's list lock for a moment (never its main lock, so
 * it cannot wait for a constructor that waits for us); no allocation. Some microseconds: cache it.
 */
#ifndef DLT_INTERPOSE_SCOPE_H
#define DLT_INTERPOSE_SCOPE_H

/* NULL: nobody defines it. `caller`: an address in the calling library. */
void *dlt_scope_find(const void *caller, const char *name);

#endif

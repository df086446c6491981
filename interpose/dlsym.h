/* SPDX-License-Identifier: MIT */
/*
 * dlsym for libdltrace itself: the C library's, called from here whoever wraps it. Somebody's
 * wrapper in front of us would lose who asks, and then RTLD_NEXT finds ourselves.
 */
#ifndef DLT_INTERPOSE_DLSYM_H
#define DLT_INTERPOSE_DLSYM_H

void *dlt_dlsym(void *handle, const char *name) __attribute__((visibility("hidden")));

#endif

/* SPDX-License-Identifier: MIT */
/* C++ names as people write them. */
#ifndef DLT_ANALYSIS_DEMANGLE_H
#define DLT_ANALYSIS_DEMANGLE_H

#include <stddef.h>

/*
 * `mangled` demangled into `to`, cut to `size` if need be; as it is when it is no C++ name, or
 * there is no libstdc++ on this machine. Returns `to`.
 */
char *demangle(const char *mangled, char *to, size_t size);

#endif

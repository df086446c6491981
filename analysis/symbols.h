/* SPDX-License-Identifier: MIT */
/*
 * Names of functions by where they lie in a library's file, which must be on this machine and be the same one: its
 * build id is compared, else how much of memory it takes. Read by libelf; without it nothing has a name.
 */
#ifndef DLT_ANALYSIS_SYMBOLS_H
#define DLT_ANALYSIS_SYMBOLS_H

#include "analysis/model/model.h"

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/*
 * The function that has the byte `offset` of the library, counted from where that is mapped: mangled, borrowed from
 * `s`. NULL: not known.
 */
const char *symbols_find(struct symbols *s, const struct library *l, uint64_t offset);

#endif

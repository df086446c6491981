/* SPDX-License-Identifier: MIT */
/* Which rows of a table are shown where there is no room for all. */
#ifndef DLT_REPORT_ROWS_H
#define DLT_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct table;

#define ROWS_KEYS 4	/* columns at most by which rows are chosen */

/*
 * Of each row: is it one of `most`, those with the best places by any of these columns, the largest value first? Of
 * rows alike, or by no column (NULL behind the last one), the first ones. The caller's.
 */
bool *rows_choose(const struct table *t, const char *const keys[ROWS_KEYS], size_t most);

#endif

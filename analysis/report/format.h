/* SPDX-License-Identifier: MIT */
/*
 * Numbers for people: three significant digits and a unit that fits ("1.23 ms", "4.56 MiB",
 * "12.3 %", "1,234,567"). Input is in base units (ns, bytes, fractions).
 *
 * `unicode` false keeps to ASCII ("us" for "µs", "-" for an unknown value).
 */
#ifndef DLT_ANALYSIS_REPORT_FORMAT_H
#define DLT_ANALYSIS_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/report/table.h"

#define FORMAT_SIZE 48	/* enough for each of these */

/* All write into buf (FORMAT_SIZE bytes) and return it. */
const char *format_ns(char *buf, double ns, bool unicode);
const char *format_bytes(char *buf, double bytes);
const char *format_whole(char *buf, double count);
const char *format_percent(char *buf, double percent);
const char *format_real(char *buf, double value);

/* A value in the unit of a column, or of a series ("count", "percent", "bytes", "ns", ...). */
const char *format_value(char *buf, enum unit unit, double value, bool unicode);
enum unit format_unit(const char *series_unit);

/* Of a cell: the column's, or what the row says (UNIT_ROW). */
enum unit table_unit(const struct table *t, size_t row, size_t column);

/* A cell that is a number; unknown gives "–". Text and trees give "". */
const char *format_cell(char *buf, enum unit unit, const struct cell *c, bool unicode);

/*
 * A tree in words, the caller's: of an object "key value, key value", what is null or false left out; a list of
 * words as the command line that they are; of other lists "...; ...".
 */
char *format_tree(const json_t *tree);

/* A whole number, all of its digits; false: it is none, and buf as it was. */
bool format_integer(char *buf, const struct cell *c);

/* The shortest decimal that reads back as the same double, for data formats ("null" if none). */
const char *format_exact(char *buf, double value);

#endif

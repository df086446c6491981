/* SPDX-License-Identifier: MIT */
/*
 * Text from traces made harmless: whatever a traced process calls itself, it reaches no terminal
 * as a control sequence, breaks no table, and is valid in every format.
 */
#ifndef DLT_ANALYSIS_REPORT_ESCAPE_H
#define DLT_ANALYSIS_REPORT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One character of UTF-8 at s into *c; returns its bytes. Returns 0 where s is not valid UTF-8
 * (then one byte is to be skipped) or at its end (*s is '\0').
 */
size_t utf8_next(const char *s, uint32_t *c);

/* Valid UTF-8: each bad byte becomes U+FFFD. The result is the caller's. */
char *text_valid(const char *s);

/*
 * For people: also without control, direction-changing, invisible and unassigned characters,
 * written \n, \x1b, \u{202e}; without `unicode` everything above ASCII is written so. The result
 * is the caller's.
 */
char *text_clean(const char *s, bool unicode);

/* As text_clean, but line feeds and tabs stay: for formats that can quote them. */
char *text_clean_lines(const char *s, bool unicode);

/* Columns of a terminal that cleaned text takes. */
int text_width(const char *clean);

/* Bytes of cleaned text that fit into so many columns. */
size_t text_fit(const char *clean, int columns);

/* Whether a line may end before this space: not between a number and its unit, or as short a word. */
bool text_may_break(const char *text, const char *space);

/* Bytes of cleaned text, not empty, for one line: the words that fit into so many columns, else part of the first. */
size_t text_line(const char *clean, int columns);

#endif

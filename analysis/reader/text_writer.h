/* SPDX-License-Identifier: MIT */
/* Events of any trace as the text that READER_TEXT reads back (its form: tests/report/README). */
#ifndef DLT_ANALYSIS_READER_TEXT_WRITER_H
#define DLT_ANALYSIS_READER_TEXT_WRITER_H

#include <stdio.h>

#include "analysis/reader/reader.h"

/* The header lines: after reader_open, before the first event. */
void text_write_header(FILE *out, const struct reader_info *info);
/* One line. Fields that are 0 or empty are written too, so that a diff shows them. */
void text_write_event(FILE *out, const struct reader_info *info, const struct reader_event *event);
/* What is only known at the end: what was lost, what could not be read. */
void text_write_end(FILE *out, const struct reader_info *info);

#endif

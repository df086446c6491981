/* SPDX-License-Identifier: MIT */
/* What options of dltrace-report mean together. */
#ifndef DLT_ANALYSIS_OPTIONS_CHECK_H
#define DLT_ANALYSIS_OPTIONS_CHECK_H

#include "analysis/options.h"

/* Of a command line that is wrong: one line, what it quotes made harmless, and the end with STATUS_USAGE. */
_Noreturn void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether it may quote what is not ASCII. */
extern bool wrong_unicode;

/* Of such a format. */
bool any_output(const struct options *o, enum writer_pages pages);

/* Ends where two of them contradict each other, or one is for nothing. plain: outputs or a format were named. */
void options_check(struct options *o, bool plain);

#endif

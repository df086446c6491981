/* SPDX-License-Identifier: MIT */
/* Options of dltrace-report that choose nothing of what the traces hold: a report that is empty has a reason. */
#ifndef DLT_ANALYSIS_CHOSEN_H
#define DLT_ANALYSIS_CHOSEN_H

#include "analysis/options.h"

/* A line about a trace's path; NULL: of all. */
typedef void chosen_say(const struct options *o, const char *path, const char *text);

/* Says so of each. The analyses have run. */
void chosen_nothing(const struct options *o, const struct model *m, const struct report *r, chosen_say *say);

#endif

/* SPDX-License-Identifier: MIT */
/* Options of dltrace-report that choose nothing of what the traces hold: no report is made of them. */
#ifndef DLT_ANALYSIS_CHOSEN_H
#define DLT_ANALYSIS_CHOSEN_H

#include "analysis/options.h"

/* A line about a trace's path; NULL: of all. */
typedef void chosen_say(const struct options *o, const char *path, const char *text);

/*
 * By trace, when the phase of --phase was, within --from and --to; one that has none shows nothing, and that is said.
 * The caller's. NULL, and said: not one trace has it. `whole` has read them without these options.
 */
struct time_range *chosen_phase(const struct options *o, const struct model *whole, chosen_say *say);

/* Says so, and returns true: nothing is to be reported. What chooses nothing of some traces alone is only said. */
bool chosen_nothing(const struct options *o, const struct model *m, chosen_say *say);

#endif

/* SPDX-License-Identifier: MIT */
/* What is not known of a process's launches. */
#ifndef DLT_ANALYSIS_LAUNCH_LIMITS_H
#define DLT_ANALYSIS_LAUNCH_LIMITS_H

#include "analysis/model/model.h"

/* In words, once a reason; kind: as in the table limits, count: of launches, or of what is missing. Borrowed text. */
typedef void launch_limits_say(const struct process *p, const char *kind, double count, const char *text, void *data);

void launch_limits_each(const struct process *p, launch_limits_say *say, void *data);

#endif

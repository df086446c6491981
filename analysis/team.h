/* SPDX-License-Identifier: MIT */
/* Joins the other processes that mpirun (or srun) has started for this report. */
#ifndef DLT_ANALYSIS_TEAM_H
#define DLT_ANALYSIS_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/model/team.h"

/* The environment says that there are others. */
bool team_is_meant(void);

/* NULL, and one line in `error`, when they cannot be reached. */
struct team *team_join(void (*alive)(void), char *error, size_t size);

#endif

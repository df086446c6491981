/* SPDX-License-Identifier: MIT */
/*
 * A hidden thread that takes clock readings, fetches what CUPTI has finished, and looks whether
 * the turn has changed. So a process that is killed loses half a second at most.
 */
#ifndef DLT_INTERPOSE_CUPTI_HELPER_H
#define DLT_INTERPOSE_CUPTI_HELPER_H

#include <stdbool.h>

/* 0 or -errno. */
int helper_start(void);

/* All that CUPTI has is fetched, or a second has passed. last: the helper ends with that. */
void helper_fetch(bool last);

void helper_after_fork(void);

#endif

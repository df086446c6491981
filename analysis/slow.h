/* SPDX-License-Identifier: MIT */
/* Why an iteration took longer than the others: what was different in it. */
#ifndef DLT_ANALYSIS_SLOW_H
#define DLT_ANALYSIS_SLOW_H

#include "analysis/iterations.h"
#include "analysis/model/model.h"

/* In words, into `why`, which it returns; "" when nothing is known. */
const char *slow_why(const struct process *p, const struct iterations *it, const struct iteration *one, char *why,
		     size_t size);

#endif

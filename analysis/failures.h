/* SPDX-License-Identifier: MIT */
/* What the table `failures` and the rules on failures have in common. */
#ifndef DLT_ANALYSIS_FAILURES_H
#define DLT_ANALYSIS_FAILURES_H

#include <stdbool.h>

#include "analysis/model/model.h"

/* "out of memory" of CUDA's 2; "" of a code without a name here. */
const char *call_error_name(const char *layer, int code);
/* Did it fail because there is no GPU, or no driver for one? The answer to a question is no failure. */
bool call_finds_no_gpu(const struct process *p, const struct profile *c);

#endif

/* SPDX-License-Identifier: MIT */
/* What the table `failures` and the rules on failures have in common. */
#ifndef DLT_ANALYSIS_FAILURES_H
#define DLT_ANALYSIS_FAILURES_H

/* "out of memory" of CUDA's 2; "" of a code without a name here. */
const char *call_error_name(const char *layer, int code);

#endif

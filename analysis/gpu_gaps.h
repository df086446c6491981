/* SPDX-License-Identifier: MIT */
/* Times in which CUPTI told nothing, or not all, of the GPU's work. */
#ifndef DLT_ANALYSIS_GPU_GAPS_H
#define DLT_ANALYSIS_GPU_GAPS_H

#include "analysis/model/model.h"

/* In words, once a reason: `ns` in which something is missing. The text is borrowed. */
typedef void gpu_gaps_say(const struct process *p, double ns, const char *text, void *data);

void gpu_gaps_each(const struct process *p, gpu_gaps_say *say, void *data);

#endif

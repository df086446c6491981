/* SPDX-License-Identifier: MIT */
/* What one image of a process used, by the kernel's counts, which go on over exec. */
#ifndef DLT_ANALYSIS_MODEL_IMAGES_H
#define DLT_ANALYSIS_MODEL_IMAGES_H

#include "analysis/model/model.h"

/* A sample with what the process's images before this one used taken off (ns, bytes, counts). */
struct dlt_ev_sample_process image_counts(struct process *p, const struct dlt_ev_sample_process *said);

/* The same of a thread's CPU time, in ns. */
uint64_t image_cpu(struct thread *thread, uint64_t cpu);

#endif

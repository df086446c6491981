/* SPDX-License-Identifier: MIT */
/* The table limits: what the report does not know, in words. */
#ifndef DLT_ANALYSIS_LIMITS_H
#define DLT_ANALYSIS_LIMITS_H

#include "analysis/analyses.h"
#include "analysis/model/model.h"

/* Adds a row. p: NULL where it is of the whole trace. kind: see the column. value: events, bytes or ns, by kind. */
void __attribute__((format(printf, 6, 7)))
limit(struct table *t, const struct trace *trace, const struct process *p, const char *kind, double value,
      const char *format, ...);

/* limits_gpu.c: what there is to say of a process, if there is. */
void limits_gpu_memory(struct table *table, const struct process *p);
void limits_launches(struct table *table, const struct process *p);
void limits_gpu_gaps(struct table *table, const struct process *p);
void limits_gpu_work(struct table *table, const struct process *p);
void limits_opencl(struct table *table, const struct process *p);

#endif

/* SPDX-License-Identifier: MIT */
/* The rules that findings.c lists, by subject. Each says what it finds by found(). */
#ifndef DLT_ANALYSIS_RULES_H
#define DLT_ANALYSIS_RULES_H

#include "analysis/findings.h"

/* ends.c: processes that died, calls that failed */
void rule_died(struct findings *f, const struct process *p);
void rule_allocation_failed(struct findings *f, const struct process *p);
void rule_gpu_allocation_failed(struct findings *f, const struct process *p);
void rule_call_failed(struct findings *f, const struct process *p);
void rule_no_gpu(struct findings *f, const struct trace *t);

/* machine.c */
void rule_others_busy(struct findings *f, const struct trace *t);

/* memory.c */
void rule_memory_full(struct findings *f, const struct trace *t);
void rule_heap_grows(struct findings *f, const struct process *p);
void rule_gpu_memory_grows(struct findings *f, const struct process *p);

/* threads.c */
void rule_too_many_threads(struct findings *f, const struct process *p);
void rule_thread_churn(struct findings *f, const struct trace *t);
void rule_crowded(struct findings *f, const struct trace *t);
void rule_waits_for_workers(struct findings *f, const struct process *p);

/* steps.c: what is made anew for each image or step */
/* How many threads the next rule tells of. */
uint64_t threads_made_again(const struct process *p);
void rule_thread_again(struct findings *f, const struct process *p);
void rule_process_each_step(struct findings *f, const struct process *p);
void rule_short_processes(struct findings *f, const struct trace *t);

/* files.c */
void rule_reads_files(struct findings *f, const struct process *p);

/* gpu.c */
void rule_gpu_idle(struct findings *f, const struct process *p);
void rule_waits_for_gpu(struct findings *f, const struct process *p);
void rule_gpu_allocations(struct findings *f, const struct process *p);
void rule_small_kernels(struct findings *f, const struct process *p);
void rule_pageable(struct findings *f, const struct process *p);

/* first_calls.c */
void rule_first_call(struct findings *f, const struct process *p);
void rule_lazy_loading(struct findings *f, const struct process *p);

/* ranks.c: what only all ranks together tell */
void rule_rank_straggles(struct findings *f, const struct trace *t);
void rule_communication(struct findings *f, const struct trace *t);

/* recording.c: what the recording itself suffered from */
void rule_recorder(struct findings *f, const struct trace *t);
void rule_no_events(struct findings *f, const struct trace *t);
void rule_own_cost(struct findings *f, const struct trace *t);
void rule_events_lost(struct findings *f, const struct process *p);
void rule_heap_not_seen(struct findings *f, const struct process *p);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Sampling one process from its black box and /proc, and the machine: the same code in
 * dltrace-record (from outside) and in libdltrace-ust.so (a hidden thread, when no recorder is there).
 *
 * A tick emits, through dlt_bridge_emitters and only where the state is set, the events of
 * dltrace_sample and, at first sight of anything and again every ten seconds or when a session
 * has just been started (a state went from 0 to 1), what names the ids: dltrace_proc:process,
 * thread, library, function, object.
 */
#ifndef DLT_SAMPLER_SAMPLER_H
#define DLT_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sampled_process;	/* one process: its box (borrowed) and what was seen at the last tick */
struct sampled_machine;

/*
 * box: a mapping of `size` bytes whose content is not trusted; it must outlive the object.
 * NULL on lack of memory or when it is no black box of this version.
 */
struct sampled_process *sampled_process_new(pid_t pid, const void *box, size_t size);
void sampled_process_free(struct sampled_process *p);

/* now: ns CLOCK_MONOTONIC. final: the process is gone, /proc is not asked any more. */
void sampled_process_tick(struct sampled_process *p, uint64_t now, bool final);

struct sampled_machine *sampled_machine_new(void);
void sampled_machine_free(struct sampled_machine *m);
void sampled_machine_tick(struct sampled_machine *m, uint64_t now);

/* ns between ticks: DLTRACE_SAMPLE, else 1 s where only summary's events are enabled, else 100 ms. */
uint64_t sampler_period(void);

/* True while any event of dltrace_sample is enabled. */
bool sampler_wanted(void);

/* The hidden thread (struct dlt_bridge: sampler_start, sampler_stop). */
int sampler_thread_start(void *box, uint64_t size);
void sampler_thread_stop(void);

#endif

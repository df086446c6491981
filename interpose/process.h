/* SPDX-License-Identifier: MIT */
/*
 * The process as a whole: its identity, its children, its end.
 *
 * Ids: `dlt_process.id` is the id of the first thread. A forked child gets a new identity and
 * a new box before its first allocation counts (see box_private.h: the wipe word).
 */
#ifndef DLT_INTERPOSE_PROCESS_H
#define DLT_INTERPOSE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum dlt_process_reason { DLT_REASON_START, DLT_REASON_FORK, DLT_REASON_EXEC, DLT_REASON_AGAIN };

struct dlt_process {
	uint32_t id;			/* our id */
	uint32_t parent;		/* our id of the parent; 0: not known */
	uint64_t recording;		/* DLTRACE_RECORDING (hexadecimal); 0: none */
	pid_t pid;
	uint64_t begin;			/* ns CLOCK_MONOTONIC */
	enum dlt_process_reason reason;
	bool traced;			/* false: only counted, nothing is emitted */
	uint64_t threshold;		/* bytes, DLTRACE_THRESHOLD */
};

extern struct dlt_process dlt_process;

/* Reads the environment (envp, since libc may not be ready); decides whether it is traced. */
void dlt_process_init(char **envp);

/*
 * Emits dltrace_proc:process. What ids mean is announced by the application once, at first use;
 * the sampler announces it again from the box and /proc.
 */
void dlt_process_announce(void);

/* Child side of fork: identity, box, threads, announcement. In this order. */
void dlt_process_after_fork(void);

#endif

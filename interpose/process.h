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

#include "ranks.h"

enum dlt_process_reason { DLT_REASON_START, DLT_REASON_FORK, DLT_REASON_EXEC, DLT_REASON_AGAIN };

struct dlt_process {
	uint32_t id;			/* our id */
	uint32_t parent;		/* our id of the parent; 0: not known */
	uint64_t recording;		/* DLTRACE_RECORDING (hexadecimal); 0: none */
	pid_t pid;
	uint64_t begin;			/* ns CLOCK_MONOTONIC */
	enum dlt_process_reason reason;
	bool traced;			/* false: nothing is emitted */
	bool counted;			/* false: not even counted, hooks only pass */
	uint32_t heap;			/* enum dlt_heap_cover */
	bool off;			/* DLTRACE=off: loaded but inert */
	/*
	 * It may have shut itself in, by seccomp(2): at its end, and of files, sockets and what it prints, the kernel
	 * is asked nothing more. It is asked for memory (mmap, madvise), by a new thread (gettid, prctl,
	 * clock_gettime), and when a library first calls (readlinkat). A forked child is, too.
	 */
	bool shut_in;
	uint64_t threshold;		/* bytes, DLTRACE_THRESHOLD */
	struct dlt_rank rank;		/* by the environment at its start */
	uint64_t job;			/* the same in all ranks, by the environment too; 0: no rank */
};

extern struct dlt_process dlt_process;

/*
 * Makes sure that the process has identity and box: at the very first hook, and at the first
 * one of a child that was forked behind the fork handlers' back (raw clone, _Fork). One load
 * when there is nothing to do. Reads the environment from the stack, since libc may not be ready.
 */
void dlt_process_need(void);

/* An environment variable as the process was started with it; NULL: unset. Start-up only. */
const char *dlt_process_env(const char *name);

/* Where the calling thread's stack ends, if it is the process's first; else 0: not known. */
uintptr_t dlt_process_stack_end(void);

/* DLTRACE_BOX, the folder of black boxes; "": none, or not for this process. */
const char *dlt_process_boxes(void);

/*
 * Emits dltrace_proc:process. What ids mean is announced by the application once, at first use;
 * the sampler announces it again from the box and /proc.
 */
void dlt_process_announce(void);

/*
 * Child side of fork: no recorder will find this process's box. Its parent's is still in its place, and in that
 * stands from now on that there is such a process.
 */
void dlt_process_unread(void);

/* Child side of fork: identity, box, threads. Again does nothing. Announce when LTTng is ready. */
void dlt_process_after_fork(void);

#endif

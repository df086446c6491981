/* SPDX-License-Identifier: MIT */
/*
 * Sampling one process from its black box and /proc, and the machine: the same code in
 * dltrace-sampler (from outside) and in libdltrace-ust.so (a hidden thread, when no recorder is there).
 *
 * A tick emits, through dlt_bridge_emitters and only where the state is set:
 *   dltrace_sample:process    each tick; final = 1 at the end
 *   dltrace_sample:thread     threads of which something has changed: each tick, but where only
 *                             summary's events are enabled every ten seconds (twenty threads
 *                             would be 3 MB an hour) and when a call has lasted for a second
 *   dltrace_sample:function   totals that have grown, every ten seconds; all of them at the end;
 *                             where only summary's events are enabled, with buckets every minute
 *   dltrace_proc:process, thread, function, and library for those that have called
 *                             at first sight, when a session has just been started (a state
 *                             went from 0 to 1), and every ten seconds
 *   dltrace_proc:object       likewise, but every minute: they are many
 *   dltrace_proc:library      of all that are mapped, with build id: likewise, but every five
 *                             minutes: 300 of PyTorch would be 16 MB an hour
 * Libraries that come and go in between are seen by the size of all library mappings.
 *
 * Inside somebody's process it takes no memory from malloc and keeps no descriptor.
 */
#ifndef DLT_SAMPLER_SAMPLER_H
#define DLT_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bridge.h"

struct sampled_process;	/* one process: its box (borrowed) and what was seen at the last tick */

/* What a sampler may do with a box. */
enum sampled_access {
	SAMPLED_READS,		/* the mapping cannot be written */
	SAMPLED_TAKES,		/* it can: what idle and killed threads have noted is emitted */
	SAMPLED_OWN,		/* likewise, and the process is the sampler's own */
};

/*
 * box: a mapping of `size` bytes whose content is not trusted; it must outlive the object.
 * pid: under which /proc knows it; 0: not at all. NULL on lack of memory or when it is no black
 * box of this version.
 */
struct sampled_process *sampled_process_new(pid_t pid, const void *box, size_t size,
					    enum sampled_access access);
void sampled_process_free(struct sampled_process *p);

/* now: ns CLOCK_MONOTONIC. final: the process is gone, /proc is not asked any more. */
void sampled_process_tick(struct sampled_process *p, uint64_t now, bool final);

/*
 * ns after which outboxes should be looked at again, 100 ms at most: by how much came since this was asked last, so
 * that it comes in small portions. now: ns CLOCK_MONOTONIC.
 */
uint64_t sampled_pass_on_pause(uint64_t now);

/*
 * One of these functions, called for this process, ended by SIGBUS: true when it was another one's box that broke,
 * whose outbox is left alone from now on; try again.
 */
bool sampled_process_other_broke(const struct sampled_process *p);

/* Only what it has put into its outbox, between ticks. */
void sampled_process_pass_on(struct sampled_process *p);

/* The recording ends, the process goes on: totals and samples as at an end, but final = 0. */
void sampled_process_leave(struct sampled_process *p, uint64_t now);

/* Names must be said again at the next tick (the trace was rotated). */
void sampled_process_again(struct sampled_process *p);

/* What was seen at the last tick. */
struct sampled_state {
	uint32_t process, parent, pid;	/* our ids; the kernel's, innermost namespace */
	uint32_t threads;
	uint64_t live;			/* bytes of heap */
	uint64_t events;
	uint64_t lost;			/* events that found no room in its outbox */
	uint64_t rss_anon;
	char name[32];
};

void sampled_process_state(const struct sampled_process *p, struct sampled_state *s);

/* A call in flight. */
struct sampled_call {
	uint32_t thread, tid;
	uint16_t function;
	uint64_t since;			/* ns CLOCK_MONOTONIC */
};

/* Calls that have lasted for at least `least` ns; at most `max`. How many were stored. */
size_t sampled_process_calls(const struct sampled_process *p, uint64_t now, uint64_t least,
			     struct sampled_call *calls, size_t max);

/* The machine and the cgroup of the calling process, twice a second at most, or `always`. */
void sampled_machine_tick(uint64_t now, bool always);

/* ns between ticks: DLTRACE_SAMPLE, else 1 s where only summary's events are enabled, else 100 ms. */
uint64_t sampler_period(void);

/* Threads and distributions are said more seldom: only summary's events, DLTRACE_SAMPLE is not set. */
bool sampler_is_sparse(void);

/* True while any event of dltrace_sample is enabled. */
bool sampler_wanted(void);

/* The hidden thread (struct dlt_bridge: sampler_start, sampler_stop). */
int sampler_thread_start(void *box, uint64_t size, dlt_walk_fn walk);
void sampler_thread_stop(void);

#endif

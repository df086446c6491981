/* SPDX-License-Identifier: MIT */
/*
 * What a level means for LTTng: which events, in which channels, of which size. Pure: everything
 * that it depends on is an argument, so that --print, the session and the tests agree.
 */
#ifndef DLT_RECORD_PLAN_H
#define DLT_RECORD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum level { LEVEL_SUMMARY, LEVEL_CALLS, LEVEL_FULL, LEVELS };

extern const char *const level_names[LEVELS];

/* --gpu. Each has what the ones before it have. */
enum gpu { GPU_OFF, GPU_CALLS, GPU_ACTIVITY, GPUS };

extern const char *const gpu_names[GPUS];

/* -EINVAL: no such word. */
int gpu_parse(const char *name);

/* -EINVAL: no such level. */
int level_parse(const char *name);

struct plan_event {
	const char *pattern;	/* as for lttng enable-event -u */
	enum level from;	/* the lowest level that has it */
	unsigned channel;	/* index into plan.channels, where there are two */
	enum gpu gpu;		/* the lowest --gpu that has it */
	bool stacks;		/* --stacks alone has it */
};

/* What the recorder alone emits. */
bool plan_is_recorder_s(const struct plan_event *event);

#define PLAN_NOTES "dltrace_record:*"	/* the recorder's own words */
#define PLAN_BATCHES "dltrace_batch:*"	/* what threads have noted, many in one */
#define PLAN_OUTBOXES "dltrace_outbox:*"	/* what processes have put into their black boxes */

extern const struct plan_event plan_events[];
extern const size_t plan_event_count;

struct plan_channel {
	const char *name;
	uint64_t subbuf_size;		/* bytes, a power of 2 */
	uint64_t subbufs;
	unsigned switch_timer;		/* us: what is in the buffers reaches the disk that often */
};

struct plan {
	unsigned count;
	struct plan_channel channels[2];	/* 0: names and samples; 1: calls */
	/* Set by whoever makes the plan: */
	enum gpu gpu;
	bool stacks;
	unsigned wait;				/* us that an event of dltrace-sampler's waits for room; 0: not */
};

#define PLAN_WAIT 1000000	/* us: by 100 ms, then it is looked again whether there is room (LTTng-UST 2.13) */

struct plan_machine {
	unsigned cpus;		/* possible ones: LTTng makes buffers for each */
	uint64_t shm_free;	/* bytes free in /dev/shm */
	uint64_t descriptors;	/* that a process may have which gives its events to LTTng */
	uint64_t disk_free;	/* bytes where the trace goes; 0: not on this machine */
	bool shm_closed;	/* /dev/shm cannot be written */
	bool crowded;		/* RLIMIT_NPROC leaves too little */
	const char *too_tight;	/* limits.h */
};

/*
 * What there is room for: events may come at 100 MB/s, and it takes LTTng up to half a second to stop, so that
 * less than PLAN_EVENTS_ROOM bytes on the disk would be filled before anything can be done: totals then.
 */
#define PLAN_EVENTS_ROOM (64u << 20)

enum level plan_level(enum level level, const struct plan_machine *m);

/*
 * A process that gives its events to LTTng holds 7 + channels * (2 * cpus + 1) descriptors, and all processes of a user
 * share (subbufs + 1) * size * cpus bytes of /dev/shm for each channel. -ENOSPC: not even the
 * smallest buffers fit; -EMFILE: more than half of the descriptors (two channels: a quarter); -EROFS, -EAGAIN,
 * -EDQUOT: see shm_closed, crowded, too_tight.
 */
int plan_make(struct plan *p, enum level level, const struct plan_machine *m);
void plan_explain(int err, const struct plan_machine *m, char *why, size_t size);

/* Bytes of /dev/shm. */
uint64_t plan_memory(const struct plan *p, unsigned cpus);

bool plan_wants(const struct plan *p, const struct plan_event *event, enum level level);

/* Index of the channel of an event of the table: one channel holds all where CPUs are many. */
unsigned plan_channel_of(const struct plan *p, const struct plan_event *event);

/*
 * output: where the trace goes; "": not on this machine. in_process: recorded processes give their events to LTTng;
 * else dltrace-sampler does alone, which raises its limit of descriptors.
 */
void plan_read_machine(struct plan_machine *m, const char *output, bool in_process);

#endif

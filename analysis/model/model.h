/* SPDX-License-Identifier: MIT */
/*
 * What the traces told, as the analyses see it: traces, machines, processes, threads, profiles.
 *
 * The model owns everything here; analyses only look. Times (`t`, `begin`, `end`) are ns since the
 * trace's begin; UNKNOWN where the trace does not say. Strings come from the model's pool and are
 * never NULL; "" is "not said".
 *
 * A thread whose announcement was lost belongs to a process of its own that stands for "unknown"
 * (struct process, orphan) until it is announced, if ever; then its profiles are merged where they
 * belong. Nothing read is dropped, but processes of another recording, which are only counted.
 */
#ifndef DLT_ANALYSIS_MODEL_MODEL_H
#define DLT_ANALYSIS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"
#include "analysis/analysis.h"
#include "analysis/model/askers.h"
#include "analysis/model/checked.h"
#include "analysis/model/children.h"
#include "analysis/model/comm.h"
#include "analysis/model/curve.h"
#include "analysis/model/gpu_memory.h"
#include "analysis/model/idmap.h"
#include "analysis/model/input.h"
#include "analysis/model/launches.h"
#include "analysis/model/load.h"
#include "analysis/model/marks.h"
#include "analysis/model/names.h"
#include "analysis/model/ram.h"
#include "analysis/model/rhythm.h"
#include "analysis/model/sums.h"
#include "analysis/model/tally.h"
#include "analysis/model/window.h"

#define UNKNOWN INT64_MIN

struct trace;
struct process;
struct gpu_work;
struct iterations;
struct jobs;
struct phases;

/* Calls that failed with one code. */
struct error {
	int32_t code;
	int64_t at;		/* the first one */
	uint64_t size;		/* ... what it asked for */
	uint64_t count;
};

/* One function called by one library in one process. */
struct profile {
	uint32_t key;			/* function << 16 | library */
	bool timed;			/* its events carry durations */
	struct sums events;		/* from the events read: outermost, above thresholds */
	struct sums *exact;		/* owned; the library's own totals, or NULL */
	uint64_t exact_first;		/* ns, duration of the first call */
	uint64_t events_first;		/* the same, of the first event read */
	int64_t begin, end;		/* first event's begin, last one's end */
	const struct function *work;	/* what a GPU did, borrowed; NULL: calls, `key` says of what */
	struct error *errors;		/* owned; events.failed by code, in the order in which they came */
	size_t error_count;
	struct tally slices;		/* events by when they ended, each a struct slice */
};

static inline uint16_t profile_function(const struct profile *p)
{
	return (uint16_t)(p->key >> 16);
}

static inline uint16_t profile_library(const struct profile *p)
{
	return (uint16_t)p->key;
}

/*
 * The sums to believe: totals when there are any, else what the events add up to. Totals that know of fewer calls
 * are from before them: the trace ends while the process lives, or it died and nobody said its last ones.
 */
static inline const struct sums *profile_sums(const struct profile *p)
{
	return p->exact && p->exact->outer_calls >= p->events.outer_calls ? p->exact : &p->events;
}

struct function {
	const char *name, *layer, *kind;
};

#define DEPTH_MOST 64	/* a loop of parents can only come from a broken trace */

struct library {
	uint16_t id;		/* 0: it never called */
	uint32_t flags;		/* library_flags.h */
	const char *path, *build_id;
	uint64_t base, size;
};

/* Of Python, imported. */
struct package {
	const char *path;	/* its folder */
	int64_t t;
};

struct thread {
	uint32_t id, tid, creator;
	uint16_t creator_library, start_library;
	uint64_t start_offset;
	struct process *process;	/* borrowed; never NULL */
	const char *name;
	int64_t begin, end;		/* UNKNOWN: not said */
	uint64_t cpu, cpu_before;	/* ns; of the process's images before this one */
	uint64_t read;			/* events that say they are its own */
	uint64_t emitted;		/* what it says it emitted; 0: not said */
	uint64_t emitted_base;		/* ... of that before the trace began */
	bool from_start, emitted_based;
	bool named;			/* by the program: what is said again is the kernel's name */
	bool first_thread;
	uint16_t in_flight;		/* function of the last sample */
	int64_t in_flight_since, in_flight_at;	/* when it began, and when that was read */
	int64_t returned;		/* end of its last call that is an event */
	uint64_t since;			/* CLOCK_MONOTONIC of the same */
	struct profile *last;		/* cache; borrowed */
	int64_t asked_at;		/* latest time of what it asked for or gave back with a call stack */
	uint64_t newest_block;		/* address of what it asked for last of the heap with its call stack */
	struct tally gpu_blocks;	/* calls that allocate or free memory of a GPU; load.h has its words */
	struct thread *sibling;		/* borrowed; the next of its process, when all has been read */
};

enum curve_id {
	CURVE_THREADS, CURVE_CPU, CURVE_ANON, CURVE_FILE, CURVE_SHMEM, CURVE_PSS, CURVE_HEAP,
	CURVE_MAPPED, CURVE_GPU, CURVE_PINNED,
	PROCESS_CURVES,
};

enum run_curve_id {
	RUN_THREADS,					/* when all has been read (lives.c) */
	RUN_GPU, RUN_PINNED,				/* by events */
	RUN_CPU, RUN_MEMORY, RUN_HEAP, RUN_MAPPED,	/* by rounds of samples */
	RUN_CURVES,
};

enum machine_curve_id { MACHINE_USED, MACHINE_CPU, MACHINE_RUNNABLE, MACHINE_CGROUP, MACHINE_CURVES };

#define CPU_UNIT 1000000	/* CPU curves count millionths of a core */

enum ending { END_UNKNOWN, END_STATUS, END_SIGNAL, END_EXEC };

struct failed_allocation {
	int64_t t;
	uint32_t thread;
	uint16_t function, library;
	uint64_t size;			/* asked for */
	int64_t live;			/* heap of the process at its last sample before; UNKNOWN */
	/* Of the machine and the cgroup at their last sample before; memory, limit 0: not known, none. */
	uint64_t memory, available, cgroup_limit, cgroup_used;
};

#define FAILED_ALLOCATIONS_KEPT 16	/* a process; all are counted */

/* Where a process stands now, while the trace is read. */
struct process_now {
	uint64_t cpu, cpu_carry;	/* ns */
	int64_t cpu_at;			/* of the last rate; UNKNOWN */
	int64_t cpu_rate;		/* CPU_UNIT */
	uint64_t cpu_run;		/* ns, of which the run's curve knows */
	bool cpu_known;
	int64_t level[RUN_CURVES];	/* its part in the run's curves that go by events */
	int64_t heap, mapped, gpu, pinned;	/* bytes */
	uint64_t round;
	bool alive, sampled, gone;	/* alive: in trace->alive, as below */
};

struct process {
	uint32_t id;			/* the recording's */
	int64_t report_id;		/* unique in the report, from 1; given at the trace's end */
	struct trace *trace;		/* borrowed */
	struct process *parent;		/* borrowed; NULL: not known */
	uint32_t parent_id, pid, parent_pid;
	uint64_t pid_namespace;		/* of these two; 0: not known */
	bool announced;			/* its start was seen or said again */
	bool from_start;		/* its own first announcement is in the trace */
	bool orphan;			/* stands for a thread that nobody announced */
	uint32_t orphan_thread;		/* which one */
	bool merged;			/* an orphan that was; not shown */
	uint8_t reason, traced, heap_cover;
	int32_t rank, ranks, local_rank;	/* of a distributed training; -1: not said */
	uint64_t job;			/* the same in all ranks of one, of any trace; 0: not known */
	uint64_t recording, threshold, inherited_bytes, inherited_blocks, box;
	const char *host, *exe, *folder, *command, *version;
	int64_t begin, end, last;	/* last: time of its last event */
	enum ending ending;
	uint8_t how;			/* dltrace_proc:exit's */
	int32_t code;
	uint32_t exit_thread;
	uint64_t exit_address;
	int64_t exit_at;
	bool exit_seen, final_seen;
	bool out_of_memory;		/* the recorder saw that the kernel has killed it for that */
	struct dlt_ev_sample_process sample;	/* the last one; seen only if now.sampled */
	int64_t sample_at;
	uint64_t rss_seen;		/* bytes: the largest sum of anonymous, file and shared memory in a sample */
	struct curve threads_sampled;	/* how many, wherever that was read (lives.c) */
	uint64_t read, emitted, emitted_base;
	bool emitted_known, emitted_based;
	uint64_t children[5];		/* by dltrace_proc:child's `how` */
	uint32_t flood_least;		/* ns: shorter calls were no events for a while; 0: all were */
	const char **uncovered;		/* owned vector: CUDA functions handed out that no table has */
	size_t uncovered_count, uncovered_capacity;
	struct package *packages;	/* owned vector; imported by itself or before its fork, in order */
	size_t package_count, package_capacity;
	uint64_t untraced_children, unseen_children;
	const char *unseen_child;	/* the first one's program; NULL: none */
	const char *became;		/* by exec, a program that is not traced; NULL: none */
	const struct process *signalled_by;	/* who sent it a signal that ends; NULL: nobody seen */
	int32_t signalled;		/* ... and which */
	bool replaces;			/* it became what it is by exec, and is in the trace from before it */
	struct process *replaced;	/* borrowed; what it was before; NULL: nothing, or not in the trace */
	struct dlt_ev_sample_process before;	/* the kernel's counts that are of images before (images.c) */
	bool before_known, went_on;	/* went_on: the next image's counts have begun */
	struct library *libraries;	/* owned */
	size_t library_count, library_capacity;
	struct idmap library_by_id;	/* index into libraries */
	struct idmap profiles;		/* key: struct profile *, owned */
	struct profile **profile_list;	/* owned vector; at the end by first call */
	size_t profile_count, profile_capacity;
	struct marks *marks;		/* owned; NULL: it named nothing */
	struct launched launched;
	struct gpu_memory gpu_memory;
	struct askers askers;
	struct failed_allocation failed[FAILED_ALLOCATIONS_KEPT];
	uint64_t failed_count;
	struct curve curves[PROCESS_CURVES];
	struct comms comms;
	struct rhythm rhythm;
	struct input input;
	struct children offspring;
	struct checked checked;		/* for --verify */
	struct load load;
	struct ram ram;
	struct process_now now;
	struct gpu_work *gpu;		/* owned; NULL: nothing was told of a GPU's work (gpu.h) */
	struct iterations *iterations;	/* owned; what analyses found (analysis/iterations.h) */
	struct phases *phases;		/* the same (analysis/phases.h) */
	struct process *next_alive, **alive_at;	/* borrowed; alive_at: where the list points to it */
	struct process *same_pid;	/* borrowed; the one before it with the same pid, whatever the host */
	/* When all has been read; borrowed: */
	struct thread *threads;		/* its own, by first sight */
	size_t thread_count;
	struct process *next_reader;	/* list trace->readers */
	bool outside;			/* it lived before or after the part of the time that is looked at */
};

struct machine {
	const char *host;
	uint32_t cpus;
	uint64_t memory, cgroup_limit, cgroup_cpu;
	uint64_t available, cgroup_used;	/* at the last sample */
	uint64_t *cores;		/* owned; busy time of each at the last sample, ns since boot; 0: offline */
	uint32_t core_count;
	uint64_t busy, busy_carry;	/* sum over cores from the first sample to the last one, ns */
	int64_t busy_at;
	uint64_t busy_first, busy_last;	/* the same at the first and last sample of what is looked at */
	int64_t busy_from, busy_to;
	struct curve curves[MACHINE_CURVES];
};

struct gpu {
	uint32_t index;
	const char *name;
	uint64_t memory;
	int64_t last;
	struct curve used, utilisation, power;
};

struct energy {
	const char *domain;
	uint64_t first, energy;		/* microjoules */
	int64_t begin, last;
	struct curve power;		/* milliwatts */
};

/* What the recorder said, or the reader. */
struct note {
	uint8_t severity;
	const char *kind, *text;
	uint32_t process;	/* the recording's id; 0: all */
	int64_t value, t;
	uint64_t count;		/* problems that it tells of */
};

#define NOTES_KEPT 1000
#define NOTE_KILLED "killed"	/* process or 0 (the command), value: the signal */
#define NOTE_OOM "oom"		/* process, value: SIGKILL, which the kernel sent for lack of memory */
#define NOTE_EXITED "exited"	/* process, whose own event was lost; value: its status */
#define NOTE_LAYOUT "layout"	/* by the reader: events of another build of dltrace are left out */
#define NOTE_STATIC "static"	/* the command cannot be seen, as no preload gets into it */
#define NOTE_OTHER_KIND "kind"	/* ... as it is of another word size, machine or C library */
#define NOTE_EXIT "exit"	/* of the command, value: its status */

typedef void (*event_fn)(struct trace *t, int64_t at, const void *data);

/*
 * What one process said of another that was not announced yet: the recorder looks into their boxes one after the
 * other, so a child that its parent ends at once can come behind its end.
 */
#define EARLY_WORDS 1024

struct early_word {
	const struct process *by;	/* borrowed */
	int64_t at;
	uint32_t pid;
	int32_t result;
	uint8_t how;			/* as in dltrace_proc:child */
};

struct trace {
	const struct model *model;	/* borrowed */
	event_fn handlers[DLT_EVENTS];	/* NULL: not looked at */
	size_t index;
	const char *path, *level, *command, *host, *version, *source;
	const char *said;		/* KEY=VALUE, separated by 0x1f, as the recorder was told them */
	const char *labels;		/* the same, of files in the trace's folder */
	uint64_t begin;			/* ns since 1970 of the first event */
	int64_t end;			/* last event */
	bool started;
	int64_t clock_offset;
	bool running;			/* still being recorded: its end is not there yet */
	bool recorded;			/* by dltrace-record: `recording` is known */
	uint64_t recording;
	int exit_status, exit_signal;	/* of the command; -1, 0: not known */
	const struct process *busiest;	/* what analyses found (analysis/phases.c), once it is known */
	bool busiest_known;
	uint64_t events, boxed_events, discarded, discarded_packets, bytes;
	uint64_t told_lost;		/* as the recorder counted: LTTng's, and those that never came that far */
	bool stalled;			/* events never left LTTng's buffers, or its daemons died before */
	int64_t from, to;		/* only calls and samples of [from, to) are looked at */
	uint64_t filtered, filtered_timed;	/* events outside; those of them that are calls with a duration */
	uint64_t by_type[DLT_EVENTS];
	int error;			/* why reading stopped; 0 */
	struct process **processes;	/* owned; by first sight */
	size_t process_count, process_capacity;
	struct thread **threads;	/* owned; by first sight, in the end by their begin */
	size_t thread_count, thread_capacity;
	struct idmap process_by_id, thread_by_id;
	struct thread *last_thread;	/* cache */
	int64_t level_now[RUN_CURVES];	/* sums over the alive processes */
	struct function **functions;	/* owned vector of owned ones, by id; NULL: nobody named it */
	size_t function_count;
	struct machine *machines;	/* owned */
	size_t machine_count, machine_capacity;
	struct gpu *gpus;		/* owned */
	size_t gpu_count, gpu_capacity;
	struct energy *energies;	/* owned */
	size_t energy_count, energy_capacity;
	struct note *notes;		/* owned */
	size_t note_count, note_capacity;
	uint64_t notes_left_out;
	struct moments moments;
	struct curve curves[RUN_CURVES];
	struct ram_sums ram;		/* what RUN_MEMORY waits for */
	struct window asked;		/* what was asked for and given back with a call stack, until its turn */
	struct process *alive;		/* list: announced or sampled, until the round after they have gone */
	struct process *readers;	/* list: those that opened files to read; when all has been read */
	struct idmap by_pid;		/* process *, the latest of those that were announced */
	struct early_word early[EARLY_WORDS];	/* a ring, until all has been read */
	size_t early_count;
	uint64_t round;
	int64_t round_begin, round_at;	/* first and last sample of it */
	uint64_t cpu_used, cpu_carry;	/* ns, of the run since `cpu_at`; too much for the time before */
	int64_t cpu_at, cpu_interval;	/* the last point of the run's CPU, and of how long it told */
	int64_t cpu_end;		/* nobody lived from then on: the point that is still to be told; UNKNOWN */
};

struct model {
	struct model_options options;
	struct names names;
	struct trace **traces;		/* owned */
	size_t trace_count, trace_capacity;
	int64_t processes;		/* report ids given */
	struct jobs *jobs;		/* owned; what analyses found (analysis/jobs.h) */
};

/* ---- looking (analyses) ---- */

/* Between two steps of what may take long in all. */
static inline void model_alive(const struct model *m)
{
	if (m->options.alive)
		m->options.alive();
}

/* NULL when there is none; an orphan's is "unknown". */
struct process *trace_process(const struct trace *t, uint32_t id);
struct thread *trace_thread(const struct trace *t, uint32_t id);

/*
 * Shown at all: not merged away, not of another recording, what the filters choose and, when all has been read, what
 * lived in the part of the time that is looked at.
 */
bool process_shown(const struct process *p);
/* Likewise, by other filters. */
bool process_fits(const struct process *p, const struct model_options *filters);
/* In sums over the run by samples. */
static inline bool process_counts(const struct process *p)
{
	return p->now.sampled && process_shown(p);
}
bool process_foreign(const struct process *p);
/* Program's name for people: the script of an interpreter's is not looked into. */
const char *process_name(const struct process *p);
/* Is `from` its parent, or a parent's parent, ...? */
bool process_descends(const struct process *p, const struct process *from);
/* Did it become, by exec, a program that is not traced, or that cannot be seen? */
bool process_goes_on_unseen(const struct process *p);
/* In the process itself, or in those it was forked from; NULL when nobody named it. */
const struct library *process_library(const struct process *p, uint16_t id);
/* The process whose memory it began with; NULL: it was not forked, or that is not known. */
const struct process *process_forked_from(const struct process *p);
/* Was it mapped already in the process that forked this one? */
bool library_inherited(const struct process *p, const struct library *l);
/*
 * Never NULL. What the trace does not name has the name of our own table if the process ran the
 * same version, else everything is "".
 */
const struct function *process_function(const struct process *p, uint16_t id);
/* What the profile is of; never NULL. */
const struct function *profile_names(const struct process *p, const struct profile *f);
/* Length of its life as far as known, ns; 0 when not. */
uint64_t process_life(const struct process *p);
/* The first one lives as long as its process; UNKNOWN: not said. */
int64_t thread_begin(const struct thread *thread);
int64_t thread_end(const struct thread *thread);
/* A thread says how many events that name it it has emitted so far. */
void thread_emitted(struct thread *thread, uint64_t events);

/* Events that it had emitted before the trace began: none, where its start is in the trace, wherever that stands. */
uint64_t thread_before(const struct thread *thread);

/* Events that it says it emitted and that were not read. */
uint64_t thread_lost(const struct thread *thread);
uint64_t process_lost(const struct process *p);
/*
 * How long a call had lasted, ns, that had not returned when its thread was last read; 0: there is none, or a short
 * one, as it may be wherever a thread is stopped.
 */
uint64_t thread_unreturned(const struct thread *thread);
const struct machine *trace_machine(const struct trace *t, const char *host);

/* "libtorch_cpu.so.1.13.0" of a path; "" stays. */
const char *base_name(const char *path);

/* ---- reading (analysis/model/ only) ---- */

/* Owned by the model. */
struct trace *trace_add(struct model *m, const char *path);
int64_t trace_time(const struct trace *t, uint64_t since_1970);
/* CLOCK_MONOTONIC to ns since the trace's begin; 0 is UNKNOWN. */
int64_t trace_monotonic(const struct trace *t, uint64_t monotonic);
const char *trace_keep(struct trace *t, const char *s);
/* Made as an unannounced one when it is new. */
struct process *trace_process_make(struct trace *t, uint32_t id);
struct thread *trace_thread_make(struct trace *t, uint32_t id);
struct profile *process_profile(struct process *p, uint16_t function, uint16_t library);
/* A new one for work of a GPU. */
struct profile *process_work(struct process *p, const struct function *work);
/* Lists in an order that is the same wherever the trace was cut; when all has been read. */
void trace_order(struct trace *t);
void process_free(struct process *p);
/* Something happened in it at `at`. */
void process_seen(struct process *p, int64_t at);
/* Calls of it lie between `begin` and `end`; of two that began first, the shorter is the first. */
void profile_seen(struct profile *f, int64_t begin, int64_t end, uint64_t first);
/* Adds e's calls; beyond CODES_KEPT codes they count with the last one. */
void profile_failed(struct profile *f, const struct error *e);
/* The thread, and its process, emitted one more event. Every event that names its thread. */
struct thread *trace_emitted(struct trace *t, uint32_t thread, int64_t at);
/* From now on it is in the list of those that live. */
void process_lives(struct process *p);
/* The process has ended at `at`, whoever said so first: it leaves the sums over the run. */
void process_ended(struct process *p, int64_t at);
/* When all has been read: what was said of processes before they were announced. */
void identity_end(struct trace *t);
/* It has not: it was said before an exec that has failed. */
void process_returned(struct process *p, int64_t at);
/* A point of a process's curve, kept within --from and --to. */
void process_point(struct process *p, enum curve_id id, int64_t at, int64_t value);
void trace_point(struct trace *t, struct curve *c, int64_t at, int64_t value);
/* The mean from `since` to then. */
void trace_rate(struct trace *t, struct curve *c, int64_t since, int64_t at, int64_t value);
/* All alive processes once more into the run's curves. */
void trace_round(struct trace *t);
/* The last one. */
void trace_rounds_end(struct trace *t);
bool trace_in_range(const struct trace *t, int64_t at);
/* What lived from begin to end (UNKNOWN: it still does): in the part of the time that is looked at? */
static inline bool trace_has(const struct trace *t, int64_t begin, int64_t end)
{
	return begin < t->to && (end == UNKNOWN || end >= t->from);
}

/* Is only a part of its time looked at? */
static inline bool trace_is_part(const struct trace *t)
{
	return t->from != INT64_MIN || t->to != INT64_MAX;
}
/* Device memory that the process holds changed. */
void process_gpu_changed(struct process *p, int64_t at);

/* Handlers by event; NULL: not looked at. */
extern const event_fn identity_handlers[DLT_EVENTS];
extern const event_fn call_handlers[DLT_EVENTS];
extern const event_fn sample_handlers[DLT_EVENTS];
extern const event_fn gpu_handlers[DLT_EVENTS];
extern const event_fn recorder_handlers[DLT_EVENTS];
extern const event_fn mark_handlers[DLT_EVENTS];
extern const event_fn input_handlers[DLT_EVENTS];
extern const event_fn asker_handlers[DLT_EVENTS];

#endif

/* SPDX-License-Identifier: MIT */
/* A sampled process, as the files of sampler/ share it. Made of one mapping, mostly untouched. */
#ifndef DLT_SAMPLER_SAMPLED_H
#define DLT_SAMPLER_SAMPLED_H

#include "box_view.h"
#include "functions.h"
#include "proc.h"
#include "sampler.h"

#define SAMPLED_EACH 500000000	/* ns in which all is read once that is not at each tick, as I/O and threads' files */
#define SAMPLED_THREADS 6144	/* tids; more are counted, not looked at */
#define SAMPLED_TID_HASH 8192	/* a power of two */
#define SAMPLED_LIBRARIES 2048

/* One thread in /proc/PID/task. */
struct sampled_tid {
	uint32_t tid;		/* as the box knows it; 0: free */
	uint32_t number;	/* as /proc does: another one, if it lives in a pid namespace of its own */
	uint32_t seen;		/* tick */
	uint32_t slot;		/* index in the box + 1; 0: not known */
	uint8_t helper;		/* LTTng's or ours */
	uint8_t asked;		/* how often its name was asked for: it may change right after the start */
	struct proc_thread read;	/* when it was its turn */
};

/* What was last said of a slot. */
struct sampled_slot {
	uint32_t thread;
	uint32_t named;		/* the thread that was announced last */
	uint64_t events, call;
	uint64_t cpu;		/* ns */
	uint64_t untimed, untimed_at;	/* call in flight that nobody timed, and when it was first seen */
};

struct sampled_library {
	uint64_t key;		/* of path and base */
	uint64_t base, size;
	uint32_t seen;		/* scan */
};

struct sampled_process {
	struct box_view box;
	enum sampled_access access;
	dlt_walk_fn walk;	/* over our own process's libraries; NULL: of another one */
	pid_t hidden;		/* the thread that samples its own process; 0: not known, or none */
	size_t box_size;
	pid_t pid;		/* 0: /proc does not know it */
	pid_t inner;		/* as it knows itself */
	pid_t thread;		/* the one whose files tell of it, see proc_path */
	uint32_t tick;
	bool was_enabled;	/* dltrace_proc:process, at the last tick */
	bool again;		/* everything */
	bool was_sparse;	/* objects that only calls refer to were left out */
	uint64_t last_short, last_long, last_full;		/* announcements, ns */
	uint64_t last_functions, last_buckets, last_io;
	uint64_t next_pss, pss_pause;	/* ns; pss_pause 0: no reading since its family changed */
	uint64_t pss_paid;	/* ns; until when readings so far have used up its share of the time */
	bool is_alone;		/* nobody had a page of its at the last reading */
	uint32_t forks, changes;	/* of its own, of whoever shares pages, seen so far */
	/* the outbox */
	struct sampled_process *outbox_next;	/* of all whose outboxes are read */
	uint64_t outbox_at;	/* the next message's place */
	uint64_t outbox_passed;	/* bytes read since the last tick */
	uint64_t outbox_stuck_at, outbox_stuck_since;	/* a message that is not finished; seen when, ns */
	uint64_t outbox_odd;	/* messages that are none */
	bool outbox_closed;	/* what lies there is lost, and counted so */
	bool outbox_given_up;	/* a message was: its thread may still write where it lay */
	bool outbox_dirty;	/* what was read has not been given back */
	struct proc_file stat_file, status_file;
	/* /proc, kept for the final sample */
	struct proc_stat stat;
	struct proc_status status;
	struct proc_io io;
	uint64_t pss;		/* bytes */
	uint64_t voluntary, involuntary;
	uint32_t threads;
	struct box_heap heap;
	uint64_t peak;		/* of the heap, bytes */
	/* libraries */
	uint64_t scanned_libraries, scanned_shmem;	/* VmLib and RssShmem at the last scan */
	uint64_t own_shmem;	/* LTTng's buffers, ours */
	uint32_t scan;
	uint32_t flags_said[DLT_BOX_LIBRARIES];		/* by id: when last announced */
	uint64_t library_keys[DLT_BOX_LIBRARIES];	/* by id: of what was mapped there; 0: not seen yet */
	/* what does not change */
	char exe[1024], folder[1024], command[4096];
	uint64_t calls_said[1024];	/* by totals entry: calls when last said */
	uint64_t buckets_said[1024];	/* likewise, with buckets */
	uint64_t memory_said[DLT_BOX_MEMORY];	/* likewise, of the ledger's rows: what was in them */
	bool memory_again[DLT_BOX_MEMORY];
	uint64_t late_said[DLT_FNS];	/* likewise, of those without an entry of their own */
	/* Side by side, since all are gone over at each tick, in caches that are the application's. */
	struct sampled_tid tids[SAMPLED_THREADS];
	uint32_t tid_count;
	uint16_t tid_hash[SAMPLED_TID_HASH];	/* index into tids + 1; 0: free */
	uint32_t cursor;	/* of the next tid whose files are read */
	uint64_t files_owed;	/* threads x ns of ticks whose share of SAMPLED_EACH has not been read */
	uint32_t listed, listed_helpers;	/* threads, and helpers told of, at the last listing */
	uint64_t last_listing;	/* ns */
	struct sampled_library libraries[SAMPLED_LIBRARIES];	/* mapped at the last scan */
	uint32_t library_count;
	struct sampled_slot slots[DLT_BOX_SLOTS];
};

/* Announcements (announce.c): what is few, objects too, all libraries too. */
enum announcement { ANNOUNCE_SHORT, ANNOUNCE_LONG, ANNOUNCE_ALL };
void announce(struct sampled_process *p, uint64_t now, enum announcement what, bool final);
/* How much has found no room, once more when it ends. */
void announce_missed(const struct sampled_process *p);
/* Threads that were not there before. */
void announce_new_threads(struct sampled_process *p, bool final);

/* Libraries with an id; `news`: only those whose flags are not those that were last said. */
void announce_libraries(struct sampled_process *p, bool news);

/* Libraries that came or went since the last scan; all of them when `full` (libraries.c). */
void libraries_scan(struct sampled_process *p, bool full);

/*
 * Reads /proc/PID/task (threads.c), the files of all threads or of those whose turn it is; says what
 * has changed. due: of all threads, else only of those in a call that has lasted for a second.
 */
void threads_read(struct sampled_process *p, uint64_t now, bool all);
void threads_emit(struct sampled_process *p, uint64_t now, bool due, bool final);

/*
 * If the process has put something into its outbox, passes on what all have (outbox.c); gone: nobody writes into
 * this one any more. False: something in it waits for a message that is being written.
 */
bool outbox_pass_on(struct sampled_process *p, bool gone);

/* Nobody will read on: where LTTng takes nothing, what lies there counts as lost, and is never passed on. */
void outbox_give_up(struct sampled_process *p);

/* Bytes that were read from all outboxes so far. */
uint64_t outbox_bytes(void);

/* Its outbox is read from now on; it is not. */
void outbox_enter(struct sampled_process *p);
void outbox_leave(struct sampled_process *p);

/* Whose box was being read when outbox_pass_on did not come back; NULL: nobody's else. */
struct sampled_process *outbox_reading(void);

/*
 * Emits events that idle threads have noted and not emitted (rings.c): before what counts them.
 * The process is gone, or it goes on without us: all of them.
 */
enum harvest { HARVEST_IDLE, HARVEST_LEAVE, HARVEST_FINAL };
void rings_harvest(struct sampled_process *p, uint64_t now, enum harvest what);

/* As /proc calls the thread that the box calls tid (threads.c). */
uint32_t threads_number(struct sampled_process *p, uint32_t tid);

/* True for LTTng's threads and ours, and for one too young to tell that has said nothing (threads.c). */
bool threads_is_hidden(struct sampled_process *p, const struct dlt_box_slot *slot);

/* The call in flight of a slot; function 0: none (threads.c). */
struct sampled_call threads_call(const struct sampled_process *p, const struct dlt_box_slot *slot);

/*
 * Rows of the ledger of GPU memory, those that have changed or all of them (memory.c), into
 * DLT_BOX_MEMORY * DLT_BOX_MEMORY_WORDS words. How many words.
 */
uint32_t memory_read(struct sampled_process *p, uint64_t *words, bool all);

/* Sums over threads by (function, library), with or without the distribution (functions.c). */
void functions_emit(struct sampled_process *p, bool buckets, bool final);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What each thread of the application owns: its record (private) and its slot (in the black box).
 *
 * Records live in a never-unmapped arena and are reused after a thread has ended, so late frees
 * and a sampler never touch freed memory. Only the owner writes, but for `id` == 0 (free).
 * The initial-exec TLS variable dlt_thread_tls holds the pointer alone: a hook's first test is one load.
 */
#ifndef DLT_INTERPOSE_THREAD_H
#define DLT_INTERPOSE_THREAD_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "box.h"

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

#define DLT_CALLERS 8	/* of the heap that a thread remembers; a power of 2 */

struct dlt_calls;
struct dlt_marks;
struct dlt_stack_room;

/* Whose library is known: else five cold cache lines, for each event of the heap. */
struct dlt_caller {
	const void *address;		/* return address; NULL: free */
	uint32_t generation;		/* of the libraries, when it was found */
	uint16_t library;
};

/* What a heap call touches of its thread: one cache line (heap.c). */
struct dlt_heap_own {
	struct dlt_box_pair allocated;	/* twin of the slot's pair: what a fork copies */
	struct dlt_box_pair freed;	/* twin */
	uint64_t allocated_limit;	/* bytes from which on a call does more than count */
	uint64_t freed_limit;
	struct dlt_box_slot *slot;	/* the record's */
	uint16_t hot;			/* 0: not all holds that makes a call cheap, go the slow way */
	uint16_t warm;			/* as hot, but without sizes in headers: the slow way, which only counts */
	uint32_t owner;			/* the thread's id; 0: it has no record */
} __attribute__((aligned(64)));

/* No two threads share a pair of lines. First what each call looks at: one line. */
struct dlt_thread {
	struct dlt_box_slot *slot;	/* borrowed from the box; never NULL */
	uint32_t id;			/* our thread id; 0: free record */
	uint32_t held;			/* how often its guard is held (guard.h) */
	uintptr_t guard;		/* up: dltrace itself is running, hooks pass through (guard.h); 0: down */
	struct dlt_heap_own *heap;	/* the thread's own line while it lives, then `kept` */
	struct dlt_marks *marks;	/* ranges that the program has open (marks.c); NULL: none ever */
	struct dlt_box_ring *ring;	/* events noted, borrowed from the box (rings.c); NULL: none yet */
	struct dlt_calls *calls;	/* calls in flight, call sites (calls.c); NULL: none yet */
	uint32_t depth;			/* calls in flight */
	/* This line is all that a call needs which is only counted (calls.h, dlt_call_passes). */
	int64_t published;		/* part of live bytes already in box.heap_published */
	uint64_t events;		/* emitted by this thread one by one and naming it */
	uint64_t putting;		/* 1 + where in the outbox it fills a message; 0: nowhere */
	bool helper;			/* ours or LTTng's: left out of every count */
	bool late;			/* its slot is the late one */
	bool ends;			/* in its last destructors */
	bool announced;			/* dltrace_proc:thread was emitted */
	uint8_t vforked;		/* a vfork child runs on this thread: nothing is emitted */
	uint8_t how;			/* it ended; enum dlt_threads_how */
	uint8_t device;			/* of CUDA, that its calls go to */
	uint32_t index;			/* of its slot, for ever; 0: shares the late slot */
	uint32_t exit_rounds;		/* of thread-specific data's destructors */
	uintptr_t handle;		/* its pthread_t; 0: not known */
	/* Between these its stack is walked, which lies all there; stack_end 0: not asked (stacks.c). */
	uintptr_t stack_begin, stack_end;
	struct dlt_stack_room *stack_room;	/* NULL: no stack was ever taken */
	uintptr_t stack_taker;		/* address of the frame that is taking one; 0: none is */
	struct dlt_thread *next;	/* all records ever made; never unlinked */
	struct dlt_caller callers[DLT_CALLERS];		/* library.c's */
	struct dlt_heap_own kept;	/* what its past threads counted */
} __attribute__((aligned(128)));

extern __thread struct dlt_thread *dlt_thread_tls __attribute__((tls_model("initial-exec")));

/*
 * The calling thread's line. Thread-local, so that it is reached without a pointer that would have to be read
 * first; it goes with the thread's stack, and a thread that ends by the bare system call takes it with it.
 */
extern __thread struct dlt_heap_own dlt_heap_line __attribute__((tls_model("initial-exec")));

/* The thread's next call finds out what holds. */
static inline void dlt_heap_line_cool(void)
{
	dlt_heap_line.hot = 0;
	dlt_heap_line.warm = 0;
}

/* All that malloc and free read besides their thread's: one cache line (heap.c). */
struct dlt_heap_hot {
	void *(*malloc)(size_t);	/* the real one; NULL: nothing here holds */
	void (*free)(void *);
	uintptr_t own;			/* dlt_heap_line, from the thread pointer */
	__m128i block;			/* a block more, and less the word of overhead in its chunk */
} __attribute__((aligned(64)));

/*
 * In a forked child the kernel clears this (MADV_WIPEONFORK), however the fork was made; a page of
 * its own, since it shares its fate. mask: all ones while this process has a box of its own.
 */
extern struct dlt_alive {
	struct dlt_heap_hot heap;
	uintptr_t mask;
} __attribute__((aligned(4096))) dlt_alive;

/*
 * The calling thread's record, made at first use. Never NULL; takes no lock, may mmap.
 * The very first call of a process (or of a forked child) also makes its identity and its box.
 * A thread in the last breath of its exit gets one that all such share, with the guard up.
 */
struct dlt_thread *dlt_thread_make(void);

/* The same; NULL if it has none yet. */
static inline struct dlt_thread *dlt_thread_known(void)
{
	return (struct dlt_thread *)((uintptr_t)dlt_thread_tls & dlt_alive.mask);
}

static inline struct dlt_thread *dlt_thread_self(void)
{
	struct dlt_thread *t = dlt_thread_known();

	return __builtin_expect(t != NULL, 1) ? t : dlt_thread_make();
}

/* An id for a thread (and so for a process), unique over the recording. Never 0. (ids.c) */
uint32_t dlt_thread_new_id(void);

/* Finds the counter of ids; in a forked child too. `folder`: DLTRACE_BOX, "" for none. (ids.c) */
void dlt_ids_init(const char *folder);

/* Registers the destructor that gives records back. */
void dlt_thread_init(void);

/* Twins of the late slot; atomic adds. */
extern struct dlt_box_pair dlt_late_allocated, dlt_late_freed;

/* Live heap by the private twins, which a fork copies, and the slots of vanished threads: what a child inherits. */
struct dlt_box_pair dlt_thread_live(void);

/*
 * The forking thread is all that is left: its record takes the id and a slot in the new box,
 * all others are free, all twins 0. Child side of fork.
 */
void dlt_thread_after_fork(uint32_t id);

/* Into each thread's slot, since nobody can ask any more once the process has ended: 0.3 us a thread. */
void dlt_thread_note_cpu(void);

/* Walks all records, free ones too: NULL gives the first. */
struct dlt_thread *dlt_thread_next(struct dlt_thread *t);

/* Emitted by the slot's owner and naming it. */
uint64_t dlt_thread_slot_events(const struct dlt_box_slot *s);

/* Sum over all threads, past ones too. */
uint64_t dlt_thread_events_total(void);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What each thread of the application owns: its record (private) and its slot (in the black box).
 *
 * Records live in a never-unmapped arena and are reused after a thread has ended, so late frees
 * and a sampler never touch freed memory. Only the owner writes, but for `id` == 0 (free).
 * The initial-exec TLS variable holds the pointer alone: a hook's first test is one load.
 */
#ifndef DLT_INTERPOSE_THREAD_H
#define DLT_INTERPOSE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "box.h"

struct dlt_calls;

struct dlt_thread {
	struct dlt_box_slot *slot;	/* borrowed from the box; never NULL */
	uint32_t id;			/* our thread id; 0: free record */
	uint32_t guard;			/* > 0: dltrace itself is running, hooks pass through */
	struct dlt_calls *calls;	/* calls in flight, call sites (calls.c); NULL: none yet */
	uint64_t events;		/* emitted by this thread */
	bool helper;			/* ours or LTTng's: left out of every count */
	bool announced;			/* dltrace_proc:thread was emitted */
	struct dlt_box_pair allocated;	/* twin of the slot's pair: what a fork copies */
	struct dlt_box_pair freed;	/* twin */
	int64_t published;		/* part of live bytes already in box.heap_published */
	struct dlt_thread *next;	/* all records ever made; never unlinked */
};

extern __thread struct dlt_thread *dlt_thread_tls __attribute__((tls_model("initial-exec")));

/* The calling thread's record, made at first use. Never NULL; takes no lock, may mmap. */
struct dlt_thread *dlt_thread_make(void);

static inline struct dlt_thread *dlt_thread_self(void)
{
	struct dlt_thread *t = dlt_thread_tls;

	return __builtin_expect(t != NULL, 1) ? t : dlt_thread_make();
}

/* An id for a thread (and so for a process), unique over the recording. */
uint32_t dlt_thread_new_id(void);

/* Registers the table of interest to threads: pthread_create's real one, the exit key. */
void dlt_thread_init(void);

/* The forking thread is all that is left; its record gets a new id. Child side of fork. */
void dlt_thread_after_fork(void);

/* Sum over all threads, past ones too. */
uint64_t dlt_thread_events_total(void);

#endif

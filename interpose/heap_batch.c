/* SPDX-License-Identifier: MIT */
/*
 * The level full: every heap call as three words in a batch of the thread's, one event a batch.
 *
 * A batch belongs to a record (thread.h) and goes to the record's next owner. `busy` is taken by
 * whoever emits: the owner, or the thread that ends the process.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "emit.h"
#include "heap.h"
#include "library.h"
#include "sys.h"

#define WORDS 3			/* a call: see events.tbl */
#define FULL 128		/* calls after which a batch is emitted */
#define ROOM 168		/* ld.so's calls may not emit: some room beyond FULL; one page in all */
#define MAX_AGE 100000000	/* ns: an older batch is emitted at the next call */
#define MAX_GAP 0xffffff	/* ns between two calls that 24 bits can say */

struct heap_batch {
	uint64_t begin;		/* ns CLOCK_MONOTONIC of the first call */
	uint64_t first, last;	/* ticks of the first and the last call */
	uint32_t used;		/* calls */
	uint32_t busy;
	uint64_t words[ROOM * WORDS];
};

_Static_assert(sizeof(struct heap_batch) <= 4096, "a batch is one page");

static struct heap_batch *batch_of(struct dlt_thread *t)
{
	if (!t->batch)
		t->batch = dlt_sys_map(NULL, 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return t->batch;
}

/* `by` emits what `t` has noted; the same but at the process's end. */
static void emit_batch(struct dlt_thread *by, struct dlt_thread *t)
{
	struct heap_batch *b = t->batch;
	struct dlt_ev_full_heap_batch e;

	if (!b || !b->used || __atomic_exchange_n(&b->busy, 1, __ATOMIC_ACQUIRE))
		return;
	e.thread = t->id;
	e.begin = b->begin;
	e.records = b->words;
	e.records_count = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE) * WORDS;
	dlt_emit(by, DLT_EV_FULL_HEAP_BATCH, &e);
	b->used = 0;
	__atomic_store_n(&b->busy, 0, __ATOMIC_RELEASE);
}

static void begin_batch(struct heap_batch *b, uint64_t ticks)
{
	b->begin = dlt_clock_ns();
	b->first = b->last = ticks;
}

/* Emits a batch that the call at `ticks` does not fit into; false: no room. */
static bool make_room(struct dlt_thread *t, struct heap_batch *b, uint64_t ticks, bool may_emit)
{
	bool late = dlt_clock_elapsed_ns(ticks - b->last) > MAX_GAP ||
		    dlt_clock_elapsed_ns(ticks - b->first) > MAX_AGE;

	if (may_emit && (b->used >= FULL || (b->used && late)))
		emit_batch(t, t);
	return b->used < ROOM;
}

void dlt_heap_batch_add(struct dlt_thread *t, const struct heap_call *call, bool may_emit)
{
	struct heap_batch *b = batch_of(t);
	uint64_t ticks = dlt_clock_ticks(), gap, *w;

	if (!b || __atomic_load_n(&b->busy, __ATOMIC_RELAXED) ||
	    !make_room(t, b, ticks, may_emit))
		return;
	if (!b->used)
		begin_batch(b, ticks);
	gap = dlt_clock_elapsed_ns(ticks - b->last);
	b->last = ticks;
	w = b->words + b->used * WORDS;
	w[0] = (uint64_t)call->operation << 56 | (uint64_t)call->function << 40 |
	       (uint64_t)dlt_library_of(call->caller) << 24 | (gap < MAX_GAP ? gap : MAX_GAP);
	w[1] = call->size;
	w[2] = (uintptr_t)call->ptr;
	__atomic_store_n(&b->used, b->used + 1, __ATOMIC_RELEASE);
}

void dlt_heap_batch_flush(struct dlt_thread *t)
{
	if (dlt_enabled(DLT_EV_FULL_HEAP_BATCH))
		emit_batch(t, t);
}

void dlt_heap_batch_flush_all(void)
{
	struct dlt_thread *self = dlt_thread_self();

	if (!dlt_enabled(DLT_EV_FULL_HEAP_BATCH))
		return;
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->id)
			emit_batch(self, t);
}

void dlt_heap_batch_after_fork(void)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->batch)
			t->batch->used = t->batch->busy = 0;
}

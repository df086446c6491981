/* SPDX-License-Identifier: MIT */
/* Sums of memory by call stack. */
#include "analysis/model/askers.h"

#include <stdlib.h>

#include "announced.h"
#include "box.h"
#include "memory_kinds.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"

#define INDEX_BITS 24		/* of a block's word */
#define SIZE_MOST ((1ULL << (64 - INDEX_BITS)) - 1)

#define FREED (1ULL << 32)	/* in a record's word, above the stack */
#define CLOCK_ERROR 1000000	/* ns: more than two batches' clocks differ, less than one waits for a sampler */

struct block {
	uint32_t stack;
	uint8_t memory, device;
	uint64_t size, ptr;
};

void askers_release(struct askers *a)
{
	free(a->frames);
	free(a->list);
	idmap_release(&a->by_key);
	idmap_release(&a->blocks);
	idmap_release(&a->newest);
}

enum asked_memory asked_kind(uint8_t memory)
{
	if (memory == DLT_STACK_HEAP)
		return ASKED_HEAP;
	return memory < DLT_MEMORIES && dlt_memory_kind(memory)->physical ? ASKED_GPU : ASKED_OTHER;
}

static const struct asked_sum *sum_of(const struct askers *all, const struct asker *a)
{
	return &all->sums[asked_kind(a->memory)];
}

int64_t asker_peak(const struct askers *all, const struct asker *a)
{
	return a->peak == sum_of(all, a)->number ? a->peak_live : a->live;
}

int64_t asker_peak_blocks(const struct askers *all, const struct asker *a)
{
	return a->peak == sum_of(all, a)->number ? a->peak_blocks : a->blocks;
}

bool asker_counts(const struct askers *all, const struct asker *a)
{
	return a->allocations || a->blocks || asker_peak_blocks(all, a);
}

/* ---- frames -------------------------------------------------------------------------------- */

const struct asker_frame *process_frame_of(const struct process *p, uint32_t id)
{
	for (unsigned depth = 0; p && id && depth < DEPTH_MOST; p = process_forked_from(p), depth++) {
		const struct askers *a = &p->askers;

		if (id <= a->frame_count && a->frames[id - 1].what)
			return &a->frames[id - 1];
	}
	return NULL;
}

static void put_frame(struct askers *a, uint32_t id, struct asker_frame f)
{
	if (!id || id > DLT_BOX_FRAMES || f.caller >= id)	/* a caller comes first: no chain has a loop */
		return;
	while (a->frame_count < id) {
		a->frames = xgrow(a->frames, a->frame_count, &a->frame_capacity, sizeof(*a->frames));
		a->frames[a->frame_count++] = (struct asker_frame){ 0 };
	}
	if (!a->frames[id - 1].what)
		a->frames[id - 1] = f;
}

static void on_frames(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_stack_frames *e = data;
	struct process *p = trace_process_make(t, e->process);

	p->read += e->state == DLT_ANNOUNCED_FIRST;	/* what a sampler says again is not counted */
	process_seen(p, at);
	for (uint32_t i = 0; i + 2 <= e->frames_count; i += 2)
		put_frame(&p->askers, (uint32_t)(e->frames[i] >> 32),
			  (struct asker_frame){ (uint32_t)e->frames[i], e->frames[i + 1] });
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* The one with this stack, kind and device; valid until the next call. */
static struct asker *find(struct askers *all, uint32_t stack, uint8_t memory, uint8_t device)
{
	uint64_t key = (uint64_t)memory << 40 | (uint64_t)device << 32 | stack;
	size_t known = all->by_key.count;
	uint64_t *index = idmap_put(&all->by_key, key);

	if (all->by_key.count == known)
		return &all->list[*index];
	*index = all->count;
	all->list = xgrow(all->list, all->count, &all->capacity, sizeof(*all->list));
	all->list[all->count] = (struct asker){ .stack = stack, .memory = memory, .device = device };
	return &all->list[all->count++];
}

/* What is live changes. Before, it keeps what it held at the last peak, if that was since its last change. */
static void move(struct askers *all, struct asker *a, int64_t bytes, int64_t blocks)
{
	struct asked_sum *sum = &all->sums[asked_kind(a->memory)];

	a->peak_live = asker_peak(all, a);
	a->peak_blocks = asker_peak_blocks(all, a);
	a->peak = sum->number;
	a->live += bytes;
	a->blocks += blocks;
	sum->live += bytes;
}

static void look_for_peak(struct asked_sum *sum, int64_t at)
{
	if (sum->number && sum->live <= sum->peak)
		return;
	sum->peak = sum->live;
	sum->peak_at = at;
	sum->number++;
}

/* `thread`: who does; 0: nobody, its free was lost. */
static void give_back(struct askers *all, uint64_t ptr, uint32_t thread)
{
	uint64_t word, taker = 0;
	bool newest = idmap_take(&all->newest, ptr, &taker);
	struct asker *a;

	if (!idmap_take(&all->blocks, ptr, &word))
		return;
	a = &all->list[word & ((1u << INDEX_BITS) - 1)];
	move(all, a, -(int64_t)(word >> INDEX_BITS), -1);
	if (newest && taker == thread) {
		a->temporary++;
		a->temporary_bytes += word >> INDEX_BITS;
	}
}

/* The one before is temporary no more, if it is its own still: another thread may have got the address since. */
static void note_newest(struct askers *all, struct thread *thread, uint64_t ptr)
{
	uint64_t before = thread->newest_block;
	const uint64_t *taker = idmap_get(&all->newest, before);

	if (taker && *taker == thread->id)
		idmap_take(&all->newest, before, NULL);
	*idmap_put(&all->newest, ptr) = thread->id;
	thread->newest_block = ptr;
}

/* Is it after what is looked at? What comes before is needed to know what is live. */
static bool is_over(struct trace *t, int64_t at)
{
	t->filtered += !trace_in_range(t, at);
	return at >= t->to;
}

static void allocated(struct trace *t, struct thread *thread, int64_t at, const struct block *b)
{
	struct askers *all = &thread->process->askers;
	struct asker *a = find(all, b->stack, b->memory, b->device);
	uint64_t index = (uint64_t)(a - all->list);

	if (b->memory == DLT_STACK_HEAP) {
		if (!b->ptr || index >> INDEX_BITS)
			return;
		give_back(all, b->ptr, 0);	/* its free was lost: the address would not come again otherwise */
		*idmap_put(&all->blocks, b->ptr) = b->size << INDEX_BITS | index;
	}
	move(all, a, (int64_t)b->size, 1);
	if (!trace_in_range(t, at))
		return;
	a->allocated += b->size;
	a->allocations++;
	if (b->memory == DLT_STACK_HEAP)
		note_newest(all, thread, b->ptr);
	look_for_peak(&all->sums[asked_kind(b->memory)], at);
}

static void freed(struct trace *t, struct thread *thread, int64_t at, const struct block *b)
{
	struct askers *all = &thread->process->askers;

	/* What was live when the range began may be the most. */
	for (int k = 0; k < ASKED_KINDS && trace_in_range(t, at); k++)
		if (!all->sums[k].number && all->sums[k].live)
			look_for_peak(&all->sums[k], at);
	if (b->memory == DLT_STACK_HEAP)
		give_back(all, b->ptr, thread->id);
	else
		move(all, find(all, b->stack, b->memory, b->device), -(int64_t)b->size, -1);
}

/* ---- in order of time ---------------------------------------------------------------------- */

static void take_turn(void *owner, const struct window_record *r)
{
	struct trace *t = owner;
	struct thread *thread = trace_thread_make(t, (uint32_t)r->thread);
	struct block b = {
		.stack = (uint32_t)r->a, .memory = (uint8_t)r->extra, .device = (uint8_t)(r->extra >> 8),
		.size = r->b < SIZE_MOST ? r->b : SIZE_MOST, .ptr = r->c,
	};

	if (is_over(t, r->time))
		return;
	if (r->a & FREED)
		freed(t, thread, r->time, &b);
	else
		allocated(t, thread, r->time, &b);
}

/*
 * Events of a thread come in batches, some after what others did later with the same blocks, and after its own where a
 * sampler takes a batch of a thread that wakes up. A thread's batches have their begin from the clock each, so what
 * is a little earlier than the one before it is not.
 */
static void wait_turn(struct trace *t, int64_t at, struct window_record r)
{
	struct thread *thread = trace_emitted(t, (uint32_t)r.thread, at);

	if (!t->asked.owner)
		window_init(&t->asked, take_turn, t);
	if (at < thread->asked_at && thread->asked_at - at < CLOCK_ERROR)
		at = thread->asked_at;
	if (at > thread->asked_at)
		thread->asked_at = at;
	r.time = at;
	window_add(&t->asked, &r);
	window_pass(&t->asked, at);
}

static void on_alloc(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_stack_alloc *e = data;

	wait_turn(t, at, (struct window_record){
		.thread = e->thread, .extra = (uint16_t)(e->memory | e->device << 8),
		.a = e->stack, .b = e->size, .c = e->ptr });
}

static void on_free(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_stack_free *e = data;

	wait_turn(t, at, (struct window_record){
		.thread = e->thread, .extra = (uint16_t)(e->memory | e->device << 8),
		.a = FREED | e->stack, .b = e->size, .c = e->ptr });
}

void askers_end(struct trace *t)
{
	window_flush(&t->asked);
	window_release(&t->asked);
}

/* ---- late announcements -------------------------------------------------------------------- */

void askers_adopt(struct askers *to, struct askers *orphan)
{
	for (size_t i = 0; i < orphan->count; i++) {
		const struct asker *from = &orphan->list[i];
		struct asker *a = find(to, from->stack, from->memory, from->device);

		move(to, a, from->live, from->blocks);
		a->allocated += from->allocated;
		a->allocations += from->allocations;
		a->temporary += from->temporary;
		a->temporary_bytes += from->temporary_bytes;
	}
	for (size_t i = 0; i < orphan->blocks.capacity; i++) {
		const struct idmap_slot *s = &orphan->blocks.slots[i];
		const struct asker *from;
		uint64_t index;

		if (!orphan->blocks.used[i])
			continue;
		from = &orphan->list[s->value & ((1u << INDEX_BITS) - 1)];
		index = (uint64_t)(find(to, from->stack, from->memory, from->device) - to->list);
		*idmap_put(&to->blocks, s->key) = s->value >> INDEX_BITS << INDEX_BITS | index;
	}
	for (size_t i = 0; i < orphan->newest.capacity; i++)
		if (orphan->newest.used[i])
			*idmap_put(&to->newest, orphan->newest.slots[i].key) = orphan->newest.slots[i].value;
	askers_release(orphan);
	*orphan = (struct askers){ 0 };
}

const event_fn asker_handlers[DLT_EVENTS] = {
	[DLT_EV_FULL_STACK_FRAMES] = on_frames,
	[DLT_EV_FULL_STACK_ALLOC] = on_alloc,
	[DLT_EV_FULL_STACK_FREE] = on_free,
};

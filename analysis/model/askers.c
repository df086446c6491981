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

static void on_alloc(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_stack_alloc *e = data;
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct askers *all = &thread->process->askers;
	uint64_t size = e->size < SIZE_MOST ? e->size : SIZE_MOST;
	struct asker *a = find(all, e->stack, e->memory, e->device);
	uint64_t index = (uint64_t)(a - all->list);

	if (is_over(t, at) || (e->memory == DLT_STACK_HEAP && (!e->ptr || index >> INDEX_BITS)))
		return;
	if (e->memory == DLT_STACK_HEAP) {
		give_back(all, e->ptr, 0);	/* its free was lost: the address would not come again otherwise */
		*idmap_put(&all->blocks, e->ptr) = size << INDEX_BITS | index;
	}
	move(all, a, (int64_t)size, 1);
	if (!trace_in_range(t, at))
		return;
	a->allocated += size;
	a->allocations++;
	if (e->memory == DLT_STACK_HEAP)
		note_newest(all, thread, e->ptr);
	look_for_peak(&all->sums[asked_kind(a->memory)], at);
}

static void on_free(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_stack_free *e = data;
	struct askers *all = &trace_emitted(t, e->thread, at)->process->askers;

	if (is_over(t, at))
		return;
	/* What was live when the range began may be the most. */
	for (int k = 0; k < ASKED_KINDS && trace_in_range(t, at); k++)
		if (!all->sums[k].number && all->sums[k].live)
			look_for_peak(&all->sums[k], at);
	if (e->memory == DLT_STACK_HEAP)
		give_back(all, e->ptr, e->thread);
	else
		move(all, find(all, e->stack, e->memory, e->device),
		     -(int64_t)(e->size < SIZE_MOST ? e->size : SIZE_MOST), -1);
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

/* SPDX-License-Identifier: MIT */
/* GPU memory by kind, device and asking library: from events, and from the process's own counters. */
#include "analysis/model/gpu_memory.h"

#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

#define TOLD_FREE (DLT_BOX_MEMORY_WORDS - 2)	/* of a row's words, before that of all memory */
#define SAME_FAILURE 1000000000	/* ns between what a counter and what an event says of one */

void gpu_memory_release(struct gpu_memory *g)
{
	for (size_t i = 0; i < g->library_count; i++)
		curve_release(&g->libraries[i].curve);
	for (int i = 0; i < DLT_MEMORIES; i++)
		curve_release(&g->curves[i]);
	curve_release(&g->nvml_curve);
	free(g->libraries);
	free(g->rows);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint32_t row_key(unsigned kind, unsigned device, unsigned library)
{
	return (kind < DLT_MEMORIES ? kind : DLT_MEMORY_STRAY) << 24 | (device & 255) << 16 |
	       (library & 65535);
}

static struct gpu_row *row_find(struct gpu_memory *g, uint32_t key)
{
	uint32_t *hint = &g->hints[(key * 0x9e3779b1u >> 16) % GPU_HINTS];

	if (*hint < g->count && g->rows[*hint].key == key)
		return &g->rows[*hint];
	for (size_t i = 0; i < g->count; i++)
		if (g->rows[i].key == key) {
			*hint = (uint32_t)i;
			return &g->rows[i];
		}
	return NULL;
}

static struct gpu_row *row_make(struct gpu_memory *g, uint32_t key)
{
	struct gpu_row *r = row_find(g, key);

	if (r)
		return r;
	g->rows = xgrow(g->rows, g->count, &g->capacity, sizeof(*g->rows));
	g->rows[g->count] = (struct gpu_row){ .key = key };
	return &g->rows[g->count++];
}

/* Where the process itself counts what this library asks for: among others, if these have come before it. */
static struct gpu_row *row_asked(struct gpu_memory *g, uint32_t key)
{
	struct gpu_row *r = g->others ? row_find(g, key) : NULL;
	struct gpu_row *others = g->others ? row_find(g, key | DLT_BOX_OTHERS) : NULL;

	return others && others->counted && !(r && r->counted) ? others : row_make(g, key);
}

static struct gpu_library *library_make(struct gpu_memory *g, uint16_t library)
{
	for (size_t i = 0; i < g->library_count; i++)
		if (g->libraries[i].library == library)
			return &g->libraries[i];
	g->libraries = xgrow(g->libraries, g->library_count, &g->library_capacity,
			     sizeof(*g->libraries));
	g->libraries[g->library_count] = (struct gpu_library){ .library = library };
	return &g->libraries[g->library_count++];
}

/* What is on the GPU has changed by `bytes`. */
static void moved_physical(struct process *p, uint16_t library, int64_t at, int64_t bytes)
{
	struct gpu_library *l = library_make(&p->gpu_memory, library);

	p->now.gpu += bytes;
	l->live += bytes;
	trace_point(p->trace, &l->curve, at, l->live);
}

/* The row has changed by `bytes`: draws it, its kind, and the sums that people look at. */
static void moved(struct process *p, struct gpu_row *r, int64_t at, int64_t bytes)
{
	struct gpu_memory *g = &p->gpu_memory;
	unsigned kind = gpu_row_kind(r);

	if (kind == DLT_MEMORY_GPU)
		return;		/* the sum of others */
	g->live[kind] += bytes;
	trace_point(p->trace, &g->curves[kind], at, g->live[kind]);
	if (dlt_memory_kind(kind)->physical)
		moved_physical(p, gpu_row_library(r), at, bytes);
	if (kind == DLT_MEMORY_PINNED || kind == DLT_MEMORY_REGISTERED)
		p->now.pinned += bytes;
	process_gpu_changed(p, at);
}

void gpu_memory_ended(struct process *p, int64_t at)
{
	struct gpu_memory *g = &p->gpu_memory;

	for (size_t i = 0; i < g->library_count; i++)
		if (g->libraries[i].live)
			trace_point(p->trace, &g->libraries[i].curve, at, g->libraries[i].live);
	for (int kind = 0; kind < DLT_MEMORIES; kind++)
		if (g->live[kind])
			trace_point(p->trace, &g->curves[kind], at, g->live[kind]);
}

/* ---- failures ------------------------------------------------------------------------------ */

int64_t gpu_memory_physical(const struct gpu_memory *g, unsigned device)
{
	int64_t sum = 0;

	for (size_t i = 0; i < g->count; i++)
		if (dlt_memory_kind(gpu_row_kind(&g->rows[i]))->physical &&
		    gpu_row_device(&g->rows[i]) == device)
			sum += gpu_row_live(&g->rows[i]);
	return sum;
}

/* Does this row take away from what the failed call asked for? */
static bool competes(const struct gpu_row *r, const struct gpu_failure *f)
{
	const struct dlt_memory_kind *wanted = dlt_memory_kind(f->key >> 24);
	const struct dlt_memory_kind *is = dlt_memory_kind(gpu_row_kind(r));

	if (gpu_row_kind(r) == DLT_MEMORY_GPU)
		return false;
	if (!wanted->physical)
		return gpu_row_kind(r) == f->key >> 24;
	return (is->physical || gpu_row_kind(r) == DLT_MEMORY_MANAGED) &&
	       gpu_row_device(r) == (f->key >> 16 & 255);
}

/* Keeps the largest, in order; equal ones by first sight. */
static void add_holder(struct gpu_failure *f, uint32_t key, int64_t live)
{
	int i = GPU_HOLDERS;

	while (i && f->holders[i - 1].live < live)
		i--;
	if (i == GPU_HOLDERS || live <= 0)
		return;
	memmove(&f->holders[i + 1], &f->holders[i], sizeof(f->holders[0]) * (size_t)(GPU_HOLDERS - 1 - i));
	f->holders[i].key = key;
	f->holders[i].live = live;
}

static void find_holders(const struct gpu_memory *g, struct gpu_failure *f)
{
	f->live = gpu_memory_physical(g, f->key >> 16 & 255);
	for (size_t i = 0; i < g->count; i++)
		if (competes(&g->rows[i], f))
			add_holder(f, g->rows[i].key, gpu_row_live(&g->rows[i]));
}

static void note_function(struct gpu_memory *g, uint16_t function)
{
	for (size_t i = 0; function && i < GPU_REFUSING && g->refused[i] != function; i++)
		if (!g->refused[i]) {
			g->refused[i] = function;
			return;
		}
}

static void add_failure(struct process *p, const struct gpu_failure *failure)
{
	struct gpu_memory *g = &p->gpu_memory;
	struct gpu_failure *f = &g->failures[g->failures_kept];

	if (!trace_in_range(p->trace, failure->t))
		return;
	g->failed += failure->count;
	note_function(g, failure->function);
	if (g->failures_kept == GPU_FAILURES_KEPT) {
		f[-1].count += failure->count;
		return;
	}
	g->failures_kept++;
	*f = *failure;
	find_holders(g, f);
}

/* Counters do not tell others apart. */
static bool may_be_same(uint32_t counted, uint32_t asked)
{
	return counted == asked || counted == (asked | DLT_BOX_OTHERS);
}

/* A sample may have told of this one already, without saying which call it was. */
static bool complete(struct gpu_memory *g, const struct gpu_failure *failure)
{
	for (size_t i = 0; i < g->failures_kept; i++) {
		struct gpu_failure *f = &g->failures[i];

		if (f->function || !may_be_same(f->key, failure->key) || f->size != failure->size ||
		    f->t > failure->t + SAME_FAILURE || f->t < failure->t - SAME_FAILURE)
			continue;
		note_function(g, failure->function);
		f->key = failure->key;
		f->function = failure->function;
		f->thread = failure->thread;
		f->code = failure->code;
		return true;
	}
	return false;
}

/* Those that no event has told of: all of them at the level summary. */
static void count_failures(struct process *p, struct gpu_row *r, int64_t at)
{
	const struct gpu_counters *c = &r->counters;
	struct gpu_failure f = {
		.t = trace_monotonic(p->trace, c->refused_at), .key = r->key, .size = c->refused,
		.count = c->failed - r->events.failed,
	};

	if (c->failed <= r->events.failed)
		return;
	if (f.t == UNKNOWN)
		f.t = at;
	if (gpu_row_kind(r) != DLT_MEMORY_STRAY)
		add_failure(p, &f);
	r->events.failed = c->failed;
}

/* What the application heard of free memory after a failure: it often asks then. What it heard before stays said. */
static void tell_failures(struct gpu_memory *g, const struct gpu_row *r, int64_t at)
{
	for (size_t i = 0; i < g->failures_kept; i++) {
		struct gpu_failure *f = &g->failures[i];

		if (f->told_total || f->t > at || (f->key >> 16 & 255) != gpu_row_device(r))
			continue;
		f->told_free = r->counters.told_free;
		f->told_total = r->counters.told_total;
	}
}

/* ---- events -------------------------------------------------------------------------------- */

void gpu_memory_alloc(struct process *p, int64_t at, const struct dlt_ev_cuda_alloc *e)
{
	struct gpu_memory *g = &p->gpu_memory;
	uint32_t key = row_key(e->memory, e->device, e->library);
	struct gpu_row *r = row_asked(g, key);
	struct gpu_failure f = {
		.t = at, .key = key, .thread = e->thread, .function = e->function,
		.code = e->result, .size = e->size, .count = 1,
	};

	g->events++;
	if (e->result) {
		if (complete(g, &f))
			return;
		r->events.failed++;
		add_failure(p, &f);
		return;
	}
	if (!e->ptr)
		return;
	r->events.live += (int64_t)e->size;
	r->events.allocated += e->size;
	r->events.allocations++;
	if (e->size > r->events.largest)
		r->events.largest = e->size;
	if (gpu_row_live(r) > r->events.peak && trace_in_range(p->trace, at))
		r->events.peak = gpu_row_live(r);
	moved(p, r, at, (int64_t)e->size);
}

/*
 * The process itself has found the block, before the memory was given back: so it does not matter
 * here that another thread's allocation at the same address may have been told of first.
 */
void gpu_memory_free(struct process *p, int64_t at, const struct dlt_ev_cuda_free *e)
{
	struct gpu_memory *g = &p->gpu_memory;
	struct gpu_row *r;

	g->events++;
	if (e->result || !e->ptr)
		return;
	r = row_make(g, row_key(e->memory, e->device, e->owner));
	r->events.frees++;
	if (gpu_row_kind(r) == DLT_MEMORY_STRAY)
		g->strays++;
	r->events.live -= (int64_t)e->size;
	moved(p, r, at, -(int64_t)e->size);
}

/* What events tell of one row becomes another's. */
static void move_events(struct process *to, struct gpu_row *r, struct process *orphan, struct gpu_row *from, int64_t at)
{
	int64_t live = from->events.live;

	r->events.live += live;
	r->events.allocated += from->events.allocated;
	r->events.allocations += from->events.allocations;
	r->events.frees += from->events.frees;
	r->events.failed += from->events.failed;
	if (from->events.largest > r->events.largest)
		r->events.largest = from->events.largest;
	/* First away from there, so that no sum has it twice. */
	moved(orphan, from, at, -live);
	/* Counters knew of it. */
	if (r->counted)
		r->offset -= live;
	else
		moved(to, r, at, live);
	if (gpu_row_live(r) > r->events.peak)
		r->events.peak = gpu_row_live(r);
}

static bool is_among(const struct gpu_row *r, uint32_t others)
{
	return !r->counted && r->key != others && (r->key | DLT_BOX_OTHERS) == others;
}

/* Rows of libraries of which the process does not count each: all those that it does had been said before. */
static void take_others(struct process *p, uint32_t others, int64_t at)
{
	struct gpu_memory *g = &p->gpu_memory;
	size_t kept = 0;

	g->others = true;
	for (size_t i = 0; i < g->count; i++)
		if (is_among(&g->rows[i], others))
			move_events(p, row_find(g, others), p, &g->rows[i], at);
	for (size_t i = 0; i < g->count; i++)
		if (!is_among(&g->rows[i], others))
			g->rows[kept++] = g->rows[i];
	g->count = kept;
}

/* ---- samples ------------------------------------------------------------------------------- */

static bool believed_at_once(const struct process *p, bool final)
{
	return final || !p->gpu_memory.events || !strcmp(p->trace->level, "summary");
}

static void settle(struct process *p, struct gpu_row *r, int64_t at, bool final)
{
	int64_t offset = r->counters.live - r->events.live, before = gpu_row_live(r);
	bool again = offset == r->candidate;

	r->candidate = offset;
	if (offset == r->offset || (!again && !believed_at_once(p, final)))
		return;
	r->offset = offset;
	moved(p, r, at, gpu_row_live(r) - before);
}

void gpu_memory_sample(struct process *p, int64_t at, const struct dlt_ev_sample_process *e)
{
	struct gpu_memory *g = &p->gpu_memory;

	if (at >= p->trace->to)
		return;
	for (uint32_t i = 0; i + DLT_BOX_MEMORY_WORDS <= e->gpu_memory_count; i += DLT_BOX_MEMORY_WORDS) {
		const uint64_t *w = &e->gpu_memory[i];
		uint32_t key = row_key(w[0] >> 24 & 255, w[0] >> 16 & 255, w[0] & 65535);
		struct gpu_row *r = row_make(g, key);

		if (!r->counted && gpu_row_library(r) == DLT_BOX_OTHERS) {
			take_others(p, key, at);
			r = row_find(g, key);
		}
		r->told_anew = w[TOLD_FREE] != r->counters.told_free || w[TOLD_FREE + 1] != r->counters.told_total;
		memcpy(&r->counters, w, sizeof(r->counters));
		r->counted = true;
		settle(p, r, at, e->final);
	}
	/* When all rows are up to date: who holds what. */
	for (size_t i = 0; i < g->count; i++)
		count_failures(p, &g->rows[i], at);
	for (size_t i = 0; i < g->count; i++) {
		if (g->rows[i].told_anew && g->rows[i].counters.told_total)
			tell_failures(g, &g->rows[i], at);
		g->rows[i].told_anew = false;
	}
}

/* ---- late announcements -------------------------------------------------------------------- */

void gpu_memory_adopt(struct process *to, struct process *orphan, int64_t at)
{
	struct gpu_memory *g = &to->gpu_memory, *from = &orphan->gpu_memory;

	for (size_t i = 0; i < from->count; i++)
		move_events(to, row_asked(g, from->rows[i].key), orphan, &from->rows[i], at);
	for (size_t i = 0; i < from->failures_kept; i++)
		if (!complete(g, &from->failures[i]))
			add_failure(to, &from->failures[i]);
	g->events += from->events;
	g->strays += from->strays;
	from->count = from->failures_kept = 0;
	from->events = from->strays = from->failed = 0;
}

/* ---- NVML ---------------------------------------------------------------------------------- */

void gpu_memory_nvml(struct process *p, int64_t at, uint32_t gpu, uint64_t used)
{
	struct gpu_memory *g = &p->gpu_memory;
	uint64_t sum = 0;

	if (gpu >= GPUS_KNOWN)
		return;
	g->nvml_by_gpu[gpu] = used;
	for (int i = 0; i < GPUS_KNOWN; i++)
		sum += g->nvml_by_gpu[i];
	trace_point(p->trace, &g->nvml_curve, at, (int64_t)sum);
	if (sum < g->nvml)
		return;
	g->nvml = sum;
	g->nvml_at = at;
	g->nvml_live = p->now.gpu;
}

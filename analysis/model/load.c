/* SPDX-License-Identifier: MIT */
/* What kept a process busy, from samples and from calls about memory of a GPU. */
#include "analysis/model/load.h"

#include "analysis/model/model.h"

void load_release(struct load *l)
{
	tally_release(&l->threads);
	curve_release(&l->cpu);
	curve_release(&l->system);
	curve_release(&l->read);
}

void load_merge(struct load *to, const struct load *from)
{
	tally_merge(&to->threads, &from->threads);
	/* A sample that the two parts share is one. */
	if (to->seen && from->seen && to->last == from->first)
		tally_add(&to->threads, from->first, LOAD_ACTIVE, UINT64_MAX);
	if (from->seen && (!to->seen || from->first < to->first))
		to->first = from->first;
	if (from->seen && (!to->seen || from->last > to->last))
		to->last = from->last;
	to->seen |= from->seen;
	curve_merge(&to->cpu, &from->cpu, LOAD_POINTS);
	curve_merge(&to->system, &from->system, LOAD_POINTS);
	curve_merge(&to->read, &from->read, LOAD_POINTS);
}

/* The last reading of a process that is gone has nothing of /proc but, mostly, what it used by its own account. */
void load_process(struct process *p, int64_t at, const struct dlt_ev_sample_process *e)
{
	const struct dlt_ev_sample_process *most = e->final ? &p->sample : e;
	struct load *l = &p->load;

	if (at == UNKNOWN || !trace_in_range(p->trace, at) || (e->final && !(most->user + most->system)))
		return;
	if (!e->final)
		tally_add(&l->threads, at, LOAD_SAMPLES, 1);
	curve_add(&l->cpu, LOAD_POINTS, at, (int64_t)(most->user + most->system));
	curve_add(&l->system, LOAD_POINTS, at, (int64_t)most->system);
	if (!e->final || most->read_bytes)
		curve_add(&l->read, LOAD_POINTS, at, (int64_t)most->read_bytes);
}

/* All threads of one sample have its time. */
static void ready(struct load *l, int64_t at)
{
	tally_add(&l->threads, at, LOAD_READY, 1);
	if (!l->seen || at > l->last)
		tally_add(&l->threads, at, LOAD_ACTIVE, 1);
	if (!l->seen)
		l->first = at;
	if (!l->seen || at > l->last)
		l->last = at;
	l->seen = true;
}

void load_thread(struct process *p, int64_t at, const struct dlt_ev_sample_thread *e)
{
	if (at == UNKNOWN || !trace_in_range(p->trace, at))
		return;
	if (e->state == 'R')
		ready(&p->load, at);
	else if (e->state == 'D')
		tally_add(&p->load.threads, at, LOAD_DISK, 1);
}

void load_gpu_block(struct thread *thread, int64_t at, uint64_t duration, uint64_t bytes)
{
	tally_put(&thread->gpu_blocks, at, (const uint64_t[TALLY_WORDS]){
		[LOAD_CALLS] = 1, [LOAD_NS] = duration, [LOAD_BYTES] = bytes,
	});
}

/* The last value at or before `t`, else the first one; of a process that began later, nothing. */
static int64_t value_at(const struct process *p, const struct curve *c, int64_t t)
{
	int64_t value = p->from_start && t <= p->begin ? 0 : c->buckets[0].min.value;

	for (size_t i = 0; i < c->count && c->buckets[i].min.t <= t; i++)
		value = c->buckets[i].last.t <= t ? c->buckets[i].last.value
						  : c->buckets[i].min.value;
	return value;
}

int64_t load_risen(const struct process *p, const struct curve *c, int64_t from, int64_t to)
{
	int64_t rise;

	if (!c->count)
		return 0;
	rise = value_at(p, c, to) - value_at(p, c, from);
	return rise > 0 ? rise : 0;
}

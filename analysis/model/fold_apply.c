/* SPDX-License-Identifier: MIT */
/* What was folded, into the model. */
#include "analysis/model/fold.h"

#include "analysis/model/launches.h"
#include "analysis/model/model.h"

static void apply_cell(struct trace *t, const struct fold_cell *c)
{
	struct thread *thread = trace_thread_make(t, (uint32_t)(c->key >> 32));
	struct profile *f = process_profile(thread->process, (uint16_t)(c->key >> 16), (uint16_t)c->key);
	struct sums *s = &f->events;

	if (c->timed && c->end > thread->returned)
		thread->returned = c->end;
	profile_seen(f, c->begin, c->end, c->first);
	f->timed |= c->timed;
	if (!s->calls || c->min < s->min)
		s->min = c->min;
	if (c->max > s->max)
		s->max = c->max;
	s->calls += c->calls;
	s->outer_calls += c->calls;
	s->total += c->total;
	s->outer_total += c->total;
	s->nested += c->nested;
	s->bytes += c->bytes;
	s->squares += (u128)c->squares_high << 64 | c->squares_low;
	for (unsigned b = dlt_bucket(c->min), last = dlt_bucket(c->max); b <= last; b++)
		s->buckets[b] += c->buckets[b];
	tally_slice(&f->slices, c->end, &(struct slice){ c->calls, c->total, c->nested, c->bytes });
}

static void apply_thread(struct trace *t, const struct fold_thread *from)
{
	struct thread *thread = trace_thread_make(t, from->id);
	struct process *p = thread->process;

	thread->read += from->events;
	p->read += from->events;
	process_seen(p, from->last);
	p->rhythm.works += from->works;
	if (from->work < p->rhythm.work)
		p->rhythm.work = from->work;
	checked_merge(&p->checked, &from->checked);
}

static void apply_beat(struct trace *t, const struct beat *from)
{
	struct beat b = *from;

	if (b.kind == BEAT_FREE)
		b.thread = 0;	/* of the process */
	rhythm_add(&trace_thread_make(t, from->thread)->process->rhythm, &b);
}

void fold_apply(struct fold *f, struct trace *t)
{
	fold_settle(f);
	for (uint32_t i = 0; i < f->thread_count; i++)
		apply_thread(t, &f->threads[i]);
	for (uint32_t i = 0; i < f->cell_count; i++)
		apply_cell(t, &f->cells[i]);
	/* All of it lies in one slice of time, in which a thread's last event is, too. */
	for (uint32_t i = 0; i < f->launch_count; i++) {
		const struct fold_launch *l = &f->launches[i];

		process_launches(trace_thread_make(t, (uint32_t)(l->key >> 32))->process, (uint32_t)l->key,
				 f->threads[0].last, l->count, l->captured, l->time);
	}
	for (uint32_t i = 0; i < f->beat_count; i++)
		apply_beat(t, &f->beats[i]);
	for (uint32_t i = 0; i < f->stream_count; i++)
		checked_stream(&trace_thread_make(t, f->streams[i].thread)->process->checked,
			       f->streams[i].stream);
	t->filtered += f->filtered;
	t->filtered_timed += f->filtered_timed;
	fold_clear(f);
}

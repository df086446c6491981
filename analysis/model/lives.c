/* SPDX-License-Identifier: MIT */
/* Curves of threads by lives, which samples correct by those that no event tells of. */
#include "analysis/model/lives.h"

#include <stdlib.h>

#include "analysis/model/memory.h"
#include "analysis/model/times.h"

/* By how much a number of threads changes. */
struct change {
	int64_t at, by;
};

struct changes {
	struct change *list;		/* owned vector */
	size_t count, capacity;
};

static void add(struct changes *c, int64_t at, int64_t by)
{
	if (!by)
		return;
	c->list = xgrow(c->list, c->count, &c->capacity, sizeof(*c->list));
	c->list[c->count++] = (struct change){ at, by };
}

/* All of one moment become one. */
static void put_in_order(struct changes *c)
{
	size_t to = 0;

	if (c->count)
		qsort(c->list, c->count, sizeof(*c->list), times_compare);
	for (size_t i = 0; i < c->count; i++)
		if (to && c->list[to - 1].at == c->list[i].at)
			c->list[to - 1].by += c->list[i].by;
		else
			c->list[to++] = c->list[i];
	c->count = to;
}

static struct changes lives_of(const struct process *p)
{
	struct changes c = { 0 };

	for (const struct thread *thread = p->threads; thread; thread = thread->sibling) {
		int64_t begin = thread_begin(thread), end = thread_end(thread);

		if (begin == UNKNOWN || (end != UNKNOWN && end < begin))
			continue;
		add(&c, begin, 1);
		if (end != UNKNOWN)
			add(&c, end, -1);
	}
	put_in_order(&c);
	return c;
}

/* A process whose curve is being drawn. */
struct drawing {
	struct process *process;
	struct changes *run;
	struct changes lives;		/* owned */
	size_t next;			/* of these */
	int64_t alive;			/* by these */
	int64_t hidden, candidate;	/* samples' count less that of lives; the last one, if it is no other's too */
	struct curve_value point;	/* not drawn yet: another one of this moment takes its place; t UNKNOWN: none */
	bool known;			/* else nothing tells of threads that were there before the trace began */
};

/* What was there before the trace began is there when it begins. */
static void draw(struct drawing *d, int64_t at, int64_t level)
{
	if (!d->known)
		return;
	at = at > 0 ? at : 0;
	if (d->point.t < at)
		process_point(d->process, CURVE_THREADS, d->point.t, d->point.value);
	if (process_shown(d->process))
		add(d->run, at, level - d->point.value);
	d->point = (struct curve_value){ at, level };
}

static void draw_lives(struct drawing *d, int64_t until)
{
	for (; d->next < d->lives.count && d->lives.list[d->next].at <= until; d->next++) {
		d->alive += d->lives.list[d->next].by;
		draw(d, d->lives.list[d->next].at, d->alive + d->hidden);
	}
}

static void draw_sample(struct drawing *d, const struct curve_value *sampled)
{
	int64_t hidden = sampled->value - d->alive;

	if (!d->process->from_start || hidden == d->candidate)
		d->hidden = hidden;
	d->candidate = hidden;
	d->known = true;
	draw(d, sampled->t, sampled->value);
}

static void draw_process(struct process *p, struct changes *run)
{
	const int64_t end = p->end != UNKNOWN ? p->end : INT64_MAX;
	struct drawing d = {
		.process = p, .run = run, .lives = lives_of(p), .point.t = UNKNOWN, .known = p->from_start,
	};
	struct curve_value samples[3];

	for (size_t i = 0; i < p->threads_sampled.count; i++) {
		size_t n = curve_points(&p->threads_sampled.buckets[i], samples);

		for (size_t k = 0; k < n && samples[k].t < end; k++) {
			draw_lives(&d, samples[k].t);
			draw_sample(&d, &samples[k]);
		}
	}
	draw_lives(&d, end);
	if (p->end != UNKNOWN)
		draw(&d, p->end, 0);
	process_point(p, CURVE_THREADS, d.point.t, d.point.value);
	free(d.lives.list);
}

void lives_end(struct trace *t)
{
	struct changes run = { 0 };
	int64_t level = 0;

	for (size_t i = 0; i < t->process_count; i++)
		if (!t->processes[i]->orphan)
			draw_process(t->processes[i], &run);
	put_in_order(&run);
	for (size_t i = 0; i < run.count; i++) {
		level += run.list[i].by;
		if (run.list[i].by)
			trace_point(t, &t->curves[RUN_THREADS], run.list[i].at, level);
	}
	free(run.list);
}

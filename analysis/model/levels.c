/* SPDX-License-Identifier: MIT */
/* Points of a trace's curves, and the levels that hold over the borders of a part of its time. */
#include "analysis/model/levels.h"

#include "analysis/model/gpu_memory.h"
#include "analysis/model/model.h"

/* A sample is taken before it can be emitted: the first ones before the first event, where time begins. */
static int64_t not_before(int64_t at)
{
	return at > 0 ? at : 0;
}

static void begin(const struct trace *t, struct curve *c)
{
	if (c->held && !c->count)
		curve_add(c, t->model->options.points / 2, not_before(t->from), c->before.value);
}

void trace_point(struct trace *t, struct curve *c, int64_t at, int64_t value)
{
	if (at == UNKNOWN || at >= t->to)
		return;
	if (at < t->from) {
		curve_before(c, at, value);
		return;
	}
	begin(t, c);
	curve_add(c, t->model->options.points / 2, not_before(at), value);
}

void trace_rate(struct trace *t, struct curve *c, int64_t since, int64_t at, int64_t value)
{
	if (at != UNKNOWN && trace_in_range(t, at))
		curve_add_rate(c, t->model->options.points / 2, not_before(since > t->from ? since : t->from),
			       not_before(at), value);
}

static void hold(const struct trace *t, struct curve *c, int64_t until)
{
	const struct curve_value *last;

	begin(t, c);
	if (c->rates || !c->count)
		return;
	last = &c->buckets[c->count - 1].last;
	if (last->t < until)
		curve_add(c, t->model->options.points / 2, until, last->value);
}

static void hold_process(struct process *p, int64_t until)
{
	struct gpu_memory *g = &p->gpu_memory;

	if (!trace_has(p->trace, p->begin, p->end))
		return;
	until = p->end != UNKNOWN && p->end < until ? p->end : until;
	for (int i = 0; i < PROCESS_CURVES; i++)
		hold(p->trace, &p->curves[i], until);
	for (int i = 0; i < DLT_MEMORIES; i++)
		hold(p->trace, &g->curves[i], until);
	for (size_t i = 0; i < g->library_count; i++)
		hold(p->trace, &g->libraries[i].curve, until);
	hold(p->trace, &g->nvml_curve, until);
}

static void hold_gpu(const struct trace *t, struct gpu *g, int64_t until)
{
	hold(t, &g->used, until);
	hold(t, &g->utilisation, until);
	hold(t, &g->power, until);
}

void levels_end(struct trace *t)
{
	int64_t until = t->to < t->end ? t->to : t->end;

	if (!trace_is_part(t) || until <= t->from)
		return;
	for (size_t i = 0; i < t->process_count; i++)
		hold_process(t->processes[i], until);
	for (size_t i = 0; i < t->machine_count; i++)
		for (int c = 0; c < MACHINE_CURVES; c++)
			hold(t, &t->machines[i].curves[c], until);
	for (size_t i = 0; i < t->gpu_count; i++)
		hold_gpu(t, &t->gpus[i], until);
	for (int c = 0; c < RUN_CURVES; c++)
		hold(t, &t->curves[c], until);
}

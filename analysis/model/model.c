/* SPDX-License-Identifier: MIT */
/* The model's life: made, fed one trace after another, looked at, freed. */
#include "analysis/model/model.h"

#include <errno.h>
#include <string.h>

#include "analysis/jobs.h"
#include "analysis/model/feed.h"
#include "analysis/model/gpu.h"
#include "analysis/model/late.h"
#include "analysis/model/lives.h"
#include "analysis/model/levels.h"
#include "analysis/model/memory.h"
#include "analysis/model/parts.h"
#include "analysis/reader/reader.h"
#include "analysis/reader/records.h"

struct model *model_new(const struct model_options *options)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->options = *options;
	if (m->options.points < 8)
		m->options.points = 8;
	return m;
}

static void trace_free(struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		process_free(t->processes[i]);
	for (size_t i = 0; i < t->thread_count; i++) {
		tally_release(&t->threads[i]->gpu_blocks);
		free(t->threads[i]);
	}
	for (size_t i = 0; i < t->machine_count; i++) {
		free(t->machines[i].cores);
		for (int c = 0; c < MACHINE_CURVES; c++)
			curve_release(&t->machines[i].curves[c]);
	}
	for (size_t i = 0; i < t->gpu_count; i++) {
		curve_release(&t->gpus[i].used);
		curve_release(&t->gpus[i].utilisation);
		curve_release(&t->gpus[i].power);
	}
	for (size_t i = 0; i < t->energy_count; i++)
		curve_release(&t->energies[i].power);
	for (int c = 0; c < RUN_CURVES; c++)
		curve_release(&t->curves[c]);
	window_release(&t->asked);
	for (size_t i = 0; i < t->function_count; i++)
		free(t->functions[i]);
	free(t->functions);
	ram_sums_release(&t->ram);
	idmap_release(&t->process_by_id);
	idmap_release(&t->thread_by_id);
	idmap_release(&t->by_pid);
	free(t->processes);
	free(t->threads);
	free(t->machines);
	free(t->gpus);
	free(t->energies);
	free(t->notes);
	free(t->moments.list);
	free(t);
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->trace_count; i++)
		trace_free(m->traces[i]);
	free(m->traces);
	jobs_free(m->jobs);
	names_release(&m->names);
	free(m);
}

static event_fn handler_of(enum dlt_event type)
{
	static const event_fn *const tables[] = {
		identity_handlers, call_handlers, sample_handlers, recorder_handlers,
		mark_handlers, gpu_handlers, input_handlers, asker_handlers,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (tables[i][type])
			return tables[i][type];
	return NULL;
}

static void set_range(struct trace *t, const struct model_options *o)
{
	const struct time_range *own = o->ranges ? &o->ranges[t->index] : NULL;

	t->from = own && own->from > o->from ? own->from : o->from;
	t->to = own && own->to < o->to ? own->to : o->to;
}

struct trace *trace_add(struct model *m, const char *path)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	m->traces = xgrow(m->traces, m->trace_count, &m->trace_capacity, sizeof(*m->traces));
	m->traces[m->trace_count] = t;
	t->model = m;
	t->index = m->trace_count++;
	set_range(t, &m->options);
	t->path = names_keep(&m->names, path);
	t->level = t->command = t->host = t->version = t->source = t->said = t->labels = names_keep(&m->names, "");
	t->end = UNKNOWN;
	for (int i = 0; i < DLT_EVENTS; i++)
		t->handlers[i] = handler_of((enum dlt_event)i);
	t->exit_status = -1;
	t->round = 1;
	t->round_begin = t->round_at = t->cpu_at = t->cpu_end = UNKNOWN;
	return t;
}

static void add_problem(struct trace *t, const char *kind, const char *text, uint64_t value, uint64_t count)
{
	t->notes = xgrow(t->notes, t->note_count, &t->note_capacity, sizeof(*t->notes));
	t->notes[t->note_count++] = (struct note){
		.severity = 1, .kind = trace_keep(t, kind), .text = trace_keep(t, text),
		.value = (int64_t)value, .t = UNKNOWN, .count = count,
	};
}

/* What the reader learned about the trace as a whole. */
static void take_info(struct trace *t, const struct reader_info *info)
{
	static const char *const sources[] = {
		[READER_AUTO] = "", [READER_FAST] = "fast", [READER_BABELTRACE] = "babeltrace2",
		[READER_TEXT] = "text",
	};

	t->source = trace_keep(t, (unsigned)info->source <= READER_TEXT ? sources[info->source] : "");
	t->boxed_events = info->boxed;
	t->discarded = info->discarded;
	t->discarded_packets = info->discarded_packets;
	t->bytes = info->bytes;
	if (!*t->host)
		t->host = trace_keep(t, info->host);
	for (size_t i = 0; i < info->problem_count; i++) {
		const struct reader_problem *p = &info->problems[i];

		add_problem(t, p->kind, p->text, p->value, p->count);
	}
}

/* What dltrace-record left beside the trace: whose recording it is, and how it ended. */
static void take_recording(struct trace *t, const struct reader_recording *r)
{
	t->labels = trace_keep(t, r->labels);
	if (!r->present)
		return;
	if (r->id) {
		t->recorded = true;
		t->recording = r->id;
	}
	if (*r->level)
		t->level = trace_keep(t, r->level);
	if (r->command && *r->command)
		t->command = trace_keep(t, r->command);
	t->running = r->running;
	t->exit_status = r->exit_status;
	t->exit_signal = r->signal;
	t->told_lost = r->lost;
	t->stalled = r->stalled;
}

/* Numbers for people, from 1, without gaps for what turned out to be part of another. */
static void number(struct model *m, struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		if (!t->processes[i]->merged && !process_foreign(t->processes[i]))
			t->processes[i]->report_id = ++m->processes;
}

void trace_event(struct trace *t, enum dlt_event type, int64_t at, const void *data)
{
	if (t->handlers[type])
		t->handlers[type](t, at, data);
}

void trace_start(struct trace *t, const struct reader_info *info, uint64_t time)
{
	take_recording(t, &info->recording);
	t->started = true;
	t->begin = time;
	t->clock_offset = info->clock_offset;
}

static void count(struct trace *t, const struct sink *sink, struct feed_counts *counts, uint64_t more)
{
	uint64_t before = counts->events;

	counts->events += more;
	if (before >> 16 != counts->events >> 16)
		sink->progress(t, counts->events & ~(uint64_t)0xffff);
}

/* What follows in the same batch: most events of a trace. */
static void feed_records(struct trace *t, struct reader *r, const struct sink *sink, struct fold *fold,
			 struct feed_counts *counts)
{
	struct records *rest = reader_records(r);
	uint32_t taken = rest ? fold_records(fold, rest, t->begin, counts->by_type) : 0;
	int64_t at;

	if (!taken)
		return;
	at = (int64_t)(records_time(rest) - t->begin);
	if (at > counts->last)
		counts->last = at;
	reader_took(r, taken);
	count(t, sink, counts, taken);
}

int trace_feed(struct trace *t, struct reader *r, struct fold *fold, const struct sink *sink,
	       struct feed_counts *counts)
{
	const struct model_options *o = &t->model->options;
	struct reader_event e;
	int ret;

	while ((ret = reader_next(r, &e)) > 0) {
		int64_t at;

		if ((unsigned)e.type >= DLT_EVENTS)
			continue;
		if (!t->started)
			trace_start(t, reader_info(r), e.time);
		at = (int64_t)(e.time - t->begin);
		if (at > counts->last)
			counts->last = at;
		count(t, sink, counts, 1);
		counts->by_type[e.type]++;
		if (!fold_is_empty(fold) && !fold_has_room(fold, at))
			sink->fold(sink->context, fold);
		/* Exporters want to find in the model what the event tells. */
		if (!o->event && fold_add(fold, e.type, at, e.data)) {
			feed_records(t, r, sink, fold, counts);
			continue;
		}
		if (!fold_is_empty(fold) && !fold_may_wait(e.type))
			sink->fold(sink->context, fold);
		sink->event(sink->context, e.type, at, e.data);
		if (o->event)
			o->event(o->event_data, t, at, &e);
	}
	if (!fold_is_empty(fold))
		sink->fold(sink->context, fold);
	return ret;
}

void trace_count(struct trace *t, const struct feed_counts *counts)
{
	t->events += counts->events;
	for (int i = 0; i < DLT_EVENTS; i++)
		t->by_type[i] += counts->by_type[i];
	if (counts->last > t->end)
		t->end = counts->last;
}

/* ---- a trace by this process alone ---- */

static void take_event(void *t, enum dlt_event type, int64_t at, const void *data)
{
	trace_event(t, type, at, data);
}

static void take_fold(void *t, struct fold *fold)
{
	fold_apply(fold, t);
}

static void show_progress(const struct trace *t, uint64_t events)
{
	model_alive(t->model);
	if (t->model->options.progress)
		t->model->options.progress(events);
}

static int read_whole(struct trace *t, struct reader *r)
{
	const struct sink sink = { take_event, take_fold, show_progress, t };
	struct feed_counts counts = { .last = INT64_MIN };
	struct fold *fold = fold_new(t->from, t->to);
	int ret = trace_feed(t, r, fold, &sink, &counts);

	fold_free(fold);
	trace_count(t, &counts);
	return ret;
}

/* It was begun in a way that does not do. */
static struct trace *begin_again(struct model *m, struct trace *t, const char *path)
{
	trace_free(t);
	m->trace_count--;
	return trace_add(m, path);
}

/* What analyses go over, so that they need not look at all of the trace for each process. */
static void link_all(struct trace *t)
{
	for (size_t i = t->thread_count; i--;) {
		struct thread *thread = t->threads[i];

		thread->sibling = thread->process->threads;
		thread->process->threads = thread;
		thread->process->thread_count++;
	}
	for (size_t i = t->process_count; i--;) {
		struct process *p = t->processes[i];

		if (!p->input.opens)
			continue;
		p->next_reader = t->readers;
		t->readers = p;
	}
}

/* Only now, as a run's sums count who is shown. */
static void find_outside(struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		t->processes[i]->outside = !trace_has(t, t->processes[i]->begin, t->processes[i]->end);
}

int model_read(struct model *m, struct reader *r, const char *path)
{
	struct trace *t = trace_add(m, path);
	int ret = parts_read(t, r);

	if (ret == -EAGAIN) {
		reader_seek(r, 0, UINT64_MAX);
		t = begin_again(m, t, path);
		ret = 0;
	}
	if (!ret)
		ret = read_whole(t, r);
	else
		ret = 0;
	askers_end(t);
	identity_end(t);
	trace_order(t);
	trace_rounds_end(t);
	ram_end(t);
	late_end(t);
	marks_end(t);
	for (size_t i = 0; i < t->process_count; i++)
		rhythm_end(&t->processes[i]->rhythm);
	link_all(t);
	lives_end(t);
	comms_number(t->processes, t->process_count);
	gpu_end(t);
	levels_end(t);
	find_outside(t);
	reader_end(r);
	take_info(t, reader_info(r));
	take_recording(t, &reader_info(r)->recording);
	number(m, t);
	t->error = ret;
	return ret;
}

void model_unreadable(struct model *m, const char *path, const char *why)
{
	struct trace *t = trace_add(m, path);

	add_problem(t, "unreadable", why, 0, 1);
	t->error = -1;
}

int64_t trace_time(const struct trace *t, uint64_t since_1970)
{
	return (int64_t)(since_1970 - t->begin);
}

int64_t trace_monotonic(const struct trace *t, uint64_t monotonic)
{
	return monotonic ? (int64_t)(monotonic + (uint64_t)t->clock_offset - t->begin) : UNKNOWN;
}

const char *trace_keep(struct trace *t, const char *s)
{
	/* The pool belongs to the model, which is only const for those who look. */
	return names_keep((struct names *)&t->model->names, s);
}

bool trace_in_range(const struct trace *t, int64_t at)
{
	return at >= t->from && at < t->to;
}

/* SPDX-License-Identifier: MIT */
/* The model's life: made, fed one trace after another, looked at, freed. */
#include "analysis/model/model.h"

#include <string.h>

#include "analysis/model/gpu.h"
#include "analysis/model/memory.h"
#include "analysis/reader/reader.h"

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
	for (size_t i = 0; i < t->thread_count; i++)
		free(t->threads[i]);
	for (size_t i = 0; i < t->machine_count; i++)
		for (int c = 0; c < MACHINE_CURVES; c++)
			curve_release(&t->machines[i].curves[c]);
	for (size_t i = 0; i < t->gpu_count; i++) {
		curve_release(&t->gpus[i].used);
		curve_release(&t->gpus[i].utilisation);
		curve_release(&t->gpus[i].power);
	}
	for (size_t i = 0; i < t->energy_count; i++)
		curve_release(&t->energies[i].power);
	for (int c = 0; c < RUN_CURVES; c++)
		curve_release(&t->curves[c]);
	idmap_release(&t->process_by_id);
	idmap_release(&t->thread_by_id);
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
	names_release(&m->names);
	free(m);
}

static struct trace *trace_add(struct model *m, const char *path)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	m->traces = xgrow(m->traces, m->trace_count, &m->trace_capacity, sizeof(*m->traces));
	m->traces[m->trace_count] = t;
	t->model = m;
	t->index = m->trace_count++;
	t->path = names_keep(&m->names, path);
	t->level = t->command = t->host = t->version = t->source = t->labels = names_keep(&m->names, "");
	for (size_t i = 0; i < TRACE_FUNCTIONS; i++)
		t->functions[i] = (struct function){ t->level, t->level, t->level };
	t->end = UNKNOWN;
	t->exit_status = -1;
	t->round = 1;
	t->round_begin = t->round_at = UNKNOWN;
	return t;
}

static void add_problem(struct trace *t, const char *kind, const char *text, int64_t value)
{
	t->notes = xgrow(t->notes, t->note_count, &t->note_capacity, sizeof(*t->notes));
	t->notes[t->note_count++] = (struct note){
		.severity = 1, .kind = trace_keep(t, kind), .text = trace_keep(t, text),
		.value = value, .t = UNKNOWN,
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
	t->discarded = info->discarded;
	t->discarded_packets = info->discarded_packets;
	t->bytes = info->bytes;
	if (!*t->host)
		t->host = trace_keep(t, info->host);
	for (size_t i = 0; i < info->problem_count; i++)
		add_problem(t, info->problems[i].kind, info->problems[i].text,
			    (int64_t)info->problems[i].value);
}

static event_fn handler_of(enum dlt_event type)
{
	static const event_fn *const tables[] = {
		identity_handlers, call_handlers, sample_handlers, recorder_handlers,
		mark_handlers, gpu_handlers,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (tables[i][type])
			return tables[i][type];
	return NULL;
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
	t->exit_status = r->exit_status;
	t->exit_signal = r->signal;
}

static void start(struct trace *t, const struct reader_info *info, uint64_t time)
{
	take_recording(t, &info->recording);
	t->started = true;
	t->begin = time;
	t->clock_offset = info->clock_offset;
}

/* Numbers for people, from 1, without gaps for what turned out to be part of another. */
static void number(struct model *m, struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		if (!t->processes[i]->merged && !process_foreign(t->processes[i]))
			t->processes[i]->report_id = ++m->processes;
}

int model_read(struct model *m, struct reader *r, const char *path)
{
	struct trace *t = trace_add(m, path);
	event_fn handlers[DLT_EVENTS];
	struct reader_event e;
	int ret;

	for (int i = 0; i < DLT_EVENTS; i++)
		handlers[i] = handler_of((enum dlt_event)i);
	while ((ret = reader_next(r, &e)) > 0) {
		int64_t at;

		if ((unsigned)e.type >= DLT_EVENTS)
			continue;
		if (!t->started)
			start(t, reader_info(r), e.time);
		at = trace_time(t, e.time);
		if (at > t->end)
			t->end = at;
		if ((++t->events & 0xffff) == 0 && m->options.progress)
			m->options.progress(t->events);
		t->by_type[e.type]++;
		if (handlers[e.type])
			handlers[e.type](t, at, e.data);
		if (m->options.event)
			m->options.event(m->options.event_data, t, at, &e);
	}
	trace_round(t);
	marks_end(t);
	gpu_end(t);
	take_info(t, reader_info(r));
	take_recording(t, &reader_info(r)->recording);
	number(m, t);
	t->error = ret;
	return ret;
}

void model_unreadable(struct model *m, const char *path, const char *why)
{
	struct trace *t = trace_add(m, path);

	add_problem(t, "unreadable", why, 0);
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
	return at >= t->model->options.from && at < t->model->options.to;
}

void trace_point(struct trace *t, struct curve *c, int64_t at, int64_t value)
{
	if (at != UNKNOWN && trace_in_range(t, at))
		curve_add(c, t->model->options.points / 2, at, value);
}

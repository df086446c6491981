/* SPDX-License-Identifier: MIT */
/* A refresh as one line of JSON, for scripts. */
#include "analysis/live/live.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "analysis/report/escape.h"

static json_t *text(const char *s)
{
	char *valid = text_valid(s);
	json_t *value = *s ? json_string(valid) : json_null();

	free(valid);
	return value;
}

static json_t *process(const struct live_process *p)
{
	uint64_t period = period_find(&p->period);
	json_t *o = json_pack("{s:i, s:I, s:I, s:b}", "pid", (int)p->pid, "process", (json_int_t)p->id, "parent",
			      (json_int_t)p->parent, "ended", p->ended);

	json_object_set_new(o, "rank", p->rank >= 0 ? json_integer(p->rank) : json_null());
	json_object_set_new(o, "name", text(p->name));
	json_object_set_new(o, "framework", text(p->framework));
	json_object_set_new(o, "threads", json_integer(p->threads));
	json_object_set_new(o, "cpu_ns", json_integer((json_int_t)p->cpu));
	json_object_set_new(o, "cpu_cores", json_real(p->cores));
	json_object_set_new(o, "rss_bytes", json_integer((json_int_t)p->rss));
	json_object_set_new(o, "heap_bytes", p->heap_known ? json_integer(p->heap) : json_null());
	json_object_set_new(o, "heap_peak_bytes", p->heap_known ? json_integer(p->peak) : json_null());
	json_object_set_new(o, "allocations_per_s", json_real(p->allocations_rate));
	json_object_set_new(o, "gpu_bytes", json_integer(p->gpu));
	json_object_set_new(o, "events", json_integer((json_int_t)p->events));
	json_object_set_new(o, "iteration_ns", period ? json_integer((json_int_t)period) : json_null());
	return o;
}

/* calls and time of all processes; ended ones too. */
static json_t *functions(const struct live_watch *w)
{
	json_t *list = json_array();

	for (unsigned f = 1; f < DLT_FNS; f++) {
		struct live_function now = w->past[f];
		uint64_t before = 0, before_time = 0, recent = 0, recent_time = 0;

		for (size_t i = 0; i < w->count; i++) {
			const struct live_process *p = w->list[i];

			if (!p->now)
				continue;
			now.calls += p->now[f].calls;
			now.failed += p->now[f].failed;
			now.time += p->now[f].time;
			recent += p->now[f].calls;
			recent_time += p->now[f].time;
			before += p->before[f].calls;
			before_time += p->before[f].time;
		}
		if (now.calls)
			json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "function",
							      dlt_functions[f].name, "layer", dlt_functions[f].layer,
							      "calls", (json_int_t)now.calls, "failed",
							      (json_int_t)now.failed, "outer_ns", (json_int_t)now.time,
							      "calls_since", (json_int_t)(recent - before),
							      "outer_since_ns",
							      (json_int_t)(recent_time - before_time)));
	}
	return list;
}

static json_t *in_flight(const struct live_watch *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->call_count; i++)
		json_array_append_new(list, json_pack("{s:i, s:I, s:s, s:I}", "pid", (int)w->calls[i].pid, "tid",
						      (json_int_t)w->calls[i].tid, "function",
						      dlt_functions[w->calls[i].function].name, "since_ns",
						      (json_int_t)w->calls[i].lasts));
	return list;
}

void live_json(FILE *out, const struct live_watch *w)
{
	const struct live_machine *m = &w->machine;
	json_t *processes = json_array(), *o;

	for (size_t i = 0; i < w->count; i++)
		json_array_append_new(processes, process(w->list[i]));
	o = json_pack("{s:s, s:i, s:I, s:I}", "format", "dltrace-live", "version", 1, "interval_ns",
		      (json_int_t)(w->before ? w->now - w->before : 0), "elapsed_ns",
		      (json_int_t)(w->began && w->now > w->began ? w->now - w->began : 0));
	json_object_set_new(o, "trace", text(w->recording->trace));
	json_object_set_new(o, "recorder", json_integer(w->recording->recorder));
	json_object_set_new(o, "level", text(w->level));
	json_object_set_new(o, "command", text(w->command));
	json_object_set_new(o, "machine", json_pack("{s:o, s:I, s:f, s:I, s:I}", "host", text(w->host), "cpus",
						    (json_int_t)m->cpus, "cpu_share", m->cpu, "memory_bytes",
						    (json_int_t)m->memory, "available_bytes",
						    (json_int_t)m->available));
	json_object_set_new(o, "events", json_integer((json_int_t)w->events));
	json_object_set_new(o, "events_per_s", json_real(w->events_rate));
	json_object_set_new(o, "ended", json_integer((json_int_t)w->ended));
	json_object_set_new(o, "heap_bytes", json_integer(w->heap));
	json_object_set_new(o, "gpu_bytes", json_integer(w->gpu));
	json_object_set_new(o, "least_iteration_ns", json_integer((json_int_t)PERIOD_LEAST));
	json_object_set_new(o, "processes", processes);
	json_object_set_new(o, "functions", functions(w));
	json_object_set_new(o, "in_flight", in_flight(w));
	json_dumpf(o, out, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(o);
	fputc('\n', out);
	fflush(out);
}

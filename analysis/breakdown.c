/* SPDX-License-Identifier: MIT */
/* The table `breakdown`: where calls spent their time, by process, caller and function. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/demangle.h"
#include "analysis/frameworks.h"
#include "analysis/layers.h"
#include "analysis/phases.h"
#include "analysis/self_time.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "framework", "framework", UNIT_TEXT, "of the calling library, else the process's engine" },
	{ "layer", "layer", UNIT_TEXT, "runtime, driver, gpu, nccl, blas, dnn, openmp, opencl, ..." },
	{ "device", "device", UNIT_ID, "not known yet" },
	{ "library", "library", UNIT_TEXT, "the caller" },
	{ "function", "function", UNIT_TEXT, "as exported" },
	{ "kind", "kind", UNIT_TEXT,
	  "allocate, copy, launch, synchronise, initialise, compute, wait, other" },
	{ "waiting", "waits", UNIT_ID, "1: its time is waiting (synchronising, blocking copies), not work" },
	{ "phase", "phase", UNIT_TEXT,
	  "in which most of its time lies, by the calls that are events; phase_functions tells all" },
	{ "calls", "calls", UNIT_COUNT, "all calls, nested ones too where totals were recorded" },
	{ "failed", "failed", UNIT_COUNT, "calls that returned an error" },
	{ "total_ns", "total", UNIT_NS, "time of all calls, what nested in them included" },
	{ "outer_ns", "outermost", UNIT_NS, "time of the outermost calls only: what `share` counts" },
	{ "nested_ns", "nested", UNIT_NS, "the part of the total spent in other calls of the table" },
	{ "self_ns", "own", UNIT_NS,
	  "total less nested, as far as it is known in which calls that was: all of these are all outermost time" },
	{ "mean_ns", "mean", UNIT_NS, "total by calls" },
	{ "median_ns", "median", UNIT_NS, "from a histogram, see quantile_error" },
	{ "min_ns", "min", UNIT_NS, "shortest call" },
	{ "max_ns", "max", UNIT_NS, "longest call" },
	{ "stddev_ns", "deviation", UNIT_NS, "standard deviation of all calls" },
	{ "p99_ns", "p99", UNIT_NS, "99th percentile, from a histogram" },
	{ "quantile_error", "error", UNIT_FRACTION,
	  "how far median and p99 can be off, as a fraction of them" },
	{ "untimed", "untimed", UNIT_COUNT,
	  "calls too short to time each: they count as the last timed one from the same place that was like them (as "
	  "much work, the same region, or a question of CUDA's)" },
	{ "error_ns", "error", UNIT_NS, "standard error of total_ns and outer_ns by the untimed ones" },
	{ "first_ns", "first", UNIT_NS, "duration of the first call" },
	{ "first_call_ns", "from", UNIT_TIME, "begin of the first call that is an event" },
	{ "last_call_ns", "to", UNIT_TIME, "end of the last call that is an event" },
	{ "bytes", "bytes", UNIT_BYTES, "moved or allocated" },
	{ "flops", "flop", UNIT_COUNT, "floating-point operations, where the shape tells" },
	{ "share", "share", UNIT_FRACTION,
	  "of the summed outermost time of its layer in its process" },
	{ "share_of_wall", "of wall", UNIT_FRACTION,
	  "outermost time by the process's life; over 1 when threads work side by side" },
};

/* cudaMemcpy and its kin return when the copy is done; the ones named Async do not wait. */
bool function_waits(const struct function *fn)
{
	if (!strcmp(fn->kind, "synchronise") || !strcmp(fn->kind, "wait"))
		return true;
	return !strcmp(fn->kind, "copy") && strstr(fn->name, "Memcpy") && !strstr(fn->name, "Async");
}

bool profile_named(const struct process *p, const char *engine, const struct profile *f,
		   struct breakdown_row *row)
{
	const struct model_options *o = &p->trace->model->options;
	const struct function *fn = profile_names(p, f);
	const struct library *l = process_library(p, profile_library(f));
	const struct framework_rule *rule = l ? library_framework(l->path) : NULL;
	char name[1024];

	*row = (struct breakdown_row){
		.function = fn->name, .layer = fn->layer, .kind = fn->kind,
		.library = l ? base_name(l->path) : "",
		.waiting = function_waits(fn),
		.sums = profile_counts(p, f),
	};
	if (!*row->function) {
		snprintf(name, sizeof(name), "function %u", profile_function(f));
		row->function = trace_keep(p->trace, name);
	}
	if (f->work && strncmp(row->function, "_Z", 2) == 0)
		row->function = trace_keep(p->trace, demangle(row->function, name, sizeof(name)));
	row->framework = rule ? rule->name : engine;
	return framework_chosen(o->framework, row->framework) &&
	       (!o->function || !fnmatch(o->function, row->function, 0)) &&
	       (!o->layer || !fnmatch(o->layer, row->layer, 0));
}

bool profile_row(const struct process *p, const char *engine, const struct profile *f,
		 struct breakdown_row *row)
{
	return profile_named(p, engine, f, row) && f->timed && row->sums->calls;
}

const struct sums *profile_counts(const struct process *p, const struct profile *f)
{
	/* The library's totals run from the process's start: of no use for a part of the time. */
	return trace_is_part(p->trace) ? &f->events : profile_sums(f);
}

static bool outermost(const struct process *p, const struct profile *f, uint64_t n[LAYER_WORDS])
{
	n[0] = f->timed ? profile_counts(p, f)->outer_total : 0;
	return f->timed;
}

static void set_durations(struct table *t, const struct sums *s, uint64_t self)
{
	double error, worse;

	table_set_uint(t, "total_ns", s->total);
	table_set_uint(t, "outer_ns", s->outer_total);
	table_set_uint(t, "nested_ns", s->nested);
	table_set_uint(t, "self_ns", self);
	table_set_real(t, "mean_ns", (double)s->total / (double)s->calls);
	table_set_uint(t, "min_ns", s->min);
	table_set_uint(t, "max_ns", s->max);
	table_set_real(t, "stddev_ns", sums_deviation(s));
	if (s->untimed) {
		table_set_uint(t, "untimed", s->untimed);
		table_set_real(t, "error_ns", sums_error(s));
	}
	if (!sums_counted(s))
		return;
	table_set_real(t, "median_ns", sums_quantile(s, 0.5, &error));
	table_set_real(t, "p99_ns", sums_quantile(s, 0.99, &worse));
	table_set_real(t, "quantile_error", error > worse ? error : worse);
}

/* "": it is not known. */
static const char *main_phase(const struct process *p, const struct profile *f)
{
	const struct phases *ph = phases_around(p);
	struct slice sums[PHASES_MAX];
	size_t most = 0;

	if (!ph->count || !phases_slices(ph, &f->slices, sums))
		return "";
	for (size_t i = 1; i < ph->count; i++)
		if (sums[i].outer > sums[most].outer)
			most = i;
	return ph->list[most].name;
}

void breakdown_names(struct table *t, const struct breakdown_row *row)
{
	set_text(t, "framework", row->framework);
	set_text(t, "layer", row->layer);
	set_text(t, "library", row->library);
	table_set_text(t, "function", row->function);
	set_text(t, "kind", row->kind);
	table_set_uint(t, "waiting", row->waiting);
}

static void add_row(struct table *t, const struct process *p, const struct profile *f,
		    const struct breakdown_row *row, const struct layers *layers, uint64_t self)
{
	uint64_t layer = *layers_get(layers, row->layer), life = process_life(p);
	const struct sums *s = row->sums;

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	breakdown_names(t, row);
	set_text(t, "phase", main_phase(p, f));
	table_set_uint(t, "calls", s->calls);
	table_set_uint(t, "failed", s->failed);
	set_durations(t, s, self);
	table_set_uint(t, "first_ns", s == f->exact ? f->exact_first : f->events_first);
	set_time(t, "first_call_ns", f->begin);
	set_time(t, "last_call_ns", f->end);
	table_set_uint(t, "bytes", s->bytes);
	if (s->flops)
		table_set_uint(t, "flops", s->flops);
	if (layer)
		table_set_real(t, "share", (double)s->outer_total / (double)layer);
	if (life)
		table_set_real(t, "share_of_wall", (double)s->outer_total / (double)life);
}

static void add(const struct process *p, struct table *t)
{
	struct layers layers = layers_sum(p, outermost);
	struct self_time *times = self_times(p);
	const char *engine = process_engine(p);

	for (size_t i = 0; i < p->profile_count; i++) {
		struct breakdown_row row;

		if (profile_row(p, engine, p->profile_list[i], &row))
			add_row(t, p, p->profile_list[i], &row, &layers, times[i].whole);
	}
	free(times);
	layers_release(&layers);
}

void run_breakdown(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "breakdown", "Time by function", COLUMNS(columns));

	each_process(m, t, add);
	table_sort_falling(t, "total_ns");
}

/* SPDX-License-Identifier: MIT */
/* The tables `phases` and `phase_functions`: what a process did in each of its phases. */
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/frameworks.h"
#include "analysis/layers.h"
#include "analysis/model/times.h"
#include "analysis/phases.h"
#include "analysis/self_time.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "start-up, compilation, warm-up, steady, end" },
	{ "begin_ns", "from", UNIT_TIME, "" },
	{ "end_ns", "to", UNIT_TIME, "" },
	{ "duration_ns", "duration", UNIT_NS, "" },
	{ "iterations", "iterations", UNIT_COUNT, "that begin in it" },
	{ "cpu_ns", "CPU time", UNIT_NS, "in it; between samples by proportion; the first one's and the last one's "
	  "with what it used to be loaded and to go" },
	{ "cpu_cores", "cores", UNIT_REAL, "CPU time by the time in which it was used" },
	{ "share", "share of its life", UNIT_FRACTION, "of all of its phases: its life from the trace's begin on" },
	{ "heap_calls", "allocations", UNIT_COUNT, "of its heap; between samples by proportion" },
	{ "heap_share", "share of allocations", UNIT_FRACTION, "of the allocations of its life" },
	{ "heap_bytes", "allocated", UNIT_BYTES, "by these allocations" },
	{ "large_blocks", "large blocks", UNIT_COUNT, "allocations and frees that are events" },
	{ "mappings", "mappings", UNIT_COUNT, "calls that made, moved or removed one" },
	{ "threads", "threads", UNIT_COUNT, "that it created" },
	{ "children", "children", UNIT_COUNT, "processes that it, or one that works for it, started" },
	{ "gpu_calls", "GPU events", UNIT_COUNT,
	  "of the runtime and the driver of CUDA, of OpenCL, that are events" },
	{ "gpu_ns", "time in GPU calls", UNIT_NS, "their time" },
	{ "compute_calls", "compute events", UNIT_COUNT, "calls of BLAS, DNN, OpenMP that are events" },
	{ "compute_ns", "time in BLAS, DNN, OpenMP", UNIT_NS, "their time, over all threads" },
	{ "gpu_runs", "GPU work", UNIT_COUNT, "kernels, copies and sets that ended on the GPU" },
	{ "gpu_run_ns", "time of GPU work", UNIT_NS, "their time, on all streams, side by side too" },
	{ "heap_peak_bytes", "heap peak", UNIT_BYTES, "largest live heap that was read" },
	{ "gpu_peak_bytes", "GPU memory peak", UNIT_BYTES, "most that was reserved on GPUs" },
	{ "packages", "packages", UNIT_COUNT, "of Python, that it imported" },
	{ "file_opens", "files opened", UNIT_COUNT, "to be read, each time again" },
	{ "file_bytes", "size of these files", UNIT_BYTES, "each time again" },
	{ "read_bytes", "read", UNIT_BYTES, "by read and its kin, of whatever; between samples by proportion" },
	{ "write_bytes", "written", UNIT_BYTES, "by write and its kin; between samples by proportion" },
	{ "border_ns", "borders off by", UNIT_NS,
	  "what happened within so much of a border may be counted on its other side" },
	{ "how", "how", UNIT_TEXT, "what tells that it begins and ends there" },
};

static const struct column function_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT,
	  "its own, or that of the process that it works for; missing: known of no phase" },
	{ "framework", "framework", UNIT_TEXT, "of the calling library, else the process's engine" },
	{ "layer", "layer", UNIT_TEXT, "runtime, driver, gpu, nccl, blas, dnn, openmp, heap, map, ..." },
	{ "library", "library", UNIT_TEXT, "the caller" },
	{ "function", "function", UNIT_TEXT, "as exported" },
	{ "kind", "kind", UNIT_TEXT, "as in breakdown" },
	{ "waiting", "waits", UNIT_ID, "1: its time is waiting, not work" },
	{ "calls", "calls", UNIT_COUNT, "that are events: outermost, above thresholds" },
	{ "outer_ns", "outermost", UNIT_NS, "their time" },
	{ "nested_ns", "nested", UNIT_NS, "the part of it spent in other calls of the table" },
	{ "self_ns", "own", UNIT_NS,
	  "of all calls, nested ones too, less that of calls nested in them: over all phases as in breakdown" },
	{ "self_error_ns", "own off by", UNIT_NS,
	  "at most: by phase the time of all nested calls is known, not which function's" },
	{ "mean_ns", "mean", UNIT_NS, "" },
	{ "bytes", "bytes", UNIT_BYTES, "moved or allocated" },
	{ "share", "share", UNIT_FRACTION,
	  "of the summed outermost time of its layer in its process and phase" },
};

/* ---- counters that are read now and then ---- */

typedef uint64_t (*counter_fn)(const struct rhythm_sample *s);

static uint64_t cpu_of(const struct rhythm_sample *s)
{
	return s->cpu;
}

static uint64_t allocations_of(const struct rhythm_sample *s)
{
	return s->allocations;
}

static uint64_t allocated_of(const struct rhythm_sample *s)
{
	return s->allocated;
}

static uint64_t read_of(const struct rhythm_sample *s)
{
	return s->read_bytes;
}

static uint64_t written_of(const struct rhythm_sample *s)
{
	return s->write_bytes;
}

/* The first reading that is not before `at`; sample_count: none. */
static size_t sample_at(const struct rhythm *r, int64_t at)
{
	return FIRST_FROM(r->samples, r->sample_count, at, at);
}

/* By proportion between two readings, from `first` on; *error: how far they are apart, ns. */
static uint64_t counter_at(const struct process *p, counter_fn counter, uint64_t first, int64_t at, int64_t *error)
{
	const struct rhythm *r = &p->rhythm;
	size_t next = sample_at(r, at);
	int64_t from = next ? r->samples[next - 1].at : p->begin;
	uint64_t low = next ? counter(&r->samples[next - 1]) : first, high;

	if (next == r->sample_count || from == UNKNOWN || from >= at)
		return low;
	high = counter(&r->samples[next]);
	if (r->samples[next].at - from > *error)
		*error = r->samples[next].at - from;
	if (high <= low)
		return low;
	return low + (uint64_t)((double)(high - low) * (double)(at - from) /
				(double)(r->samples[next].at - from));
}

/* In each of the phases; all that is known of it is in one. */
static void by_phase(const struct phases *ph, const struct process *p, counter_fn counter, uint64_t first,
		     uint64_t *counts, int64_t *error)
{
	const struct rhythm *r = &p->rhythm;
	uint64_t before = 0;

	for (size_t i = 0; i < ph->count; i++) {
		uint64_t until = i + 1 < ph->count ? counter_at(p, counter, first, ph->list[i].end, error) :
				 r->sample_count ? counter(&r->samples[r->sample_count - 1]) : 0;

		counts[i] = until > before ? until - before : 0;
		before = until > before ? until : before;
	}
}

/* ---- CPU time outside of the phases: while it is loaded, before it can say so, and after its last word ---- */

/* Has it made a thread by then? */
static bool is_parallel(const struct process *p, int64_t at)
{
	for (const struct thread *thread = p->threads; thread; thread = thread->sibling)
		if (!thread->first_thread && (thread->begin == UNKNOWN || thread->begin < at))
			return true;
	return false;
}

/* What it must have used before it began, since its cores cannot have done it until the first reading. */
static uint64_t cpu_before(const struct process *p)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	const struct rhythm_sample *first = p->rhythm.samples;
	uint64_t most;

	if (!p->rhythm.sample_count || p->begin == UNKNOWN)
		return 0;
	most = (uint64_t)(first->at > p->begin ? first->at - p->begin : 0) *
	       (is_parallel(p, first->at) && m && m->cpus ? m->cpus : 1);
	return first->cpu > most ? first->cpu - most : 0;
}

/* When its CPU time was first read to be what it has been in the end; UNKNOWN: it was not read. */
static int64_t cpu_until(const struct process *p)
{
	const struct rhythm *r = &p->rhythm;
	size_t i = r->sample_count;

	while (i > 1 && r->samples[i - 2].cpu >= r->samples[r->sample_count - 1].cpu)
		i--;
	return i ? r->samples[i - 1].at : UNKNOWN;
}

/* The time in which a phase's CPU time was used, ns: what came before its begin was by one thread. */
static double cpu_span(const struct phases *ph, const struct process *p, size_t i, uint64_t before)
{
	double span = (double)(ph->list[i].end - ph->list[i].begin) + (i ? 0 : (double)before);
	int64_t until = i + 1 == ph->count ? cpu_until(p) : UNKNOWN;

	return until != UNKNOWN && until > ph->list[i].end ? span + (double)(until - ph->list[i].end) : span;
}

/* ---- the table phases ---- */

struct counts {
	uint64_t cpu[PHASES_MAX], allocations[PHASES_MAX], allocated[PHASES_MAX];
	double cpu_span[PHASES_MAX];	/* ns */
	uint64_t read[PHASES_MAX], written[PHASES_MAX];
	uint64_t threads[PHASES_MAX], children[PHASES_MAX], packages[PHASES_MAX];
	struct slice files[PHASES_MAX], work[PHASES_MAX];	/* work: of the GPU */
	struct slice heap[PHASES_MAX], map[PHASES_MAX], gpu[PHASES_MAX], compute[PHASES_MAX];
	int64_t error;		/* ns */
};

/* Which sum a layer's calls go into; NULL: none. */
static struct slice *sum_of(struct counts *c, const char *layer)
{
	static const struct { const char *layer; size_t offset; } sums[] = {
		{ "heap", offsetof(struct counts, heap) }, { "map", offsetof(struct counts, map) },
		{ "runtime", offsetof(struct counts, gpu) }, { "driver", offsetof(struct counts, gpu) },
		{ "opencl", offsetof(struct counts, gpu) }, { "blas", offsetof(struct counts, compute) },
		{ "dnn", offsetof(struct counts, compute) }, { "openmp", offsetof(struct counts, compute) },
		{ "gpu", offsetof(struct counts, work) },
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!strcmp(sums[i].layer, layer))
			return (struct slice *)((char *)c + sums[i].offset);
	return NULL;
}

static void count_calls(const struct phases *ph, const struct process *p, struct counts *c)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		struct slice *sum = sum_of(c, profile_names(p, f)->layer), one[PHASES_MAX];
		int64_t width = sum ? phases_slices(ph, &f->slices, one) : 0;

		c->error = width > c->error ? width : c->error;
		for (size_t k = 0; width && k < ph->count; k++) {
			sum[k].calls += one[k].calls;
			sum[k].outer += one[k].outer;
		}
	}
}

static void count_files(const struct phases *ph, const struct process *p, struct counts *c)
{
	int64_t width = phases_slices(ph, &p->input.slices, c->files);

	c->error = width > c->error ? width : c->error;
	for (size_t i = 0; i < p->package_count; i++)
		c->packages[phase_at(ph, p->packages[i].t) - ph->list]++;
}

static void count_begun(const struct phases *ph, const struct process *p, struct counts *c)
{
	const struct trace *t = p->trace;

	for (const struct thread *thread = p->threads; thread; thread = thread->sibling)
		if (!thread->first_thread && thread->begin != UNKNOWN)
			c->threads[phase_at(ph, thread->begin) - ph->list]++;
	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *child = t->processes[i];

		if (child->begin != UNKNOWN && child->begin >= p->begin && !child->merged &&
		    process_descends(child, p) && phases_own(phases_around(child), p))
			c->children[phase_at(ph, child->begin) - ph->list]++;
	}
}

static void set_counts(struct table *t, const struct counts *c, size_t i, const struct process *p)
{
	uint64_t all = p->sample.allocations;

	if (p->rhythm.sample_count) {
		table_set_uint(t, "cpu_ns", c->cpu[i]);
		table_set_real(t, "cpu_cores", (double)c->cpu[i] / c->cpu_span[i]);
		table_set_uint(t, "read_bytes", c->read[i]);
		table_set_uint(t, "write_bytes", c->written[i]);
	}
	if (p->rhythm.sample_count && p->heap_cover == 0) {
		table_set_uint(t, "heap_calls", c->allocations[i]);
		table_set_uint(t, "heap_bytes", c->allocated[i]);
		if (all)
			table_set_real(t, "heap_share", (double)c->allocations[i] / (double)all);
	}
	table_set_uint(t, "large_blocks", c->heap[i].calls);
	table_set_uint(t, "mappings", c->map[i].calls);
	table_set_uint(t, "threads", c->threads[i]);
	table_set_uint(t, "children", c->children[i]);
	table_set_uint(t, "gpu_calls", c->gpu[i].calls);
	table_set_uint(t, "gpu_ns", c->gpu[i].outer);
	table_set_uint(t, "compute_calls", c->compute[i].calls);
	table_set_uint(t, "compute_ns", c->compute[i].outer);
	table_set_uint(t, "gpu_runs", c->work[i].calls);
	table_set_uint(t, "gpu_run_ns", c->work[i].outer);
	table_set_uint(t, "packages", c->packages[i]);
	table_set_uint(t, "file_opens", c->files[i].calls);
	table_set_uint(t, "file_bytes", c->files[i].bytes);
	table_set_int(t, "border_ns", c->error);
}

static void set_peaks(struct table *t, const struct phases *ph, size_t i, const struct process *p)
{
	struct phase_level heap = phase_level(ph, i, &p->curves[CURVE_HEAP]);
	struct phase_level gpu = phase_level(ph, i, &p->curves[CURVE_GPU]);

	if (heap.peak.t != UNKNOWN && p->heap_cover == 0)
		table_set_int(t, "heap_peak_bytes", heap.peak.value);
	if (gpu.peak.t != UNKNOWN)
		table_set_int(t, "gpu_peak_bytes", gpu.peak.value);
}

static void add(const struct process *p, struct table *t)
{
	const struct phases *ph = phases_around(p);
	uint64_t before = cpu_before(p);
	struct counts c = { .error = 0 };

	if (!phases_own(ph, p))
		return;
	by_phase(ph, p, cpu_of, before, c.cpu, &c.error);
	by_phase(ph, p, allocations_of, 0, c.allocations, &c.error);
	by_phase(ph, p, allocated_of, 0, c.allocated, &c.error);
	by_phase(ph, p, read_of, 0, c.read, &c.error);
	by_phase(ph, p, written_of, 0, c.written, &c.error);
	count_calls(ph, p, &c);
	count_files(ph, p, &c);
	count_begun(ph, p, &c);
	for (size_t i = 0; i < ph->count; i++) {
		const struct phase *one = &ph->list[i];
		int64_t duration = one->end - one->begin, life = ph->list[ph->count - 1].end - ph->list[0].begin;

		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_text(t, "phase", one->name);
		table_set_int(t, "begin_ns", one->begin);
		table_set_int(t, "end_ns", one->end);
		table_set_int(t, "duration_ns", duration);
		if (process_iterations(p)->how)
			table_set_uint(t, "iterations", one->iterations);
		c.cpu_span[i] = cpu_span(ph, p, i, before);
		table_set_text(t, "how", one->how);
		table_set_real(t, "share", (double)duration / (double)life);
		set_counts(t, &c, i, p);
		set_peaks(t, ph, i, p);
	}
}

void run_phases(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "phases", "Phases", COLUMNS(columns)), add);
}

/* ---- the table phase_functions ---- */

/* Outermost time in each phase. */
static bool outermost(const struct process *p, const struct profile *f, uint64_t n[LAYER_WORDS])
{
	const struct phases *ph = phases_around(p);
	struct slice sums[PHASES_MAX];

	phases_slices(ph, &f->slices, sums);
	for (size_t i = 0; i < ph->count; i++)
		n[i] = sums[i].outer;
	return true;
}

static void add_function(struct table *t, const struct process *p, const struct breakdown_row *row,
			 const char *phase, const struct slice *s)
{
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	set_text(t, "phase", phase);
	breakdown_names(t, row);
	table_set_uint(t, "calls", s->calls);
	table_set_uint(t, "bytes", s->bytes);
}

static void set_times(struct table *t, const struct slice *s, uint64_t layer)
{
	if (!s->outer)
		return;
	table_set_uint(t, "outer_ns", s->outer);
	table_set_uint(t, "nested_ns", s->nested);
	table_set_real(t, "mean_ns", (double)s->outer / (double)s->calls);
	if (layer)
		table_set_real(t, "share", (double)s->outer / (double)layer);
}

static void add_by_phase(struct table *t, const struct process *p, const struct breakdown_row *row,
			 const struct slice *sums, const struct self_time *self, const uint64_t *layer)
{
	static const struct slice none;
	const struct phases *ph = phases_around(p);

	for (size_t k = 0; k < ph->count; k++) {
		if (!sums[k].calls && !self->phase[k])
			continue;
		add_function(t, p, row, ph->list[k].name, &sums[k]);
		set_times(t, &sums[k], layer[k]);
		if (!self->whole)
			continue;
		table_set_uint(t, "self_ns", self->phase[k]);
		table_set_uint(t, "self_error_ns", self->error[k]);
	}
	if (!self->elsewhere)
		return;
	add_function(t, p, row, "", &none);
	table_set_uint(t, "self_ns", self->elsewhere);
}

static void add_functions(const struct process *p, struct table *t)
{
	const struct phases *ph = phases_around(p);
	const char *engine = process_engine(p);
	struct self_time *times;
	struct layers layers;

	if (!ph->count)
		return;
	layers = layers_sum(p, outermost);
	times = self_times(p);
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		struct slice sums[PHASES_MAX];
		struct breakdown_row row;

		if (!profile_named(p, engine, f, &row))
			continue;
		phases_slices(ph, &f->slices, sums);
		add_by_phase(t, p, &row, sums, &times[i], layers_get(&layers, row.layer));
	}
	free(times);
	layers_release(&layers);
}

void run_phase_functions(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "phase_functions", "Calls by phase", COLUMNS(function_columns));

	each_process(m, t, add_functions);
	table_sort_falling(t, "outer_ns");
}

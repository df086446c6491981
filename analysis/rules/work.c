/* SPDX-License-Identifier: MIT */
/* When a process worked, what it waited for, how busy its GPU and its threads were. */
#include "analysis/rules/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/layers.h"
#include "analysis/model/gpu.h"
#include "analysis/model/memory.h"
#include "analysis/phases.h"

#define STEADY_LEAST	   200000000 /* ns: two whole slices of a tally lie in it */
#define SAMPLES_LEAST	   10
#define SAMPLES_PER_SECOND 4 /* at the level summary threads are sampled far less often */

static bool is_work(const struct profile *f, const struct function *fn)
{
	return f->timed && !f->work && f->begin != UNKNOWN &&
	       (!strcmp(fn->kind, "compute") || !strcmp(fn->kind, "launch"));
}

bool work_span(const struct process *p, struct span *s)
{
	*s = (struct span){INT64_MAX, INT64_MIN};
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		if (!is_work(f, profile_names(p, f)))
			continue;
		s->begin = f->begin < s->begin ? f->begin : s->begin;
		s->end = f->end > s->end ? f->end : s->end;
	}
	return s->end > s->begin && span_length(*s) >= WORK_LEAST;
}

static bool steady_phase(const struct report *r, const struct process *p, struct span *s)
{
	const struct table *t = report_table(r, "phases");

	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *begin = table_get(t, row, "begin_ns"),
				  *end = table_get(t, row, "end_ns");

		if (cell_real(table_get(t, row, "process")) != (double)p->report_id ||
		    strcmp(cell_text(table_get(t, row, "phase")), "steady") ||
		    begin->type != CELL_INT || end->type != CELL_INT)
			continue;
		*s = (struct span){begin->i, end->i};
		return s->end > s->begin && span_length(*s) >= WORK_LEAST;
	}
	return false;
}

bool steady_span(const struct findings *f, const struct process *p, struct span *s)
{
	if (steady_phase(findings_report(f), p, s))
		return true;
	if (!work_span(p, s))
		return false;
	s->begin += (s->end - s->begin) / 3;
	return span_length(*s) >= WORK_LEAST;
}

/* Between device and device nobody has pinned memory, or waits. */
static bool is_host_copy(const struct function *fn)
{
	return !strcmp(fn->kind, "copy") && strstr(fn->name, "emcpy") &&
	       !strstr(fn->name, "DtoD") && !strstr(fn->name, "Peer");
}

static bool is_use(const struct function *fn, enum gpu_use use)
{
	if (!layer_is_gpu(fn->layer))
		return false;
	return use == USE_WAIT ? function_waits(fn)
	       : use == USE_COPY ? is_host_copy(fn) : !strcmp(fn->kind, "launch");
}

/* Without the first call where that is most of it. */
static uint64_t steady_time(const struct process *p, const struct profile *f)
{
	const struct sums *s = profile_counts(p, f);
	uint64_t first = s == f->exact ? f->exact_first : f->events_first;

	return first > s->outer_total / 2
		       ? s->outer_total - (first < s->outer_total ? first : s->outer_total)
		       : s->outer_total;
}

struct gpu_calls gpu_calls(const struct process *p)
{
	struct gpu_calls g = {0};
	uint64_t longest = 0;

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct function *fn = profile_names(p, f);
		const struct sums *s = profile_counts(p, f);
		uint64_t time = steady_time(p, f);

		if (!f->timed || f->work || !s->outer_calls)
			continue;
		if (is_use(fn, USE_LAUNCH)) {
			g.launches += s->outer_calls;
			g.launch_ns += time;
		}
		if (is_use(fn, USE_COPY)) {
			g.copies += s->outer_calls;
			g.copy_ns += time;
			g.bytes += s->bytes;
		}
		if (!is_use(fn, USE_WAIT))
			continue;
		g.waits += s->outer_calls;
		g.wait_ns += time;
		if (time > longest) {
			longest = time;
			g.longest_wait = f;
		}
	}
	return g;
}

static bool is_use_beat(const struct process *p, const struct beat *b, enum gpu_use use)
{
	return (b->kind == BEAT_CUDA || b->kind == BEAT_LAUNCH) && is_use(process_function(p, b->function), use);
}

struct spent {
	uint32_t thread;
	double time; /* in units of a tick's */
};

static double time_of(const struct beat *b)
{
	double time = 0;

	for (uint32_t i = 0; i < b->used; i++)
		time += b->ticks[i].time;
	return time;
}

double gpu_longest(const struct process *p, enum gpu_use use, size_t *threads)
{
	struct spent *by = xcalloc(p->rhythm.count + 1, sizeof(*by));
	double all = 0, most = 0;
	size_t count = 0, k;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		double time;

		if (!is_use_beat(p, b, use))
			continue;
		for (k = 0; k < count && by[k].thread != b->thread;)
			k++;
		count += k == count;
		by[k].thread = b->thread;
		time = time_of(b);
		by[k].time += time;
		all += time;
		most = by[k].time > most ? by[k].time : most;
	}
	free(by);
	*threads = count;
	return all > 0 ? most / all : 1;
}

/* Slices whose middle lies in the span, as phases have them. */
static struct slice slices_in(const struct tally *t, struct span s)
{
	int64_t half = t->count ? (int64_t)(1ULL << t->shift) / 2 : 0;
	uint64_t n[TALLY_WORDS];

	tally_sum(t, s.begin - half, s.end - half, n);
	return (struct slice){n[0], n[1], n[2], n[3]};
}

static const struct gpu_device *busiest_device(const struct process *p)
{
	const struct gpu_device *best = NULL;

	for (size_t i = 0; p->gpu && !p->gpu->gap_count && i < p->gpu->device_count; i++) {
		const struct gpu_device *d = &p->gpu->devices[i];

		if (d->end > d->begin && (!best || d->busy > best->busy))
			best = d;
	}
	return best;
}

static double busy_by_cupti(const struct process *p, struct span s)
{
	const struct gpu_device *d = busiest_device(p);

	return d && s.end > s.begin ? fmin(1, (double)slices_in(&d->slices, s).nested / span_length(s)) : -1;
}

/* Mean of what NVML said within the span; it has no idea whose work it is. */
static double busy_by_nvml(const struct gpu *g, struct span s)
{
	uint64_t n;
	double mean = curve_mean(&g->utilisation, s.begin, s.end, &n);

	return n >= SAMPLES_LEAST && !isnan(mean) ? mean / 100 : -1;
}

double gpu_busy(const struct process *p, struct span s, bool *exact)
{
	const struct trace *t = p->trace;
	double busy = busy_by_cupti(p, s), most = -1;

	*exact = busy >= 0;
	if (*exact)
		return busy;
	/* Which of several is the process's own is not said: the busiest, so that none is blamed
	 * wrongly. */
	for (size_t i = 0; i < t->gpu_count; i++) {
		busy = busy_by_nvml(&t->gpus[i], s);
		most = busy > most ? busy : most;
	}
	return most;
}

static double mean_kernel(const struct process *p, struct span s)
{
	uint64_t runs = 0, time = 0;

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		struct slice in;

		if (!f->work || strcmp(f->work->kind, "compute"))
			continue;
		in = slices_in(&f->slices, s);
		runs += in.calls;
		time += in.outer;
	}
	return runs ? (double)time / (double)runs : 0;
}

/* Totals know of all launches, and the rhythm of when. */
static double launches_in(const struct process *p, struct span s)
{
	double all = 0, in = 0;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		if (!is_use_beat(p, b, USE_LAUNCH))
			continue;
		for (uint32_t k = 0; k < b->used; k++) {
			all += b->ticks[k].count;
			in += b->ticks[k].at >= s.begin && b->ticks[k].at < s.end ? b->ticks[k].count : 0;
		}
	}
	return all > 0 ? in / all : 1;
}

/* Of a slice that a border divides nobody knows what lies on which side. */
static struct span whole_slices(const struct process *p, struct span s)
{
	const struct gpu_device *d = busiest_device(p);
	int64_t width = d && d->slices.count ? (int64_t)(1ULL << d->slices.shift) : 1;

	return (struct span){(s.begin + width - 1) / width * width, s.end / width * width};
}

static void look_at_gpu(const struct process *p, struct gpu_span *s)
{
	struct gpu_calls g = gpu_calls(p);
	struct span whole = s->iterations ? whole_slices(p, s->span) : s->span;
	double part = s->iterations ? launches_in(p, s->span) : 1, idle;

	s->busy = gpu_busy(p, whole, &s->exact);
	s->launches = part * (double)g.launches;
	s->launch_ns = part * (double)g.launch_ns;
	s->kernel_ns = mean_kernel(p, s->span);
	idle = (1 - s->busy) * span_length(whole);
	s->pauses = s->exact ? fmin(1, (double)slices_in(&busiest_device(p)->pauses, whole).outer / fmax(1, idle)) : -1;
}

bool gpu_span(const struct process *p, struct gpu_span *s)
{
	const struct phases *ph = phases_around(p);

	*s = (struct gpu_span){.iterations = 0};
	for (size_t i = 0; i < ph->count; i++)
		if (ph->list[i].id == PHASE_STEADY && ph->list[i].iterations) {
			s->span = (struct span){ph->list[i].begin, ph->list[i].end};
			s->iterations = ph->list[i].iterations;
		}
	if (!s->iterations && !work_span(p, &s->span))
		return false;
	look_at_gpu(p, s);
	return span_length(s->span) >= (s->exact ? STEADY_LEAST : WORK_LEAST);
}

static double mean_threads(const struct process *p, struct span s, unsigned word)
{
	uint64_t n[TALLY_WORDS];

	tally_sum(&p->load.threads, s.begin, s.end, n);
	if (n[LOAD_SAMPLES] < SAMPLES_LEAST ||
	    (double)n[LOAD_SAMPLES] * 1e9 < SAMPLES_PER_SECOND * span_length(s))
		return -1;
	return (double)n[word] / (double)n[LOAD_SAMPLES];
}

double threads_active(const struct process *p, struct span s)
{
	return mean_threads(p, s, LOAD_ACTIVE);
}

double threads_on_disk(const struct process *p, struct span s)
{
	return mean_threads(p, s, LOAD_DISK);
}

double cores_used(const struct process *p, struct span s)
{
	double length = span_length(s);

	return length > 0 ? (double)load_risen(p, &p->load.cpu, s.begin, s.end) / length : 0;
}

double cores_allowed(const struct process *p)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	double limit = m && m->cgroup_cpu ? (double)m->cgroup_cpu / 1000 : 0;

	if (!m || !m->cpus)
		return 0;
	return limit > 0 && limit < m->cpus ? limit : m->cpus;
}

bool is_worker(const struct process *p, const struct process *parent, struct span s)
{
	int64_t begin = p->begin > s.begin ? p->begin : s.begin;
	int64_t end = p->end != UNKNOWN && p->end < s.end ? p->end : s.end;

	return p->parent == parent && p->reason == 1 && process_shown(p) && p->begin != UNKNOWN &&
	       (double)(end - begin) >= span_length(s) / 4;
}

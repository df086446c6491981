/* SPDX-License-Identifier: MIT */
/* dltrace_sample: curves of processes and machines, totals of functions, what is in flight. */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/images.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"

/* A rate over less than this is noise: the time is added to the next interval. */
#define RATE_INTERVAL 5000000	/* ns */
/*
 * The run's curves are drawn by rounds, each process once, so that a sum never mixes one's new
 * value with another's old one. Processes that are sampled in turn are sampled within this.
 */
#define ROUND_INTERVAL 30000000	/* ns */

static int64_t when(const struct trace *t, int64_t at, uint64_t monotonic)
{
	return monotonic ? trace_monotonic(t, monotonic) : at;
}

/*
 * CPU time of an interval (ns). The kernel counts in ticks for some clocks, so an interval can seem
 * to hold more than the machine has: what is too much goes to the next one, and the sum stays right.
 */
static uint64_t possible_cpu(uint64_t used, uint32_t cpus, int64_t interval, uint64_t *carry)
{
	uint64_t most = cpus ? cpus * (uint64_t)interval : UINT64_MAX;

	used += *carry;
	*carry = used > most ? used - most : 0;
	return used - *carry;
}

/* CPU time since the last rate, as cores. */
static void cpu_rate(struct process *p, int64_t at, uint64_t cpu)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	struct process_now *now = &p->now;
	int64_t since = now->cpu_at != UNKNOWN ? now->cpu_at : p->from_start ? p->begin : UNKNOWN;
	uint64_t used;

	if (since == UNKNOWN) {
		now->cpu_at = at;
		now->cpu = cpu;
		return;
	}
	if (at - since < RATE_INTERVAL)
		return;
	used = possible_cpu(cpu > now->cpu ? cpu - now->cpu : 0, m ? m->cpus : 0, at - since, &now->cpu_carry);
	now->cpu = cpu;
	now->cpu_at = at;
	now->cpu_rate = (int64_t)((u128)used * CPU_UNIT / (u128)(at - since));
	trace_rate(p->trace, &p->curves[CURVE_CPU], since, at, now->cpu_rate);
}

/* What the run used since its last point; each process counts from its begin, or its first sample. */
static void run_cpu(struct process *p, int64_t at, uint64_t cpu)
{
	struct process_now *now = &p->now;
	struct trace *t = p->trace;

	if (!now->cpu_known) {
		now->cpu_known = true;
		now->cpu_run = p->from_start ? 0 : cpu;
		if (t->cpu_at == UNKNOWN)
			t->cpu_at = p->from_start && p->begin != UNKNOWN ? p->begin : at;
	}
	if (cpu > now->cpu_run && process_shown(p))
		t->cpu_used += cpu - now->cpu_run;
	if (cpu > now->cpu_run)
		now->cpu_run = cpu;
}

/*
 * Processes are read one after another, and the kernel counts in ticks: the sum of their rates can
 * be more than the machine has. What the run used since its last point cannot.
 */
static void run_cpu_point(struct trace *t, int64_t at)
{
	int64_t since = t->cpu_at != UNKNOWN ? at - t->cpu_at : 0;
	uint64_t used, cpus = 0;

	if (since < RATE_INTERVAL)
		return;
	for (size_t i = 0; i < t->machine_count; i++)
		cpus += t->machines[i].cpus;
	used = possible_cpu(t->cpu_used, (uint32_t)cpus, since, &t->cpu_carry);
	trace_rate(t, &t->curves[RUN_CPU], t->cpu_at, at, (int64_t)((u128)used * CPU_UNIT / (u128)since));
	t->cpu_used = 0;
	t->cpu_at = at;
	t->cpu_interval = since;
}

/*
 * A round of a new process alone, or of one that ends, knows not what the others used: it waits for
 * theirs, but not for longer than the last interval (one of them may never be read again). One that
 * leaves nobody waits for the last reading, which comes after the end and tells what was used until then.
 */
static void run_cpu_round(struct trace *t, bool any, bool whole)
{
	if (!any)
		t->cpu_end = t->round_at;
	else if (whole || t->cpu_at == UNKNOWN || t->round_at - t->cpu_at >= t->cpu_interval)
		run_cpu_point(t, t->round_at);
}

/* What those who ended last have used in all is known now, if it ever will be. */
static void run_cpu_ends(struct trace *t)
{
	if (t->cpu_end == UNKNOWN)
		return;
	run_cpu_point(t, t->cpu_end);
	trace_rate(t, &t->curves[RUN_CPU], t->cpu_end, t->cpu_end, 0);
	t->cpu_end = UNKNOWN;
}

static int64_t heap_live(const struct process *p, const struct dlt_ev_sample_process *e)
{
	return (int64_t)(p->inherited_bytes + e->allocated - e->freed);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The last reading of a process that is gone has no /proc any more: what was known stays. */
static void keep_last(struct process *p, const struct dlt_ev_sample_process *e)
{
	struct dlt_ev_sample_process was = p->sample, *s = &p->sample;

	*s = *e;
	if (!e->final || !p->now.sampled)
		return;
	s->user = larger(e->user, was.user);
	s->system = larger(e->system, was.system);
	s->minor_faults = larger(e->minor_faults, was.minor_faults);
	s->major_faults = larger(e->major_faults, was.major_faults);
	s->voluntary = larger(e->voluntary, was.voluntary);
	s->involuntary = larger(e->involuntary, was.involuntary);
	s->read_bytes = larger(e->read_bytes, was.read_bytes);
	s->write_bytes = larger(e->write_bytes, was.write_bytes);
	s->allocated = larger(e->allocated, was.allocated);
	s->freed = larger(e->freed, was.freed);
	s->allocations = larger(e->allocations, was.allocations);
	s->frees = larger(e->frees, was.frees);
	s->heap_peak = larger(e->heap_peak, was.heap_peak);
	s->events = larger(e->events, was.events);
}

static void memory_points(struct process *p, int64_t at, const struct dlt_ev_sample_process *e)
{
	uint64_t all = e->rss_anon + e->rss_file + e->rss_shmem;

	if (all > p->rss_seen)
		p->rss_seen = all;
	process_point(p, CURVE_ANON, at, p->ram.anon);
	process_point(p, CURVE_FILE, at, (int64_t)e->rss_file);
	process_point(p, CURVE_SHMEM, at, p->ram.shmem);
	if (e->pss)
		process_point(p, CURVE_PSS, at, (int64_t)e->pss);
	process_point(p, CURVE_MAPPED, at, p->now.mapped);
}

/* What changes by events is summed over the run at each change, not by rounds. */
static void run_level(struct process *p, enum run_curve_id id, int64_t at, int64_t value)
{
	struct trace *t = p->trace;

	if (value == p->now.level[id] || !process_shown(p))
		return;
	t->level_now[id] += value - p->now.level[id];
	p->now.level[id] = value;
	trace_point(t, &t->curves[id], at, t->level_now[id]);
}

void process_gpu_changed(struct process *p, int64_t at)
{
	process_point(p, CURVE_GPU, at, p->now.gpu);
	process_point(p, CURVE_PINNED, at, p->now.pinned);
	run_level(p, RUN_GPU, at, p->now.gpu);
	run_level(p, RUN_PINNED, at, p->now.pinned);
}

static void emitted(struct process *p, const struct dlt_ev_sample_process *e)
{
	uint64_t unread = e->events > p->read ? e->events - p->read : 0;

	/*
	 * The trace begins in the middle: what was emitted before is not missing. It is no more than is unread at any
	 * reading: some of that may still come, which threads and black boxes hold back.
	 */
	if (!p->from_start && (!p->emitted_based || unread < p->emitted_base)) {
		p->emitted_base = unread;
		p->emitted_based = true;
	}
	if (e->final) {
		p->emitted = larger(p->emitted, e->events);
		p->emitted_known = true;
	}
}

static void rhythm(struct process *p, int64_t at)
{
	const struct dlt_ev_sample_process *s = &p->sample;
	const struct rhythm_sample sample = {
		.at = at, .cpu = s->user + s->system, .minor_faults = s->minor_faults,
		.major_faults = s->major_faults, .voluntary = s->voluntary,
		.involuntary = s->involuntary, .read_bytes = s->read_bytes,
		.write_bytes = s->write_bytes,
		.allocations = s->allocations, .allocated = s->allocated,
	};

	rhythm_sample(&p->rhythm, &sample);
}

static void on_process_sample(struct trace *t, int64_t event_at, const void *data)
{
	const struct dlt_ev_sample_process *said = data;
	struct process *p = trace_process_make(t, said->process);
	const struct dlt_ev_sample_process own = image_counts(p, said), *e = &own;
	int64_t at = when(t, event_at, e->time);

	if ((p->now.sampled && p->now.round == t->round) ||
	    (t->round_begin != UNKNOWN && at - t->round_begin > ROUND_INTERVAL))
		trace_round(t);
	if (!e->final) {
		run_cpu_ends(t);
		if (t->round_begin == UNKNOWN)
			t->round_begin = at;
		p->now.round = t->round;
		if (at > t->round_at)
			t->round_at = at;
	}
	process_lives(p);
	keep_last(p, e);
	rhythm(p, at);
	checked_sample(&p->checked, e, event_at, at);
	load_process(p, at, e);
	p->sample_at = at;
	if (e->user || e->system) {
		run_cpu(p, at, e->user + e->system);
		cpu_rate(p, at, e->user + e->system);
	}
	p->now.heap = heap_live(p, e);
	p->now.mapped = (int64_t)e->mapped;
	process_point(p, CURVE_HEAP, at, p->now.heap);
	gpu_memory_sample(p, at, e);
	ram_sample(p, at, e);
	if (!e->final || e->rss_anon)
		memory_points(p, at, e);
	if (!p->now.gone && !e->final)
		curve_add(&p->threads_sampled, p->trace->model->options.points / 2, at, e->threads);
	emitted(p, e);
	p->now.sampled = true;
	if (e->final) {
		p->final_seen = true;
		process_ended(p, at);
	}
}

/* ---- who lives ---- */

void process_lives(struct process *p)
{
	struct trace *t = p->trace;

	if (p->now.alive || p->now.gone)
		return;
	p->now.alive = true;
	p->next_alive = t->alive;
	if (t->alive)
		t->alive->alive_at = &p->next_alive;
	p->alive_at = &t->alive;
	t->alive = p;
}

static void process_leaves(struct process *p)
{
	if (!p->now.alive)
		return;
	p->now.alive = false;
	*p->alive_at = p->next_alive;
	if (p->next_alive)
		p->next_alive->alive_at = p->alive_at;
}

void process_ended(struct process *p, int64_t at)
{
	struct trace *t = p->trace;

	if (p->end == UNKNOWN)
		p->end = at;
	if (p->now.gone)
		return;
	/* Once with it, if it was sampled since the last round, and once without. */
	if (p->now.sampled && p->now.round == t->round)
		trace_round(t);
	p->now.gone = true;
	gpu_memory_ended(p, at);
	for (int id = 0; id < RUN_CURVES; id++)
		run_level(p, (enum run_curve_id)id, at, 0);
	ram_gone(p, at);
	if (!p->now.sampled) {
		process_leaves(p);
		return;
	}
	if (at > t->round_at)
		t->round_at = at;
	trace_round(t);
}

void process_returned(struct process *p, int64_t at)
{
	if (!p->now.gone)
		return;
	ram_returned(p, at);
	p->now.gone = false;
	p->end = UNKNOWN;
	process_lives(p);
	process_gpu_changed(p, at);
}

/* ---- sums over the run ---- */

static void unlink_gone(struct trace *t)
{
	for (struct process *p = t->alive, *next; p; p = next) {
		next = p->next_alive;
		if (p->now.gone)
			process_leaves(p);
	}
}

void trace_round(struct trace *t)
{
	int64_t mapped = 0;
	bool any = false, whole = true;

	unlink_gone(t);
	ram_round(t);
	for (struct process *p = t->alive; p; p = p->next_alive) {
		if (!process_counts(p))
			continue;
		any = true;
		whole &= p->now.round == t->round;
		mapped += p->now.mapped;
	}
	run_cpu_round(t, any, whole);
	trace_point(t, &t->curves[RUN_HEAP], t->round_at, ram_heap(t));
	trace_point(t, &t->curves[RUN_MAPPED], t->round_at, mapped);
	t->round++;
	t->round_begin = UNKNOWN;
}

void trace_rounds_end(struct trace *t)
{
	trace_round(t);
	run_cpu_ends(t);
}

/* ---- threads, totals, the machine ---- */

static void on_thread_sample(struct trace *t, int64_t at, const void *data)
{
	struct dlt_ev_sample_thread own = *(const struct dlt_ev_sample_thread *)data, *e = &own;
	struct thread *thread = trace_thread_make(t, e->thread);

	e->cpu = image_cpu(thread, e->cpu);
	load_thread(thread->process, when(t, at, e->time), e);
	if (e->cpu > thread->cpu)
		thread->cpu = e->cpu;
	thread_emitted(thread, e->events);
	thread->in_flight = e->function;
	thread->in_flight_at = when(t, at, e->time);
	thread->in_flight_since = e->function ? trace_monotonic(t, e->since) : UNKNOWN;
}

static void on_totals(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_sample_function *e = data;
	struct process *p = trace_process_make(t, e->process);
	struct profile *f = process_profile(p, e->function, e->library);
	struct sums *s = f->exact;
	uint64_t before[DLT_BUCKETS];

	(void)at;
	if (s && e->calls < s->calls)
		return;		/* an older reading */
	if (!s)
		s = f->exact = xcalloc(1, sizeof(*s));
	/* Totals without a distribution leave the last one standing. */
	memcpy(before, s->buckets, sizeof(before));
	*s = (struct sums){
		.calls = e->calls, .outer_calls = e->outer_calls, .failed = e->failed,
		.total = e->total, .outer_total = e->outer_total, .nested = e->nested,
		.min = e->min, .max = e->max, .bytes = e->bytes, .flops = e->flops,
		.untimed = e->untimed < e->calls ? e->untimed : e->calls,
		.variance = (u128)e->error << DLT_BOX_ERROR_SHIFT,
		.squares = (u128)e->squares_high << 64 | e->squares_low,
	};
	f->exact_first = e->first;
	f->timed = true;
	if (!e->buckets_count)
		memcpy(s->buckets, before, sizeof(before));
	for (uint32_t i = 0; i < e->buckets_count; i++)
		if (e->buckets[i] >> 48 < DLT_BUCKETS)
			s->buckets[e->buckets[i] >> 48] += e->buckets[i] & 0xffffffffffffULL;
}

static struct machine *machine_make(struct trace *t, const char *host)
{
	for (size_t i = 0; i < t->machine_count; i++)
		if (t->machines[i].host == host)
			return &t->machines[i];
	t->machines = xgrow(t->machines, t->machine_count, &t->machine_capacity,
			    sizeof(*t->machines));
	t->machines[t->machine_count] = (struct machine){
		.host = host, .busy_at = UNKNOWN, .busy_from = UNKNOWN,
	};
	return &t->machines[t->machine_count++];
}

/*
 * What the cores were busy since the last reading. One that is offline is not read: it is not known what it did until
 * it went, and when it is back it has all of its time since boot.
 */
static uint64_t cores_risen(struct machine *m, const struct dlt_ev_sample_machine *e)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < m->core_count && i < e->busy_count; i++)
		if (m->cores[i] && e->busy[i] > m->cores[i])
			used += e->busy[i] - m->cores[i];
	if (e->busy_count > m->core_count)
		m->cores = xcheck(reallocarray(m->cores, e->busy_count, sizeof(*m->cores)), e->busy_count);
	m->core_count = e->busy_count;
	memcpy(m->cores, e->busy, e->busy_count * sizeof(*m->cores));
	return used;
}

static void busy(struct trace *t, struct machine *m, int64_t at, const struct dlt_ev_sample_machine *e)
{
	uint64_t used = cores_risen(m, e);

	m->busy += used;
	if (m->busy_at != UNKNOWN) {
		used = possible_cpu(used, m->cpus, at - m->busy_at, &m->busy_carry);
		trace_rate(t, &m->curves[MACHINE_CPU], m->busy_at, at,
			   (int64_t)((u128)used * CPU_UNIT / (u128)(at - m->busy_at)));
	}
	m->busy_at = at;
	if (!trace_in_range(t, at))
		return;
	if (m->busy_from == UNKNOWN) {
		m->busy_first = m->busy;
		m->busy_from = at;
	}
	m->busy_last = m->busy;
	m->busy_to = at;
}

static void on_machine(struct trace *t, int64_t event_at, const void *data)
{
	const struct dlt_ev_sample_machine *e = data;
	struct machine *m = machine_make(t, trace_keep(t, e->host));
	int64_t at = when(t, event_at, e->time);

	m->cpus = e->cpus;
	m->memory = e->memory;
	m->cgroup_limit = e->cgroup_limit;
	m->cgroup_cpu = e->cgroup_cpu;
	m->available = e->available;
	m->cgroup_used = e->cgroup_used;
	if (m->busy_at != UNKNOWN && at - m->busy_at < RATE_INTERVAL)
		return;		/* another process of the same machine tells the same */
	if (e->busy_count)
		busy(t, m, at, e);
	if (e->memory >= e->available)
		trace_point(t, &m->curves[MACHINE_USED], at, (int64_t)(e->memory - e->available));
	trace_point(t, &m->curves[MACHINE_RUNNABLE], at, e->runnable);
	if (e->cgroup_used)
		trace_point(t, &m->curves[MACHINE_CGROUP], at, (int64_t)e->cgroup_used);
}

const event_fn sample_handlers[DLT_EVENTS] = {
	[DLT_EV_SAMPLE_PROCESS] = on_process_sample,
	[DLT_EV_SAMPLE_THREAD] = on_thread_sample,
	[DLT_EV_SAMPLE_FUNCTION] = on_totals,
	[DLT_EV_SAMPLE_MACHINE] = on_machine,
};

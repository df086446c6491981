/* SPDX-License-Identifier: MIT */
/* Rules: threads and cores, workers and who waits for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/model/memory.h"
#include "analysis/phases.h"
#include "analysis/rules/work.h"

/* ---- many threads ---- */

#define GROWS 1.2	/* times as many later as when the pools should be there */
#define STRETCHES 8	/* of the time after that; in so many of them ... */
#define RISES 5		/* ... there are more than ever before: pools come in a few steps, all at a time */
#define MADE_BY 3	/* libraries told */

/*
 * When each library has made its pool: when the work is steady, else at two thirds of its life. A short program
 * imports and compiles for longer than that.
 */
static int64_t pools_made(const struct process *p)
{
	const struct phases *ph = phases_around(p);

	for (size_t i = 0; i < ph->count && phases_own(ph, p); i++)
		if (ph->list[i].id == PHASE_STEADY)
			return ph->list[i].begin;
	return p->begin + (int64_t)(process_life(p) / 3 * 2);
}

static struct curve_value highest(const struct curve *c)
{
	struct curve_value best = {0, 0};

	for (size_t i = 0; i < c->count; i++) {
		struct curve_value points[3];
		size_t count = curve_points(&c->buckets[i], points);

		for (size_t k = 0; k < count; k++)
			best = points[k].value > best.value ? points[k] : best;
	}
	return best;
}

/* Ever more of them, one after the other, for most of the time that is left. */
static bool goes_on_rising(const struct curve *c, int64_t from)
{
	int64_t until = c->count ? c->buckets[c->count - 1].last.t : from, best = curve_at(c, from);
	size_t rises = 0, last = SIZE_MAX;

	if (until - from < WORK_LEAST)
		return false;
	for (size_t i = 0; i < c->count; i++) {
		const struct curve_value *v = &c->buckets[i].max;
		size_t stretch = v->t <= from ? 0 : (size_t)((v->t - from) / ((until - from) / STRETCHES + 1));

		if (v->t <= from || v->value <= best)
			continue;
		best = v->value;
		rises += stretch != last;
		last = stretch;
	}
	return rises >= RISES;
}

struct makers {
	struct maker {
		const char *name;
		size_t threads;
	} *list; /* owned */
	size_t count, capacity;
};

static int by_threads(const void *a, const void *b)
{
	const struct maker *x = a, *y = b;

	return x->threads != y->threads ? (x->threads < y->threads) - (x->threads > y->threads)
					: strcmp(x->name, y->name);
}

/* By the libraries that made those that were there at that time, most first. */
static struct makers makers_at(const struct process *p, int64_t at)
{
	struct makers m = {.count = 0};

	for (const struct thread *t = p->threads; t; t = t->sibling) {
		const struct library *l = process_library(p, t->creator_library);
		size_t i = 0;
		bool lives = t->begin != UNKNOWN && t->begin <= at && (t->end == UNKNOWN || t->end >= at);

		if (!l || t->first_thread || !lives)
			continue;
		while (i < m.count && strcmp(m.list[i].name, base_name(l->path)))
			i++;
		m.list = xgrow(m.list, m.count, &m.capacity, sizeof(*m.list));
		if (i == m.count)
			m.list[m.count++] = (struct maker){base_name(l->path), 0};
		m.list[i].threads++;
	}
	if (m.count)
		qsort(m.list, m.count, sizeof(*m.list), by_threads);
	return m;
}

/* ": 52 made by libxla.so, 15 by libopenblas.so" */
static void makers_text(char *text, size_t size, const struct process *p, int64_t at)
{
	struct makers m = makers_at(p, at);
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < m.count && i < MADE_BY && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s %s %sby %s", i ? "," : ":",
					 COUNT_TEXT(m.list[i].threads), i ? "" : "made ", m.list[i].name);
	free(m.list);
}

/* Frameworks make a pool or two of a thread a core, and a handful more; what goes on growing is none. */
void rule_too_many_threads(struct findings *f, const struct process *p)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	const struct curve *c = &p->curves[CURVE_THREADS];
	struct curve_value peak = highest(c);
	int64_t made = pools_made(p), then = curve_at(c, made);
	bool grows = goes_on_rising(c, made) && (double)peak.value >= GROWS * (double)then;
	char by[512], more[128] = "", time[32];

	if (!m || !m->cpus || peak.value < 4 * (int64_t)m->cpus + 16)
		return;
	makers_text(by, sizeof(by), p, peak.t);
	if (grows) {
		snprintf(more, sizeof(more), ", and makes more and more (%s at %s)", COUNT_TEXT(then),
			 time_text(time, sizeof(time), (double)made));
	} else {
		found_as(f, DLT_INFO);
		found_advising(f, "Pools that were made once; each library has its own, often for all cores. What "
				  "waits costs memory, no time: if it runs, give each a size (OMP_NUM_THREADS, "
				  "OPENBLAS_NUM_THREADS, the framework's own).");
	}
	found(f, p, (struct stake){.since = grows ? made : UNKNOWN},
	      json_pack("{s:I, s:i, s:b, s:I}", "threads", (json_int_t)peak.value, "cpus", (int)m->cpus, "grows",
			grows, "before", (json_int_t)then),
	      "%s had %s threads at once on %u core%s%s%s", process_who(p), COUNT_TEXT(peak.value), m->cpus,
	      m->cpus == 1 ? "" : "s", more, by);
}

/* ---- threads that come and go ---- */

#define CHURN_LEAST 200		/* threads */
#define CHURN_RATE 2.0		/* a second */

/* Found by their number, since threads that live shorter than a sample are in no other. */
void rule_thread_churn(struct findings *f, const struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];
		uint64_t n = p->thread_count;
		double rate = (double)n * 1e9 / ((double)process_life(p) + 1);

		if (!process_shown(p) || n < CHURN_LEAST || rate < CHURN_RATE ||
		    (double)process_life(p) < WORK_LEAST || threads_made_again(p) * 2 > n)
			continue;
		found(f, p, (struct stake){ .since = p->begin },
		      json_pack("{s:I, s:f, s:I}", "threads", (json_int_t)n, "per_second", rate, "peak",
				(json_int_t)curve_max(&p->curves[CURVE_THREADS])),
		      "%s made %s threads, %.0f a second, of which no more than %s lived at once",
		      process_who(p), COUNT_TEXT(n), rate, COUNT_TEXT(curve_max(&p->curves[CURVE_THREADS])));
	}
}

/* ---- more runnable threads than cores ---- */

#define SLICES	      20
#define SLICE_SAMPLES 2	  /* of a process, that its slice may be looked at */
#define CROWDED	      2.0 /* runnable threads a core: some workers beside a pool are well below */

struct slices {
	struct span span;
	double ready[SLICES];	    /* runnable threads of all processes of a host */
	const struct process *most; /* who has the most of them, over all slices */
	double most_ready;
};

static struct span slice(const struct slices *s, int i)
{
	int64_t length = (s->span.end - s->span.begin) / SLICES;

	return (struct span){s->span.begin + i * length, s->span.begin + (i + 1) * length};
}

/* For how much of a slice the process was there: those that came one after the other never ran at once. */
static double present(const struct process *p, struct span s)
{
	int64_t begin = p->begin != UNKNOWN && p->begin > s.begin ? p->begin : s.begin;
	int64_t end = p->end != UNKNOWN && p->end < s.end ? p->end : s.end;

	return end > begin ? (double)(end - begin) / span_length(s) : 0;
}

static void add_process(struct slices *s, const struct process *p)
{
	double all = 0;

	for (int i = 0; i < SLICES; i++) {
		uint64_t n[TALLY_WORDS];
		double ready;

		tally_sum(&p->load.threads, slice(s, i).begin, slice(s, i).end, n);
		if (n[LOAD_SAMPLES] < SLICE_SAMPLES)
			continue;
		ready = (double)n[LOAD_READY] / (double)n[LOAD_SAMPLES] * present(p, slice(s, i));
		s->ready[i] += ready;
		all += ready;
	}
	if (all > s->most_ready) {
		s->most_ready = all;
		s->most = p;
	}
}

static void crowded_host(struct findings *f, const struct trace *t, const struct process *first)
{
	struct slices s = {.span = {0, t->end}};
	double cores = cores_allowed(first), mean = 0;
	int crowded = 0, since = -1;

	for (size_t i = 0; i < t->process_count; i++)
		if (process_shown(t->processes[i]) && !strcmp(t->processes[i]->host, first->host))
			add_process(&s, t->processes[i]);
	for (int i = 0; i < SLICES; i++) {
		if (s.ready[i] <= CROWDED * cores)
			continue;
		since = since < 0 ? i : since;
		mean += s.ready[i];
		crowded++;
	}
	if (crowded < SLICES / 2 || span_length(s.span) * crowded / SLICES < WORK_LEAST)
		return;
	mean /= crowded;
	found(f, s.most,
	      (struct stake){.since = slice(&s, since).begin,
			     .ns = span_length(s.span) * crowded / SLICES},
	      json_pack("{s:f, s:f, s:f, s:f}", "runnable", mean, "cores", cores, "share_of_time",
			(double)crowded / SLICES, "runnable_here", s.most_ready / SLICES),
	      "on average %.1f threads wanted to run on %s core%s, for %.0f %% of the time; most "
	      "of them are of %s",
	      mean, REAL_TEXT(cores, 3), cores > 1 ? "s" : "", 100.0 * crowded / SLICES, process_who(s.most));
}

void rule_crowded(struct findings *f, const struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];
		bool seen = !process_shown(p) || cores_allowed(p) <= 0;

		for (size_t j = 0; j < i && !seen; j++)
			seen = process_shown(t->processes[j]) &&
			       !strcmp(t->processes[j]->host, p->host);
		if (!seen)
			crowded_host(f, t, p);
	}
}

/* ---- workers ---- */

#define IDLE_LEAST  0.25 /* of the samples */
#define WORKER_BUSY 0.6 /* cores */
#define WORKER_WAITS 0.2 /* of the time */

/* Waiting for a GPU or for other ranks, as a share: that is no waiting for workers. */
static double waits_elsewhere(const struct process *p, struct span s)
{
	double ns = 0;

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct function *fn = profile_names(p, p->profile_list[i]);

		if (!p->profile_list[i]->work &&
		    (function_waits(fn) || !strcmp(fn->kind, "communicate")))
			ns += (double)profile_counts(p, p->profile_list[i])->outer_total;
	}
	return ns / span_length(s);
}

struct workers {
	size_t count;
	double cores, ready, disk; /* summed: what they had, wanted, and waited for */
};

static struct workers find_workers(const struct process *p, struct span s)
{
	const struct trace *t = p->trace;
	struct workers w = {0};

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *c = t->processes[i];
		struct span own = {c->begin > s.begin ? c->begin : s.begin,
				   c->end != UNKNOWN && c->end < s.end ? c->end : s.end};

		if (!is_worker(c, p, s))
			continue;
		w.count++;
		w.cores += cores_used(c, own);
		w.ready += threads_active(c, own) > 0 ? threads_active(c, own) : 0;
		w.disk += threads_on_disk(c, own) > 0 ? threads_on_disk(c, own) : 0;
	}
	return w;
}

static const char *why_slow(const struct workers *w)
{
	double cores = w->cores / (double)w->count, disk = w->disk / (double)w->count;
	double core = w->ready / (double)w->count - cores;	/* for which they could have run, and had none */

	if (cores >= WORKER_BUSY)
		return "there are too few of them";
	if (core > WORKER_WAITS && core >= disk)
		return "they wait for a core themselves, which others have";
	return disk > WORKER_WAITS ? "they wait for a disk themselves"
				   : "they wait themselves: for a network, a lock, a sleep";
}

/*
 * No thread of the process ran, nor could have, and it waited in no call that is known: with
 * workers, it is they who are waited for. That it is idle is counted, not inferred from CPU time,
 * since another program may have had the cores.
 */
void rule_waits_for_workers(struct findings *f, const struct process *p)
{
	struct workers w;
	struct span s;
	double active, idle, cores;
	char time[32], who[128];

	if (!work_span(p, &s) || (active = threads_active(p, s)) < 0)
		return;
	idle = 1 - active - threads_on_disk(p, s) - waits_elsewhere(p, s);
	if (idle < IDLE_LEAST)
		return;
	w = find_workers(p, s);
	if (!w.count)
		return;
	cores = w.cores / (double)w.count;
	snprintf(who, sizeof(who), "%s", process_who(p));
	found(f, p, (struct stake){.since = s.begin, .ns = idle * span_length(s)},
	      json_pack("{s:f, s:i, s:f, s:f, s:f, s:f}", "idle_share", idle, "workers", (int)w.count,
			"worker_cores", cores, "worker_ready", w.ready / (double)w.count, "worker_disk",
			w.disk / (double)w.count, "own_cores", cores_used(p, s)),
	      "%s waits for its %s worker%s: for %.0f %% of the time between its first computation and its "
	      "last, %s, no thread of it had anything to do; a worker kept %.2f of a core busy, so "
	      "%s",
	      who, COUNT_TEXT(w.count), w.count == 1 ? "" : "s", 100 * idle,
	      time_text(time, sizeof(time), idle * span_length(s)), cores, why_slow(&w));
}

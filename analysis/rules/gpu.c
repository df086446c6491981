/* SPDX-License-Identifier: MIT */
/* Rules: time that a GPU, or those who use it, lose. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/gpu.h"
#include "analysis/rules/work.h"

/*
 * A GPU that is busy for this part of the time is what limits the training: who waits for it waits
 * for good reason, and nothing below is worth a word.
 */
#define BUSY 0.7

static const char *library_name(const struct process *p, uint16_t id)
{
	const struct library *l = process_library(p, id);

	return l ? base_name(l->path) : "an unknown caller";
}

static void set_busy(json_t *evidence, double busy, bool exact)
{
	if (busy < 0)
		return;
	json_object_set_new(evidence, "gpu_busy", json_real(busy));
	json_object_set_new(evidence, "gpu_busy_by", json_string(exact ? "cupti" : "nvml"));
}

/* ---- time of several threads ---- */

/* What one thread spent of the span in calls of that kind: the one that spent most. */
struct alone {
	double ns, share;
	size_t threads; /* that did so; 0: not known */
	char who[48];	/* " (the longest of 4 threads)"; "" of one */
};

static struct alone alone_for(double ns, size_t threads, struct span s)
{
	struct alone a = {.ns = ns, .share = fmin(1, ns / span_length(s)), .threads = threads};

	if (threads > 1)
		snprintf(a.who, sizeof(a.who), " (the longest of %s threads)", COUNT_TEXT(threads));
	return a;
}

static struct alone alone(const struct process *p, enum gpu_use use, uint64_t ns, struct span s)
{
	size_t threads;
	double part = gpu_longest(p, use, &threads);

	return alone_for((double)ns * part, threads, s);
}

/* ---- synchronisation and blocking copies ---- */

#define WAIT_LEAST 0.2 /* of the time from the first launch to the last */

void rule_waits_for_gpu(struct findings *f, const struct process *p)
{
	struct gpu_calls g = gpu_calls(p);
	const struct profile *most = g.longest_wait;
	char time[32], mean[32], idle[128] = "";
	json_t *evidence;
	struct alone wait;
	struct span s;
	double busy;
	bool exact;

	if (!most || !g.launches || !work_span(p, &s) ||
	    (double)g.wait_ns < WAIT_LEAST * span_length(s))
		return;
	wait = alone(p, USE_WAIT, g.wait_ns, s);
	busy = gpu_busy(p, s, &exact);
	/* Not knowing what the GPU did, only who waits for many a launch surely loses time. */
	if (wait.share < WAIT_LEAST || busy >= BUSY || (busy < 0 && g.waits * 5 < g.launches))
		return;
	if (busy >= 0)
		snprintf(idle, sizeof(idle), "; the GPU was idle for %.0f %% of that time",
			 100 * (1 - busy));
	evidence = json_pack("{s:I, s:I, s:I, s:f, s:I, s:o, s:o}", "wait_ns",
			     (json_int_t)g.wait_ns, "waits", (json_int_t)g.waits, "threads",
			     (json_int_t)wait.threads, "share", wait.share, "launches",
			     (json_int_t)g.launches, "function",
			     json_name(process_function(p, profile_function(most))->name), "library",
			     json_name(library_name(p, profile_library(most))));
	set_busy(evidence, busy, exact);
	if (busy < 0)
		found_as(f, DLT_INFO);
	found(f, p, (struct stake){.since = most->begin, .ns = wait.ns}, evidence,
	      "%s waited %s for the GPU%s, %.0f %% of the time between its first launch and its "
	      "last: %s waits for %s launches, %s each, mostly in %s called by %s%s",
	      process_who(p), time_text(time, sizeof(time), wait.ns), wait.who, 100 * wait.share,
	      COUNT_TEXT(g.waits), COUNT_TEXT(g.launches),
	      time_text(mean, sizeof(mean), (double)g.wait_ns / (double)g.waits),
	      process_function(p, profile_function(most))->name,
	      library_name(p, profile_library(most)), idle);
}

/* ---- allocations inside iterations ---- */

#define BLOCKS_LEAST 20
#define BLOCKS_TIME  0.01 /* of the time */

/* What all threads did, into `sum`. */
static struct alone alone_with_blocks(const struct process *p, struct span s, uint64_t sum[TALLY_WORDS])
{
	size_t threads = 0;
	double most = 0;

	memset(sum, 0, TALLY_WORDS * sizeof(*sum));
	for (const struct thread *t = p->threads; t; t = t->sibling) {
		uint64_t n[TALLY_WORDS];

		tally_sum(&t->gpu_blocks, s.begin, s.end, n);
		for (int i = 0; i < TALLY_WORDS; i++)
			sum[i] += n[i];
		threads += n[LOAD_CALLS] > 0;
		most = fmax(most, (double)n[LOAD_NS]);
	}
	return alone_for(most, threads, s);
}

/* A pool that is warm asks for nothing more. */
void rule_gpu_allocations(struct findings *f, const struct process *p)
{
	uint64_t n[TALLY_WORDS];
	char time[32], bytes[32], since[32];
	struct alone blocks;
	struct span s;

	if (!steady_span(f, p, &s))
		return;
	blocks = alone_with_blocks(p, s, n);
	if (n[LOAD_CALLS] < BLOCKS_LEAST || blocks.share < BLOCKS_TIME)
		return;
	found(f, p, (struct stake){.since = s.begin, .ns = blocks.ns},
	      json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:I}", "calls", (json_int_t)n[LOAD_CALLS],
			"time_ns", (json_int_t)n[LOAD_NS], "threads", (json_int_t)blocks.threads, "share",
			blocks.share, "bytes", (json_int_t)n[LOAD_BYTES], "begin_ns", (json_int_t)s.begin,
			"end_ns", (json_int_t)s.end),
	      "%s allocates and frees GPU memory while it works, as no pool keeps it: %s"
	      " calls after the warm-up, from %s on, took %s%s, %.0f %% of the time, and asked for "
	      "%s",
	      process_who(p), COUNT_TEXT(n[LOAD_CALLS]), time_text(since, sizeof(since), (double)s.begin),
	      time_text(time, sizeof(time), blocks.ns), blocks.who, 100 * blocks.share,
	      bytes_text(bytes, sizeof(bytes), (double)n[LOAD_BYTES]));
}

/* ---- small kernels ---- */

#define LAUNCH_APART   50000 /* ns: of launches that are further apart, launching is not the limit */
#define LAUNCH_TIME 0.25     /* of the time */
#define PAUSES_LEAST 0.5     /* of the time that the GPU is idle */

/* "of its 7 steady iterations (254 ms)" */
static const char *span_text(char *text, size_t size, const struct gpu_span *s)
{
	char time[32];

	if (!s->iterations)
		snprintf(text, size, "of the time between its first launch and its last");
	else
		snprintf(text, size, "of its %s steady iteration%s (%s)", COUNT_TEXT(s->iterations),
			 s->iterations == 1 ? "" : "s", time_text(time, sizeof(time), span_length(s->span)));
	return text;
}

static json_t *span_evidence(const struct gpu_span *s)
{
	json_t *evidence = json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)s->iterations, "begin_ns",
				     (json_int_t)s->span.begin, "end_ns", (json_int_t)s->span.end);

	set_busy(evidence, s->busy, s->exact);
	return evidence;
}

static double idle_time(const struct gpu_span *s)
{
	return (1 - s->busy) * span_length(s->span);
}

/*
 * A queue that is full makes launches slow too, but then the GPU is busy. That it waits for the next launch shows in
 * its pauses; where CUPTI does not tell them, in the time that launching takes.
 */
static bool launch_bound(const struct process *p, const struct gpu_span *s, struct alone *launching)
{
	if (s->busy < 0 || s->busy >= BUSY || s->launches < 1)
		return false;
	*launching = alone(p, USE_LAUNCH, (uint64_t)s->launch_ns, s->span);
	if (s->exact)
		return s->pauses >= PAUSES_LEAST;
	return span_length(s->span) / s->launches < LAUNCH_APART && launching->share >= LAUNCH_TIME;
}

/* "1,309 launches an iteration, one each 28 us, of kernels that run for 4.0 us on average" */
static const char *pace_text(char *text, size_t size, const struct gpu_span *s)
{
	char apart[32], kernel[32], runs[80] = "";

	if (s->kernel_ns > 0)
		snprintf(runs, sizeof(runs), ", of kernels that run for %s on average",
			 time_text(kernel, sizeof(kernel), s->kernel_ns));
	snprintf(text, size, "%s launches%s, one each %s%s",
		 COUNT_TEXT(s->launches / (double)(s->iterations ? s->iterations : 1)),
		 s->iterations ? " an iteration" : "",
		 time_text(apart, sizeof(apart), span_length(s->span) / s->launches), runs);
	return text;
}

void rule_small_kernels(struct findings *f, const struct process *p)
{
	char when[128], pace[192], cause[160], time[32];
	struct alone launching;
	struct gpu_span s;
	json_t *evidence;

	if (!gpu_span(p, &s) || !launch_bound(p, &s, &launching))
		return;
	if (s.exact)
		snprintf(cause, sizeof(cause), "%.0f %% of that in pauses of less than %s, until the next was launched",
			 100 * s.pauses, time_text(time, sizeof(time), GPU_PAUSE_SHORT));
	else
		snprintf(cause, sizeof(cause), "launching took %.0f %% of the time%s", 100 * launching.share,
			 launching.who);
	evidence = span_evidence(&s);
	json_object_update_new(evidence, json_pack("{s:f, s:f, s:I, s:f, s:f, s:f}", "launches", s.launches,
						   "launch_ns", s.launch_ns, "threads", (json_int_t)launching.threads,
						   "share", launching.share, "kernel_ns", s.kernel_ns, "pauses",
						   s.pauses));
	found(f, p, (struct stake){.since = s.span.begin, .ns = idle_time(&s)}, evidence,
	      "%s launches work too small for the GPU, which was idle for %.0f %% %s, %s: %s", process_who(p),
	      100 * (1 - s.busy), span_text(when, sizeof(when), &s), cause, pace_text(pace, sizeof(pace), &s));
}

/* ---- the GPU is idle ---- */

#define CORES_BUSY 0.5 /* a process that keeps at least that much of a core busy does something */

/* What is done meanwhile; where iterations are not known, that may be the start, or a compiler. */
static const struct idle_cause {
	const char *name, *advice;
} idle_causes[] = {
	{"unknown", NULL},
	{"data", "Prepare data ahead and beside: more loading workers, decoding once, augmentation on the GPU."},
	{"itself", "What it does between launches goes beside or more seldom: data prepared in workers, metrics, logs "
		   "and copies of the model written every so many iterations."},
};

static const struct process *busiest(const struct trace *t, const char *host, struct span s,
				     double *cores)
{
	const struct process *most = NULL;

	*cores = 0;
	for (size_t i = 0; i < t->process_count; i++) {
		double used = cores_used(t->processes[i], s);

		if (!process_shown(t->processes[i]) || strcmp(t->processes[i]->host, host) ||
		    used <= *cores)
			continue;
		*cores = used;
		most = t->processes[i];
	}
	return most;
}

/* `other`: who was busiest; NULL: nobody was busy. */
static const struct idle_cause *idle_cause(const struct process *p, const struct process *other,
					   const struct gpu_span *s)
{
	if (other && other != p && is_worker(other, p, s->span))
		return &idle_causes[1];
	return &idle_causes[!s->iterations ? 0 : other == p ? 2 : 1];
}

static void meanwhile(char *text, size_t size, const struct process *p, const struct process *other, double cores,
		      struct span s)
{
	if (!other)
		snprintf(text, size, "no process was busy: they wait for something else, a disk or a network");
	else
		snprintf(text, size, "%s%s kept %.1f core%s busy", other == p ? "it" : process_who(other),
			 is_worker(other, p, s) ? ", one of its workers," : "", cores,
			 cores < 1.05 && cores >= 0.95 ? "" : "s");
}

void rule_gpu_idle(struct findings *f, const struct process *p)
{
	const struct idle_cause *cause;
	const struct process *other;
	char when[128], by[200], pace[192], idle[32], who[128];
	struct alone launching;
	struct gpu_span s;
	json_t *evidence;
	double cores;

	if (!gpu_span(p, &s) || s.busy < 0 || s.busy >= BUSY || s.launches < 1 ||
	    launch_bound(p, &s, &launching))
		return;
	other = busiest(p->trace, p->host, s.span, &cores);
	other = cores < CORES_BUSY ? NULL : other;
	cause = idle_cause(p, other, &s);
	snprintf(who, sizeof(who), "%s", process_who(p));
	meanwhile(by, sizeof(by), p, other, cores, s.span);
	evidence = span_evidence(&s);
	json_object_update_new(evidence, json_pack("{s:I, s:f, s:s}", "idle_ns", (json_int_t)idle_time(&s), "cores",
						   cores, "cause", cause->name));
	if (other)
		json_object_set_new(evidence, "busiest_process", json_integer(other->report_id));
	found_advising(f, cause->advice);
	if (!cause->advice)
		found_as(f, DLT_INFO);
	found(f, p, (struct stake){.since = s.span.begin, .ns = idle_time(&s)}, evidence,
	      "%s left the GPU idle for %s, %.0f %% %s%s: %s; meanwhile %s", who,
	      time_text(idle, sizeof(idle), idle_time(&s)), 100 * (1 - s.busy), span_text(when, sizeof(when), &s),
	      s.iterations ? "" : ", which may include its start, as no iterations were found",
	      pace_text(pace, sizeof(pace), &s), by);
}

/* ---- pageable memory ---- */

#define PAGEABLE_BYTES (256.0 * 1024 * 1024)
#define PAGEABLE_SHARE 0.03 /* of the time */
#define PAGEABLE_SPEED 60.0 /* bytes a ns: who copies faster does not wait for the bus */

static uint64_t pinned_blocks(const struct process *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->gpu_memory.count; i++) {
		unsigned kind = gpu_row_kind(&p->gpu_memory.rows[i]);

		if (kind == DLT_MEMORY_PINNED || kind == DLT_MEMORY_REGISTERED ||
		    kind == DLT_MEMORY_HOST || kind == DLT_MEMORY_MANAGED)
			n += gpu_row_counters(&p->gpu_memory.rows[i])->allocations;
	}
	return n;
}

/* Where nobody ever pinned memory, all that the host copies is pageable. */
void rule_pageable_copies(struct findings *f, const struct process *p)
{
	struct gpu_calls g = gpu_calls(p);
	char bytes[32], time[32];
	struct alone copying;
	struct span s;

	if (!work_span(p, &s) || (double)g.bytes < PAGEABLE_BYTES || pinned_blocks(p))
		return;
	copying = alone(p, USE_COPY, g.copy_ns, s);
	if (copying.share < PAGEABLE_SHARE || (double)g.bytes > PAGEABLE_SPEED * (double)g.copy_ns)
		return;
	found(f, p, (struct stake){.since = s.begin, .ns = copying.ns},
	      json_pack("{s:I, s:I, s:I, s:I, s:f, s:i}", "copies", (json_int_t)g.copies, "bytes",
			(json_int_t)g.bytes, "copy_ns", (json_int_t)g.copy_ns, "threads",
			(json_int_t)copying.threads, "share", copying.share, "pinned_blocks", 0),
	      "%s copies from and to memory that is not pinned: %s in %s copies held their threads up for "
	      "%s%s, %.0f %% of the time, at %.1f GB/s; it never asked for pinned memory",
	      process_who(p), bytes_text(bytes, sizeof(bytes), (double)g.bytes), COUNT_TEXT(g.copies),
	      time_text(time, sizeof(time), copying.ns), copying.who, 100 * copying.share,
	      (double)g.bytes / (double)g.copy_ns);
}

/* SPDX-License-Identifier: MIT */
/* The table `limits`: what limits this report. Every report ends with it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/communication.h"
#include "analysis/cost.h"
#include "analysis/coverage.h"
#include "analysis/frameworks.h"
#include "analysis/iterations.h"
#include "analysis/limits.h"
#include "analysis/model/memory.h"

static const struct column columns[] = {
	{ "kind", "kind", UNIT_TEXT, "lost, truncated, foreign, uncovered, killed, unreturned, overhead, ..." },
	{ "process", "process", UNIT_ID, "id of the process; missing: the trace" },
	{ "text", "what", UNIT_TEXT, "in words" },
	{ "value", "value", UNIT_REAL, "events, bytes or ns, by kind" },
	{ "trace", "trace", UNIT_ID, "index of the trace" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void limit(struct table *t, const struct trace *trace, const struct process *p, const char *kind, double value,
	   const char *format, ...)
{
	char text[512];
	va_list args;
	int whom = p && !p->orphan ? snprintf(text, sizeof(text), "%s: ", process_who(p)) : 0;

	va_start(args, format);
	vsnprintf(text + whom, sizeof(text) - (size_t)whom, format, args);
	va_end(args);
	table_add_row(t);
	table_set_uint(t, "trace", trace->index);
	table_set_text(t, "kind", kind);
	if (p)
		table_set_int(t, "process", p->report_id);
	table_set_text(t, "text", text);
	table_set_real(t, "value", value);
}

/* ---- of a trace ---- */

static void lttng_lost(struct table *table, const struct trace *t)
{
	if (t->discarded)
		limit(table, t, NULL, "lost", (double)t->discarded,
		      "LTTng discarded %s events: its buffers were full", COUNT_TEXT(t->discarded));
	if (t->discarded_packets)
		limit(table, t, NULL, "lost", (double)t->discarded_packets,
		      "LTTng overwrote %s packets of events", COUNT_TEXT(t->discarded_packets));
}

/* Of a process that had no box to count in, mostly. */
static void lost_unattributed(struct table *table, const struct trace *t)
{
	uint64_t n = trace_lost_unattributed(t);

	if (n && t->stalled)
		limit(table, t, NULL, "lost", (double)n, "%s events that processes emitted have not come out of "
		      "LTTng's buffers", COUNT_TEXT(n));
	else if (n)
		limit(table, t, NULL, "lost", (double)n, "%s events found no room and are in no process's "
		      "count: what processes say of themselves when they begin may be missing", COUNT_TEXT(n));
}

/* What is too late for its place in time may be a block's end before its begin (model/askers.c). */
static void stacks_late(struct table *table, const struct trace *t)
{
	if (t->asked.late)
		limit(table, t, NULL, "precision", (double)t->asked.late,
		      "%s events with call stacks came too late to be put in order of time, by up to %s"
		      " ms: memory may count as held that was given back", COUNT_TEXT(t->asked.late),
		      COUNT_TEXT((uint64_t)(t->asked.late_most + 999999) / 1000000));
}

static void reader_says(struct table *table, const struct trace *t)
{
	for (size_t i = 0; i < t->note_count; i++)
		if (t->notes[i].t == UNKNOWN)
			limit(table, t, NULL, t->notes[i].kind, (double)t->notes[i].value, "%s",
			      t->notes[i].text);
	if (t->notes_left_out)
		limit(table, t, NULL, "truncated", (double)t->notes_left_out,
		      "the recorder said more than %d things; %s are left out", NOTES_KEPT,
		      COUNT_TEXT(t->notes_left_out));
	if (t->error < 0 && !t->note_count)
		limit(table, t, NULL, "unreadable", -t->error,
		      "reading stopped: %s; what came before is in this report",
		      strerror(-t->error));
}

static void running(struct table *table, const struct trace *t)
{
	if (t->running)
		limit(table, t, NULL, "running", 0, "it is still being recorded: this is what was written until now");
}

#define PART_LEAST 100000000	/* ns before the trace: less is the recorder's own start */

/* The recorder knows how the command ended, and the trace, which was over by then, does not. */
static bool ends_later(const struct trace *t, const struct process *root)
{
	if (root->end != UNKNOWN || root->final_seen || t->running || t->stalled ||
	    (t->exit_status < 0 && !t->exit_signal))
		return false;
	for (size_t i = 0; i < t->note_count; i++)
		if (!t->notes[i].process && t->notes[i].t != UNKNOWN &&
		    (!strcmp(t->notes[i].kind, NOTE_EXIT) || !strcmp(t->notes[i].kind, NOTE_KILLED)))
			return false;
	return true;
}

/* Else its time and its peaks look like those of the whole. */
static void part_of_run(struct table *table, const struct trace *t)
{
	const struct process *root = trace_root(t);
	bool later = root && ends_later(t, root);
	int64_t before = root && root->begin != UNKNOWN && root->begin < -PART_LEAST ? -root->begin : 0;
	char text[32], begin[64] = "";

	if (before)
		snprintf(begin, sizeof(begin), "it began %s before the trace%s",
			 time_text(text, sizeof(text), (double)before), later ? ", and " : "");
	if (before || later)
		limit(table, t, NULL, "part", (double)before,
		      "only a part of the run was recorded%s: %s%s; times, totals and peaks are of that part",
		      t->recorded ? " (--delay, --duration, --max-size, or --control stop)" : "", begin,
		      later ? before ? "ended after it" : "it ended after the trace" : "");
}

static void foreign(struct table *table, const struct trace *t)
{
	uint64_t events = 0, processes = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		if (!process_foreign(t->processes[i]))
			continue;
		processes++;
		events += t->processes[i]->read;
	}
	if (processes)
		limit(table, t, NULL, "foreign", (double)events,
		      "%s process%s of another recording wrote %s"
		      " events into this trace; they are left out", COUNT_TEXT(processes),
		      processes == 1 ? "" : "es", COUNT_TEXT(events));
}

static void outside(struct table *table, const struct trace *t)
{
	const char *phase = t->model->options.phase;
	char calls[32], others[32], also[64] = "";
	size_t processes = 0;

	for (size_t i = 0; i < t->process_count; i++)
		processes += t->processes[i]->outside && t->processes[i]->report_id;
	if (processes)
		snprintf(also, sizeof(also), " and %s process%s", count_text(others, sizeof(others), (double)processes),
			 processes == 1 ? "" : "es");
	if (t->filtered || processes || phase)
		limit(table, t, NULL, "filtered", (double)t->filtered,
		      "%s calls%s outside of %s%s are left out; within %s only calls that are events "
		      "count, not the library's own totals",
		      count_text(calls, sizeof(calls), (double)t->filtered), also,
		      phase ? "the phase " : "--from and --to", phase ? phase : "", phase ? "it" : "them");
}

static void chosen(struct table *table, const struct trace *t)
{
	const struct model_options *o = &t->model->options;
	size_t all = 0, shown = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		all += t->processes[i]->report_id && !t->processes[i]->outside;
		shown += process_shown(t->processes[i]);
	}
	if (shown < all)
		limit(table, t, NULL, "filtered", (double)(all - shown),
		      "only %s of %s processes are told of:%s%s%s%s%s%s", COUNT_TEXT(shown), COUNT_TEXT(all),
		      o->process ? " --process " : "", o->process ? o->process : "",
		      o->host ? " --host " : "", o->host ? o->host : "", o->rank ? " --rank " : "",
		      o->rank ? o->rank : "");
}

static void marks_cut(struct table *table, const struct trace *t)
{
	uint64_t left_out = 0;

	for (int kind = 0; kind < MARK_KINDS; kind++)
		if (t->moments.by_kind[kind] > MOMENTS_KEPT)
			left_out += t->moments.by_kind[kind] - MOMENTS_KEPT;
	if (left_out)
		limit(table, t, NULL, "truncated", (double)left_out,
		      "%s marks are not in the table marks, which has %d of a kind",
		      COUNT_TEXT(left_out), MOMENTS_KEPT);
}

static void epochs_cut(struct table *table, const struct process *p)
{
	const struct iterations *it = process_iterations(p);

	if (it->epochs_more)
		limit(table, p->trace, p, "truncated", (double)it->epochs_more,
		      "the last %s of %s epochs are only counted: of a trace's marks %d are kept",
		      COUNT_TEXT(it->epochs_more), COUNT_TEXT(it->epoch_count + it->epochs_more), MOMENTS_KEPT);
}

static void not_measured(struct table *table, const struct trace *t)
{
	if (t->started && !t->by_type[DLT_EV_SAMPLE_PROCESS])
		limit(table, t, NULL, "uncovered", 0,
		      "the trace holds no samples of a process: heap, memory and CPU time are not known");
	if (t->started && !t->machine_count)
		limit(table, t, NULL, "uncovered", 0,
		      "nothing was recorded about the machine: CPU is told in cores, not in percent");
}

/* ---- of a process ---- */

static void lost(struct table *table, const struct process *p)
{
	uint64_t n = process_lost(p);

	if (n)
		limit(table, p->trace, p, "lost", (double)n,
		      "%s of the %s events that it emitted were not read", COUNT_TEXT(n),
		      COUNT_TEXT(p->emitted));
}

static void unknown(struct table *table, const struct process *p)
{
	if (p->orphan && p->read)
		limit(table, p->trace, p, "unknown", (double)p->read,
		      "%s events of a thread whose announcement is missing: its process is "
		      "not known", COUNT_TEXT(p->read));
}

static void not_traced(struct table *table, const struct process *p)
{
	if (p->untraced_children)
		limit(table, p->trace, p, "uncovered", (double)p->untraced_children,
		      "%s of its children %s only counted, not traced (--children)",
		      COUNT_TEXT(p->untraced_children), p->untraced_children == 1 ? "was" : "were");
	if (p->became && process_goes_on_unseen(p))
		limit(table, p->trace, p, "uncovered", 0,
		      "what it became by exec, %s, is not traced (--children)", p->became);
	if (p->unseen_children)
		limit(table, p->trace, p, "uncovered", (double)p->unseen_children,
		      "%s program%s that it ran cannot be seen: static, of another word size, or "
		      "with rights of its own (%s)", COUNT_TEXT(p->unseen_children), p->unseen_children == 1 ? "" : "s",
		      p->unseen_child);
	if (p->traced)
		limit(table, p->trace, p, "uncovered", 0, "it was only counted, not traced");
	if (p->heap_cover)
		limit(table, p->trace, p, "uncovered", 0, "its heap is not the C library's: it is not known");
}

/* ---- what was not covered: one line a kind, with the libraries' names ---- */

static const struct uncovered {
	const char *kind, *text;
} uncovered[] = {
	{ "heap", "what these libraries allocate is not counted" },
	{ "cuda runtime", "calls of these CUDA runtimes are not seen" },
	{ "cuda driver", "calls of these CUDA drivers are not seen" },
	{ "static cuda runtime", "CUDA calls made inside these libraries are not seen" },
	{ "cuda calls", "CUDA calls of these libraries do not pass dltrace" },
	{ "cuda function", "CUDA functions that it looked up are not known to dltrace, calls of them not seen" },
	{ "cuda functions", "some CUDA functions that these libraries use are not known to dltrace" },
	{ "nccl function", "functions of NCCL that it looked up are not known to dltrace, calls of them not seen" },
	{ "nccl functions", "some functions of NCCL that these libraries use are not known to dltrace" },
	{ "private table", "what these libraries call through CUDA's private tables (cuGetExportTable) is not seen" },
	{ "profiler", "CUPTI is used by these libraries past dltrace: records of the GPU's work may be missing" },
	{ "seccomp",
	  "files and sockets that it opens, and what it prints, are not looked at since it may have shut itself in" },
	{ "strict seccomp", "calls of a thread that may have shut itself in are not seen afterwards" },
	{ "cuda lookup", "functions of CUDA or NCCL that it has looked up by RTLD_NEXT or dlvsym do not pass dltrace" },
	{ "opencl", "OpenCL calls through these libraries are not seen" },
};

#define KINDS (sizeof(uncovered) / sizeof(*uncovered))

struct uncovered_names {
	char names[KINDS][300];
	size_t count[KINDS];
};

static void note_uncovered(const struct coverage *c, void *data)
{
	struct uncovered_names *u = data;

	for (size_t k = 0; k < KINDS; k++) {
		char *names = u->names[k];
		size_t length = strlen(names);
		const char *name = c->name ? c->name : c->library ? base_name(c->library->path) : NULL;

		if (!name || strcmp(c->covered, "no") || strcmp(c->kind, uncovered[k].kind))
			continue;
		u->count[k]++;
		if (length + strlen(name) + 3 < sizeof(u->names[k]))
			snprintf(names + length, sizeof(u->names[k]) - length, "%s%s", length ? ", " : "",
				 name);
	}
}

static void not_covered(struct table *table, const struct process *p)
{
	struct uncovered_names u = { .count = { 0 } };

	coverage_each(p, note_uncovered, &u);
	for (size_t k = 0; k < KINDS; k++)
		if (u.count[k])
			limit(table, p->trace, p, "uncovered", (double)u.count[k], "%s: %s",
			      uncovered[k].text, u.names[k]);
}

static void killed(struct table *table, const struct process *p)
{
	if (process_end(p).killed)
		limit(table, p->trace, p, "killed", 0, "it was killed: %s, its last events may be missing",
		      p->final_seen ? "its totals have every call that had returned" :
				      "its totals are those of the last sample");
}

/* They are counted when they return. */
static void unreturned(struct table *table, const struct process *p)
{
	const struct thread *longest = NULL;
	uint64_t calls = 0, time = 0;
	const char *name;
	char text[32];

	for (const struct thread *thread = p->threads; thread; thread = thread->sibling) {
		uint64_t lasted = thread_unreturned(thread);

		calls += lasted > 0;
		time += lasted;
		if (lasted && (!longest || lasted > thread_unreturned(longest)))
			longest = thread;
	}
	if (!longest)
		return;
	name = process_function(p, longest->in_flight)->name;
	limit(table, p->trace, p, "unreturned", (double)time,
	      "%s call%s had not returned %s, in no total: %s, for %s%s", COUNT_TEXT(calls), calls == 1 ? "" : "s",
	      p->end == UNKNOWN ? "at its last reading" : "when it ended", *name ? name : "unnamed",
	      time_text(text, sizeof(text), (double)thread_unreturned(longest)), calls == 1 ? "" : ", the longest");
}

/* Calls that are only in the totals, which are of the whole time: shorter than the threshold, nested, or lost. */
static void only_counted(struct table *table, const struct process *p)
{
	uint64_t calls = 0, time = 0;
	char text[32], number[32];

	if (!p->trace->by_type[DLT_EV_SAMPLE_FUNCTION] || !strcmp(p->trace->level, "summary") ||
	    trace_is_part(p->trace))
		return;
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		if (!f->exact || f->exact->outer_calls <= f->events.calls)
			continue;
		calls += f->exact->outer_calls - f->events.calls;
		if (f->exact->outer_total > f->events.total)
			time += f->exact->outer_total - f->events.total;
	}
	if (calls)
		limit(table, p->trace, p, "threshold", (double)calls,
		      "%s outermost calls (%s) are counted and timed but are no events: "
		      "too short, before the trace began, or lost", count_text(number, sizeof(number), (double)calls),
		      time_text(text, sizeof(text), (double)time));
}

static void flood(struct table *table, const struct process *p)
{
	char text[32];

	if (p->flood_least)
		limit(table, p->trace, p, "flood", p->flood_least,
		      "a thread's calls of compute libraries were more than 30,000 events a second: for a while "
		      "those under %s are only in the totals", time_text(text, sizeof(text), p->flood_least));
}

/* Calls of one function whose time is that of others. */
struct untimed {
	const char *name;
	uint64_t calls;
	double total, variance;		/* ns, ns^2 */
};

static int more_untimed(const void *a, const void *b)
{
	const struct untimed *x = a, *y = b;

	return (x->calls < y->calls) - (x->calls > y->calls);
}

/* By function, those with the most first. Caller frees. */
static struct untimed *untimed_functions(const struct process *p, size_t *count)
{
	struct untimed *found = xcalloc(p->profile_count, sizeof(*found));

	*count = 0;
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const char *name = f->exact && f->exact->untimed && f->exact->total ? profile_names(p, f)->name : NULL;
		struct untimed *u = found;

		if (!name)
			continue;
		while (u < found + *count && strcmp(u->name, name) != 0)
			u++;
		*count += u == found + *count;
		u->name = name;
		u->calls += f->exact->untimed;
		u->total += (double)f->exact->total;
		u->variance += sums_error(f->exact) * sums_error(f->exact);
	}
	qsort(found, *count, sizeof(*found), more_untimed);
	return found;
}

static void untimed(struct table *table, const struct process *p)
{
	char list[256] = "";
	size_t count, length = 0, shown = 4;
	struct untimed *found = untimed_functions(p, &count);
	uint64_t calls = 0;

	for (size_t i = 0; i < count; i++) {
		calls += found[i].calls;
		if (i < shown)
			length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%.40s by %s %%",
						   i ? ", " : "", found[i].name,
						   REAL_TEXT(100 * sqrt(found[i].variance) / found[i].total, 2));
	}
	if (count > shown)
		snprintf(list + length, sizeof(list) - length, ", and %s more", COUNT_TEXT(count - shown));
	if (count)
		limit(table, p->trace, p, "untimed", (double)calls,
		      "%s calls were too short to time each: they count as others like them, which makes the "
		      "time of their functions uncertain: %s (error_ns in the table breakdown)",
		      COUNT_TEXT(calls), list);
	free(found);
}

#define PEAK_SHARE	0.1		/* of what was sampled; less is of libraries that are loaded and of caches */
#define PEAK_LEAST	(64 << 20)	/* bytes; LTTng's own that are left out of samples are some MB */

/* Only where all of its life was recorded: the kernel's mark is of all of it. */
static void peak_unseen(struct table *table, const struct process *p)
{
	const struct model_options *o = &p->trace->model->options;
	uint64_t most = p->sample.rss_most, seen = p->rss_seen;
	char all[32], more[32];

	if (!p->now.sampled || !p->from_start || o->from != INT64_MIN || o->to != INT64_MAX || o->phase ||
	    most < seen + PEAK_LEAST || (double)(most - seen) < PEAK_SHARE * (double)seen)
		return;
	limit(table, p->trace, p, "precision", (double)(most - seen),
	      "it held %s at once for a moment, by the kernel's own mark (VmHWM, with files and shared memory), %s "
	      "more than at any sample: its curves of memory lack that (--sample=10ms sees more)",
	      bytes_text(all, sizeof(all), (double)most), bytes_text(more, sizeof(more), (double)(most - seen)));
}

static void memory_measure(struct table *table, const struct process *p)
{
	if (ram_is_unread(p))
		limit(table, p->trace, p, "precision", (double)p->ram.shared,
		      "pages that it shares with its parent are counted once, at the parent; those "
		      "that it has written since are missing from the run's memory");
	if (p->now.sampled && !p->final_seen && p->announced && !p->traced && !p->trace->running)
		limit(table, p->trace, p, "precision", 0,
		      "no last reading: its totals, heap and CPU time are those of the last sample");
}

/* The framework that communicates for the training, by a thread of its own: the caller; NULL: none does. */
static const struct framework_rule *go_between(const struct process *p, const struct profile *f)
{
	const struct library *caller = process_library(p, profile_library(f));
	const struct framework_rule *rule = caller ? library_framework(caller->path) : NULL;

	return rule && !strcmp(rule->role, "communication") ? rule : NULL;
}

/* What the calls of its communication library do not tell. */
static void communication(struct table *table, const struct process *p)
{
	const struct framework_rule *between = NULL;
	bool nccl = false, gloo = false, mpi = false, silent;

	for (size_t i = 0; i < p->profile_count; i++) {
		const char *layer = process_function(p, profile_function(p->profile_list[i]))->layer;

		nccl |= !strcmp(layer, "nccl");
		gloo |= !strcmp(layer, "gloo");
		mpi |= !strcmp(layer, "mpi");
		if (layer_communicates(layer) && !between)
			between = go_between(p, p->profile_list[i]);
	}
	if (between)
		limit(table, p->trace, p, "precision", 0,
		      "communication of %s is the time of a thread of its own, which asks the other ranks for what "
		      "is ready beside the training: how long the training waits for it is not known", between->name);
	if (nccl)
		limit(table, p->trace, p, "precision", 0,
		      "NCCL's calls only start communication: their time is not that of the GPU, nor of "
		      "waiting for other ranks");
	if (gloo)
		limit(table, p->trace, p, "precision", 0,
		      "Gloo's collectives tell no bytes (what its sockets moved is in the layer network), and "
		      "messages between two ranks are not seen");
	silent = p->rank >= 0 && p->ranks > 1 && !nccl && !gloo && !mpi && process_iterations(p)->how;
	if (silent && p->comms.moving)
		limit(table, p->trace, p, "uncovered", 0,
		      "rank %" PRId32 " has its collectives inside a library, as Horovod's Gloo and TensorFlow's gRPC "
		      "are: communication is when its sockets moved data, how long it waited is not known", p->rank);
	else if (silent)
		limit(table, p->trace, p, "uncovered", 0,
		      "rank %" PRId32 " trains, and none of its communication was seen: Horovod with Gloo and "
		      "TensorFlow have theirs inside; what it takes is not known", p->rank);
}

/* ---- the cost of tracing ---- */

static void overhead(struct table *table, const struct trace *t)
{
	struct cost c = trace_cost(t);
	char low[32], high[32], of[32], part[40], share[120] = "", beside[100] = "", parts[400];

	if (!c.high)
		return;
	if (c.cpu > 0)
		snprintf(share, sizeof(share), ", %s of the %s that the programs used",
			 cost_share(&c, part, sizeof(part)), time_text(of, sizeof(of), c.cpu));
	if (c.beside_high > 0)
		snprintf(beside, sizeof(beside), ", and %s to %s beside them, in dltrace-sampler",
			 time_text(low, sizeof(low), c.beside_low),
			 time_text(high, sizeof(high), c.beside_high));
	limit(table, t, NULL, "overhead", (c.low + c.high) / 2,
	      "tracing cost %s to %s of CPU time%s%s (%s; warm to cold caches, as measured on one machine)",
	      time_text(low, sizeof(low), c.low), time_text(high, sizeof(high), c.high), share, beside,
	      cost_text(&c, parts, sizeof(parts)));
}

static void (*const trace_limits[])(struct table *, const struct trace *) = {
	running, part_of_run, reader_says, lttng_lost, lost_unattributed, stacks_late, foreign, outside, chosen,
	not_measured, marks_cut, overhead,
};

static void (*const process_limits[])(struct table *, const struct process *) = {
	lost, killed, unreturned, unknown, not_traced, not_covered, only_counted, flood, untimed, memory_measure,
	peak_unseen,
	epochs_cut, limits_opencl, communication, limits_gpu_memory, limits_launches, limits_gpu_gaps, limits_gpu_work,
};

void run_limits(const struct model *m, struct report *r)
{
	struct table *table = report_add_table(r, "limits", "Limits", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];

		for (size_t j = 0; j < COUNT(trace_limits); j++)
			trace_limits[j](table, t);
		for (size_t j = 0; j < COUNT(process_limits); j++)
			for (size_t k = 0; k < t->process_count; k++)
				if (process_shown(t->processes[k]))
					process_limits[j](table, t->processes[k]);
	}
}

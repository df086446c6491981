/* SPDX-License-Identifier: MIT */
/* The table `findings`: what is wrong, or worth knowing, in words; a table of rules, worst first. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/communication.h"
#include "analysis/findings.h"
#include "analysis/gpu_memory.h"

static const struct column columns[] = {
	{ "severity", "severity", UNIT_TEXT, "info, warning, problem" },
	{ "text", "finding", UNIT_TEXT, "in words" },
	{ "evidence", "evidence", UNIT_TREE, "the numbers behind it" },
};

#define FIRST_CALL_LEAST 1000000	/* ns: shorter ones are not worth a word */

enum severity { INFO, WARNING, PROBLEM };

static const char *const severities[] = { "info", "warning", "problem" };

/* A finding; takes the reference to the evidence, adds whom it concerns. */
static void __attribute__((format(printf, 5, 6)))
found(struct table *t, enum severity severity, const struct process *p, json_t *evidence,
      const char *format, ...)
{
	char text[768];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (p)
		json_object_set_new(evidence, "process", json_integer(p->report_id));
	table_add_row(t);
	table_set_text(t, "severity", severities[severity]);
	table_set_text(t, "text", text);
	table_set_tree(t, "evidence", evidence);
}

/* ---- rules on a process ---- */

/* After a failed allocation a program often dies somewhere else: the two are told together. */
static void died(struct table *t, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	struct process_end e = process_end(p);
	char name[32], size[32], before[160] = "";
	uint64_t failed = p->failed_count + g->failed;

	if (e.ending != END_SIGNAL && !(e.ending == END_STATUS && e.code) && !e.killed)
		return;
	if (failed)
		snprintf(before, sizeof(before), "; before, %" PRIu64 " allocation%s had failed (%s)",
			 failed, failed == 1 ? "" : "s",
			 bytes_text(size, sizeof(size), (double)(g->failed ? g->failures[0].size :
									    p->failed[0].size)));
	if (e.ending == END_SIGNAL)
		found(t, PROBLEM, p, json_pack("{s:i}", "signal", e.code), "%s died of %s%s", process_who(p),
		      signal_name(e.code, name, sizeof(name)), before);
	else if (e.ending == END_STATUS)
		found(t, PROBLEM, p, json_pack("{s:i}", "status", e.code),
		      "%s ended with status %d%s", process_who(p), e.code, before);
	else
		found(t, PROBLEM, p, json_pack("{s:b}", "killed", 1),
		      "%s is gone without having ended, so it was killed%s", process_who(p), before);
}

static void allocation_failed(struct table *t, const struct process *p)
{
	const struct failed_allocation *f = &p->failed[0];
	const struct library *l = process_library(p, f->library);
	char size[32], live[32];

	if (!p->failed_count)
		return;
	found(t, PROBLEM, p,
	      json_pack("{s:I, s:I, s:I}", "count", (json_int_t)p->failed_count, "size_bytes",
			(json_int_t)f->size, "t_ns", (json_int_t)f->t),
	      "%s: an allocation of %s by %s failed while %s were live%s", process_who(p),
	      bytes_text(size, sizeof(size), (double)f->size), l ? base_name(l->path) : "an unknown caller",
	      f->live == UNKNOWN ? "an unknown number of bytes"
				 : bytes_text(live, sizeof(live), (double)f->live),
	      p->failed_count > 1 ? ", and it was not the only one" : "");
}

/* The last one: frameworks give back what they can and try again before they give up. */
static void gpu_allocation_failed(struct table *t, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	const struct gpu_failure *f;
	char text[400];

	if (!g->failed)
		return;
	f = &g->failures[g->failures_kept - 1];
	found(t, PROBLEM, p,
	      json_pack("{s:I, s:I, s:I, s:I, s:o}", "count", (json_int_t)g->failed, "size_bytes",
			(json_int_t)f->size, "live_bytes", (json_int_t)f->live, "t_ns", (json_int_t)f->t,
			"holders", gpu_failure_holders(p, f)),
	      "%s: %s%s", process_who(p), gpu_failure_text(p, f, text, sizeof(text)),
	      g->failed > 1 ? "; others before it too" : "");
}

/* Who grows it: the library that has the most at the end. */
static void gpu_memory_grows(struct table *t, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	const struct gpu_library *most = NULL;
	char rate[32], sum[32];
	struct growth growth;

	if (!curve_growth(&p->curves[CURVE_GPU], &growth))
		return;
	for (size_t i = 0; i < g->library_count; i++)
		if (!most || g->libraries[i].live > most->live)
			most = &g->libraries[i];
	found(t, WARNING, p,
	      json_pack("{s:f, s:f, s:I}", "bytes_per_second", growth.per_second, "bytes", growth.total,
			"over_ns", (json_int_t)growth.duration),
	      "the GPU memory that %s has reserved keeps growing: %s a second, %s in all; most of it is held by %s",
	      process_who(p), bytes_text(rate, sizeof(rate), growth.per_second),
	      bytes_text(sum, sizeof(sum), growth.total),
	      most && *gpu_row_library_name(p, most->library) ? gpu_row_library_name(p, most->library)
							       : "an unknown caller");
}

static void too_many_threads(struct table *t, const struct process *p)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	int64_t peak = curve_max(&p->curves[CURVE_THREADS]);

	/* Frameworks make a pool or two of a thread a core, and a handful more. */
	if (!m || !m->cpus || peak < 4 * (int64_t)m->cpus + 16)
		return;
	found(t, WARNING, p, json_pack("{s:I, s:i}", "threads", (json_int_t)peak, "cpus", (int)m->cpus),
	      "%s had %" PRId64 " threads at once on %u CPU%s", process_who(p), peak, m->cpus,
	      m->cpus == 1 ? "" : "s");
}

static void heap_grows(struct table *t, const struct process *p)
{
	struct growth g;
	char rate[32], sum[32];

	if (p->heap_cover || !curve_growth(&p->curves[CURVE_HEAP], &g))
		return;
	found(t, WARNING, p,
	      json_pack("{s:f, s:f, s:I}", "bytes_per_second", g.per_second, "bytes", g.total, "over_ns",
			(json_int_t)g.duration),
	      "the heap of %s keeps growing: %s a second, %s in all", process_who(p),
	      bytes_text(rate, sizeof(rate), g.per_second), bytes_text(sum, sizeof(sum), g.total));
}

/* Layers whose first call makes a context, loads code or connects. */
static bool starts_up(const char *layer)
{
	return !strcmp(layer, "runtime") || !strcmp(layer, "driver") || !strcmp(layer, "opencl");
}

/* A share of a function that is really the price of starting: told apart from its steady calls. */
static void first_call(struct table *t, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct sums *s = profile_sums(f);
		const struct function *function = process_function(p, profile_function(f));
		uint64_t first = s == f->exact ? f->exact_first : f->events_first;
		char once[32], all[32], steady[32];

		if (s->calls < 2 || first < FIRST_CALL_LEAST || first * 2 < s->total ||
		    !starts_up(function->layer))
			continue;
		found(t, INFO, p,
		      json_pack("{s:s, s:I, s:I, s:I}", "function", function->name, "first_ns", (json_int_t)first,
				"total_ns", (json_int_t)s->total, "calls", (json_int_t)s->calls),
		      "%s: the first %s took %s of the %s of all %" PRIu64
		      " calls (a context is made, code is loaded); the others took %s on average",
		      process_who(p), function->name, time_text(once, sizeof(once), (double)first),
		      time_text(all, sizeof(all), (double)s->total), s->calls,
		      time_text(steady, sizeof(steady),
				(double)(s->total > first ? s->total - first : 0) / (double)(s->calls - 1)));
	}
}

static void events_lost(struct table *t, const struct process *p)
{
	uint64_t lost = process_lost(p);

	if (!lost)
		return;
	found(t, lost * 100 > p->emitted ? WARNING : INFO, p,
	      json_pack("{s:I, s:I}", "lost", (json_int_t)lost, "emitted", (json_int_t)p->emitted),
	      "%" PRIu64 " of %" PRIu64 " events of %s were lost", lost, p->emitted, process_who(p));
}

static void heap_not_ours(struct table *t, const struct process *p)
{
	if (!p->heap_cover || p->traced)
		return;
	found(t, INFO, p, json_pack("{s:i}", "heap", (int)p->heap_cover),
	      "the heap of %s cannot be seen: it does not use the C library's malloc", process_who(p));
}

static void call_failed(struct table *t, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct function *fn = process_function(p, profile_function(f));
		const char *error = call_error_name(fn->layer, f->failed_code), *name;

		if (!f->timed || f->failed_at == UNKNOWN || gpu_failure_of(p, profile_function(f)))
			continue;
		name = fn->name;
		found(t, WARNING, p,
		      json_pack("{s:s, s:i, s:I}", "function", name, "code", f->failed_code, "count",
				(json_int_t)f->events.failed),
		      "%s: %s failed with %d%s%s%s, %" PRIu64 " time%s", process_who(p), name, f->failed_code,
		      *error ? " (" : "", error, *error ? ")" : "", f->events.failed,
		      f->events.failed == 1 ? "" : "s");
	}
}

static void (*const process_rules[])(struct table *, const struct process *) = {
	died, allocation_failed, gpu_allocation_failed, call_failed, heap_grows, gpu_memory_grows,
	too_many_threads, first_call, events_lost, heap_not_ours,
};

/* ---- rules on a trace ---- */

/* Words of the recorder's watchdog, the warnings and problems among them. */
static void recorder_says(struct table *table, const struct trace *t)
{
	for (size_t i = 0; i < t->note_count; i++) {
		const struct note *n = &t->notes[i];

		/* The reader's stand among the limits; who was killed, rules tell. */
		if (n->t == UNKNOWN || n->severity == INFO || !strcmp(n->kind, NOTE_KILLED))
			continue;
		found(table, n->severity < PROBLEM ? WARNING : PROBLEM, NULL,
		      json_pack("{s:s, s:I}", "kind", n->kind, "value", (json_int_t)n->value),
		      "the recorder says: %s", n->text);
	}
}

static void nothing_there(struct table *table, const struct trace *t)
{
	if (t->events || t->error < 0)
		return;
	found(table, PROBLEM, NULL, json_pack("{s:I}", "trace", (json_int_t)t->index),
	      "the trace holds no events of dltrace: was the program started with it?");
}

#define CLEARLY 0.1	/* of the time from the first call to the last ... */
#define WORTH_WAITING 1e8	/* ... and so many ns: ranks that start are never quite together */

/* Who is waited for is late at every collective: it waits least. */
static void rank_straggles(struct table *table, const struct trace *t)
{
	struct comm_balance b;

	for (size_t i = 0; comm_balance(t, i, &b); i++) {
		json_t *evidence;

		if (b.others - b.least < CLEARLY || b.others < 2 * b.least ||
		    (b.others - b.least) * (double)b.time < WORTH_WAITING)
			continue;
		evidence = json_pack("{s:s, s:i, s:I, s:f, s:f}", "communicator", b.name, "ranks",
				     (int)b.members, "rank", (json_int_t)b.least_rank, "share", b.least,
				     "others_share", b.others);
		found(table, WARNING, b.least_process, evidence,
		      "rank %" PRId64 " keeps the others waiting on %s: from the first blocking call to "
		      "the last they are inside for %.0f %% of the time, rank %" PRId64 " for %.0f %%",
		      b.least_rank, b.name, 100 * b.others, b.least_rank, 100 * b.least);
	}
}

#define WORTH_A_WORD 0.05

static void communication_share(struct table *table, const struct trace *t)
{
	struct comm_share s = comm_share(t);

	if (s.processes < 2 || s.mean < WORTH_A_WORD)
		return;
	found(table, INFO, NULL,
	      json_pack("{s:i, s:f, s:f, s:f}", "processes", (int)s.processes, "share", s.mean, "least",
			s.least, "most", s.most),
	      "%zu processes spent %.0f %% of their time in blocking communication (%.0f %% to %.0f %%)",
	      s.processes, 100 * s.mean, 100 * s.least, 100 * s.most);
}

static void (*const trace_rules[])(struct table *, const struct trace *) = {
	recorder_says, nothing_there, rank_straggles, communication_share,
};

/* ---- */

#define RULES(array) (sizeof(array) / sizeof(*(array)))

static void run_rules(const struct trace *t, struct table *table)
{
	for (size_t i = 0; i < RULES(trace_rules); i++)
		trace_rules[i](table, t);
	for (size_t i = 0; i < RULES(process_rules); i++)
		for (size_t j = 0; j < t->process_count; j++)
			if (process_shown(t->processes[j]))
				process_rules[i](table, t->processes[j]);
}

/* Worst first; the order of the rules inside. */
static void sort(const struct table *from, struct table *to)
{
	for (int severity = PROBLEM; severity >= INFO; severity--) {
		for (size_t i = 0; i < from->row_count; i++) {
			const char *is = cell_text(table_get(from, i, "severity"));

			if (strcmp(is, severities[severity]))
				continue;
			table_add_row(to);
			table_set_text(to, "severity", is);
			table_set_text(to, "text", cell_text(table_get(from, i, "text")));
			table_set_tree(to, "evidence",
				       json_incref(table_get(from, i, "evidence")->tree));
		}
	}
}

void run_findings(const struct model *m, struct report *r)
{
	struct report *scratch = report_new();
	struct table *t = report_add_table(scratch, "findings", "", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++)
		run_rules(m->traces[i], t);
	sort(t, report_add_table(r, "findings", "Findings", COLUMNS(columns)));
	report_free(scratch);
}

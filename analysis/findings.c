/* SPDX-License-Identifier: MIT */
/* The table `findings`: what is wrong, or worth knowing, in words. The table of rules; worst first. */
#include "analysis/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/phases.h"
#include "analysis/rules/rules.h"

static const struct column columns[] = {
	{ "severity", "severity", UNIT_TEXT, "info, warning, problem" },
	{ "rule", "rule", UNIT_TEXT, "which one found it" },
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "process", "process", UNIT_ID, "id of the process; missing: the trace" },
	{ "since_ns", "since", UNIT_TIME, "when it began" },
	{ "phase", "phase", UNIT_TEXT, "at that time, of the process that trains" },
	{ "stake_ns", "time", UNIT_NS, "lost to it, or that could be won" },
	{ "stake_bytes", "bytes", UNIT_BYTES, "that it is about" },
	{ "text", "finding", UNIT_TEXT, "in words" },
	{ "advice", "what to do", UNIT_TEXT, "" },
	{ "evidence", "evidence", UNIT_TREE, "the numbers behind it" },
};

/* In the order in which equally grave ones are told. */
static const struct rule rules[] = {
	{ "no_events", DLT_PROBLEM, .trace = rule_no_events, .advice =
	  "Start the program by dltrace-record, or with libdltrace.so in LD_PRELOAD." },
	{ "recorder", DLT_WARNING, .trace = rule_recorder },
	{ "died", DLT_PROBLEM, .process = rule_died, .advice =
	  "See the section on failures: what was in flight, and who held the memory." },
	{ "allocation_failed", DLT_PROBLEM, .process = rule_allocation_failed, .advice =
	  "A smaller batch needs less memory; see the heap's curve for when it grew." },
	{ "gpu_allocation_failed", DLT_PROBLEM, .process = rule_gpu_allocation_failed, .advice =
	  "A smaller batch, or less held by the libraries named." },
	{ "call_failed", DLT_WARNING, .process = rule_call_failed },
	{ "heap_grows", DLT_WARNING, .process = rule_heap_grows, .advice =
	  "Look for what is kept from one iteration to the next: losses not detached, lists of tensors, "
	  "caches without a bound." },
	{ "gpu_memory_grows", DLT_WARNING, .process = rule_gpu_memory_grows, .advice =
	  "Look for tensors kept from one iteration to the next; losses are to be added up as numbers." },
	{ "memory_full", DLT_WARNING, .trace = rule_memory_full, .advice =
	  "A smaller batch, fewer workers, or more memory; beyond the limit the kernel kills." },
	{ "gpu_idle", DLT_WARNING, .process = rule_gpu_idle },	/* its advice goes with the cause */
	{ "waits_for_gpu", DLT_WARNING, .process = rule_waits_for_gpu, .advice =
	  "Read results (item(), printing, metrics) every so many iterations only; copy without blocking, "
	  "from pinned memory." },
	{ "gpu_allocations", DLT_WARNING, .process = rule_gpu_allocations, .advice =
	  "Let the framework's pool keep memory (no empty_cache in the loop, equal shapes), or allocate by "
	  "cudaMallocAsync." },
	{ "small_kernels", DLT_WARNING, .process = rule_small_kernels, .advice =
	  "Larger batches, or fewer kernels: fused operations and optimisers, torch.compile, CUDA graphs, which "
	  "launch many at once." },
	{ "pageable_copies", DLT_WARNING, .process = rule_pageable, .advice =
	  "Load into pinned memory (pin_memory=True) and copy with non_blocking=True." },
	{ "waits_for_workers", DLT_WARNING, .process = rule_waits_for_workers, .advice =
	  "More workers, more batches ahead (prefetch_factor), or less work for each sample." },
	{ "others_busy", DLT_WARNING, .trace = rule_others_busy, .advice =
	  "Its times tell little of the program itself: run it again when the machine has nothing else to do, or "
	  "keep the others off some cores (taskset, a cpuset)." },
	{ "crowded", DLT_WARNING, .trace = rule_crowded, .advice =
	  "Set the number of threads to that of the cores, over all processes (OMP_NUM_THREADS, "
	  "torch.set_num_threads)." },
	{ "too_many_threads", DLT_WARNING, .process = rule_too_many_threads, .advice =
	  "Threads are made without a bound: use a pool, or set the library's number of threads." },
	{ "thread_churn", DLT_WARNING, .trace = rule_thread_churn, .advice =
	  "Use one number of threads throughout: OpenMP ends and makes threads where it changes; or a "
	  "pool." },
	{ "thread_again", DLT_WARNING, .process = rule_thread_again, .advice =
	  "Threads are made and ended for single images or steps: use a pool, or loaders of a fixed number." },
	{ "process_each_step", DLT_WARNING, .process = rule_process_each_step, .advice =
	  "Keep worker processes from one step to the next (persistent_workers=True, a pool)." },
	{ "short_processes", DLT_INFO, .trace = rule_short_processes, .advice =
	  "Compilers: keep what they made (a cache on disk) from run to run. Others: call a library instead." },
	{ "reads_files", DLT_WARNING, .process = rule_reads_files, .advice =
	  "Read once and keep what was decoded, in few large files on a local disk; map what is read again." },
	{ "rank_straggles", DLT_WARNING, .trace = rule_rank_straggles, .advice =
	  "Compare this rank's data, machine and GPU with the others'; uneven batches do this too." },
	{ "communication", DLT_INFO, .trace = rule_communication },
	{ "no_gpu", DLT_INFO, .trace = rule_no_gpu, .advice =
	  "If the machine has one: see nvidia-smi, and CUDA_VISIBLE_DEVICES." },
	{ "first_call", DLT_INFO, .process = rule_first_call, .advice =
	  "Leave the first calls out of a measurement, or call them before it." },
	{ "lazy_loading", DLT_INFO, .process = rule_lazy_loading, .advice =
	  "Leave the first iterations out of a measurement, or load all at once (CUDA_MODULE_LOADING=EAGER)." },
	{ "events_lost", DLT_WARNING, .process = rule_events_lost, .advice =
	  "Record at a lower level (-l summary), or with more room in /dev/shm." },
	{ "own_cost", DLT_INFO, .trace = rule_own_cost, .advice =
	  "Record at a lower level (-l summary), or with a larger --threshold." },
	{ "heap_not_seen", DLT_INFO, .process = rule_heap_not_seen },
};

#define RULES (sizeof(rules) / sizeof(*rules))

struct finding {
	const struct rule *rule;	/* borrowed */
	const struct trace *trace;	/* borrowed */
	const struct process *process;	/* borrowed; NULL: the trace */
	enum dlt_severity severity;
	struct stake stake;
	const char *advice;		/* static; NULL: none */
	json_t *evidence;		/* owned until it is in the table */
	char *text;			/* owned */
	size_t order;
};

struct findings {
	const struct report *report;
	const struct rule *rule;	/* that runs */
	const struct trace *trace;	/* that it looks at */
	enum dlt_severity severity;
	const char *advice;
	struct finding *list;		/* owned */
	size_t count, capacity;
};

const struct report *findings_report(const struct findings *f)
{
	return f->report;
}

void found_as(struct findings *f, enum dlt_severity severity)
{
	f->severity = severity;
}

void found_advising(struct findings *f, const char *advice)
{
	f->advice = advice;
}

static void as_row(struct findings *f)
{
	f->severity = f->rule->severity;
	f->advice = f->rule->advice;
}

void found(struct findings *f, const struct process *p, struct stake stake, json_t *evidence,
	   const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* A sample may be older than the trace's first event. */
	if (stake.since != UNKNOWN && stake.since < 0)
		stake.since = 0;
	if (p)
		json_object_set_new(evidence, "process", json_integer(p->report_id));
	f->list = xgrow(f->list, f->count, &f->capacity, sizeof(*f->list));
	f->list[f->count] = (struct finding){
		.rule = f->rule, .trace = p ? p->trace : f->trace, .process = p, .severity = f->severity,
		.stake = stake, .advice = f->advice, .evidence = evidence, .text = xcheck(strdup(text), 1),
		.order = f->count,
	};
	f->count++;
	as_row(f);
}

static void run_on(struct findings *f, const struct trace *t, const struct rule *rule)
{
	f->trace = t;
	f->rule = rule;
	as_row(f);
	if (rule->trace)
		rule->trace(f, t);
	for (size_t i = 0; rule->process && i < t->process_count; i++) {
		as_row(f);
		if (process_shown(t->processes[i]))
			rule->process(f, t->processes[i]);
	}
}

/* What is at stake as a share: of the run's time, or of the machine's memory. */
static double weight(const struct finding *f)
{
	const struct machine *m = trace_machine(f->trace, f->process ? f->process->host : f->trace->host);
	double time = f->trace->end > 0 ? f->stake.ns / (double)f->trace->end : 0;
	double memory = m && m->memory ? f->stake.bytes / (double)m->memory : 0;

	return time > memory ? time : memory;
}

/* Worst first; then what most is at stake in; then the order of the rules. */
static int compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double wx = weight(x), wy = weight(y);

	if (x->severity != y->severity)
		return (int)y->severity - (int)x->severity;
	if (wx != wy)
		return wx < wy ? 1 : -1;
	return x->order < y->order ? -1 : 1;
}

/* In which it began; "": it is tied to no time, or there are no phases. */
static const char *phase_since(const struct finding *f)
{
	const struct process *p = f->process ? f->process : trace_busiest(f->trace);

	return p ? phase_name_at(phases_around(p), f->stake.since) : "";
}

static void add_row(struct table *t, const struct finding *f)
{
	table_add_row(t);
	table_set_text(t, "severity", dlt_severity_name(f->severity));
	table_set_text(t, "rule", f->rule->name);
	table_set_uint(t, "trace", f->trace->index);
	if (f->process)
		table_set_int(t, "process", f->process->report_id);
	set_time(t, "since_ns", f->stake.since);
	set_text(t, "phase", phase_since(f));
	if (f->stake.ns > 0)
		table_set_real(t, "stake_ns", f->stake.ns);
	if (f->stake.bytes > 0)
		table_set_real(t, "stake_bytes", f->stake.bytes);
	table_set_text(t, "text", f->text);
	if (f->advice)
		table_set_text(t, "advice", f->advice);
	table_set_tree(t, "evidence", f->evidence);
}

void run_findings(const struct model *m, struct report *r)
{
	struct table *table = report_add_table(r, "findings", "Findings", COLUMNS(columns));
	struct findings f = { .report = r };

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < RULES; j++)
			run_on(&f, m->traces[i], &rules[j]);
	if (f.count)
		qsort(f.list, f.count, sizeof(*f.list), compare);
	for (size_t i = 0; i < f.count; i++) {
		add_row(table, &f.list[i]);
		free(f.list[i].text);
	}
	free(f.list);
}

/* SPDX-License-Identifier: MIT */
/* The table `findings`: what is wrong, or worth knowing, in words; worst first. */
#include "analysis/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/phases.h"

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

static const struct rule rules[] = {
#define RULE(of, name, severity, words) { #name, severity, .of = rule_##name, .advice = words },
#include "analysis/rules/rules.tbl"
#undef RULE
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
	model_alive(t->model);
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

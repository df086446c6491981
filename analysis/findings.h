/* SPDX-License-Identifier: MIT */
/*
 * Findings: what is wrong or worth knowing, in words, with the numbers behind it.
 *
 * A rule is one row of rules/rules.tbl and one function in analysis/rules/. It looks at the
 * model, and at the tables of the analyses before it; where it is not sure it says nothing, since a
 * false alarm costs more than silence. What it says is `found()`.
 */
#ifndef DLT_ANALYSIS_FINDINGS_H
#define DLT_ANALYSIS_FINDINGS_H

#include <stdint.h>

#include "analysis/analyses.h"
#include "severity.h"

struct findings;

typedef void process_rule(struct findings *f, const struct process *p);
typedef void trace_rule(struct findings *f, const struct trace *t);

#define RULE(of, name, severity, words) of##_rule rule_##name;
#include "analysis/rules/rules.tbl"
#undef RULE

struct rule {
	const char *name;
	enum dlt_severity severity;
	process_rule *process; /* for every process that is shown */
	trace_rule *trace;     /* or for every trace */
	const char *advice;   /* what to do; NULL: the text says all */
};

/* What findings are ordered by within a severity, as a share of the run's time or the machine's
 * memory. */
struct stake {
	int64_t since;	  /* ns since the trace's begin; UNKNOWN: not tied to a time */
	double ns, bytes; /* lost, or that could be won; 0: none */
};

#define NO_STAKE ((struct stake){.since = UNKNOWN})

/*
 * What has been found, by the rule that is running; of a process, or of the trace (NULL). Takes the
 * reference to the evidence, an object.
 */
void found(struct findings *f, const struct process *p, struct stake stake, json_t *evidence,
	   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* For what the running rule finds next: another severity than its row's. */
void found_as(struct findings *f, enum dlt_severity severity);

/* Likewise: another advice (static; NULL: none). */
void found_advising(struct findings *f, const char *advice);

/* The tables of the analyses that ran before. */
const struct report *findings_report(const struct findings *f);

#endif

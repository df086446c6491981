/* SPDX-License-Identifier: MIT */
/* The table `checks`: what must hold in a report, checked for each trace. */
#include "analysis/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "check", "check", UNIT_TEXT, "its name" },
	{ "result", "result", UNIT_TEXT, "passed, failed, not applicable" },
	{ "title", "what holds", UNIT_TEXT, "what is true when it passes" },
	{ "compared", "compared", UNIT_COUNT, "how many things were compared" },
	{ "off", "off by", UNIT_REAL, "by how much it is off, in `unit`; missing: not applicable" },
	{ "unit", "unit", UNIT_TEXT, "events, bytes, ns, ..." },
	{ "text", "in words", UNIT_TEXT, "what was compared, and what is wrong" },
};

static const struct check checks[] = {
	{ "readable", "all of the trace could be read", "problems", check_readable, true },
	{ "emitted", "what each thread and process emitted was read, once", "events", check_emitted, true },
	{ "totals", "functions whose every call is an event: events as in the process's totals",
	  "calls", check_totals, true },
	{ "named", "every id is named", "ids", check_named, false },
	{ "ended", "every process has ended, and how is known", "processes", check_ended, true },
	{ "heap", "allocated - freed + inherited = live, never below 0", "bytes", check_heap, false },
	{ "heap-peak", "the peak is never below what is live", "bytes", check_heap_peak, false },
	{ "heap-events", "level full: heap calls that are events as in the process's counters",
	  "calls", check_heap_events, true },
	{ "gpu-memory", "the ledger of GPU memory agrees with itself", "bytes", check_gpu_ledger, false },
	{ "gpu-memory-events", "allocations that are events as in the ledger of GPU memory", "bytes",
	  check_gpu_memory_events, true },
	{ "gpu-kernels", "kernels that the GPU ran = launches, those of graphs resolved", "kernels",
	  check_gpu_kernels, true },
	{ "gpu-copies", "copies and sets that the GPU did = those asked for", "copies",
	  check_gpu_copies, true },
	{ "shares", "the shares of each denominator add up to 1", "of 1", check_shares, false },
	{ "phases", "all phases, and what is in none, add up to the whole", "ns", check_phases, false },
	{ "nesting", "no time is counted twice", "ns", check_nesting, false },
	{ "clocks", "no clock went backwards", "readings", check_clocks, false },
	{ "clock-rate", "the time-stamp counter runs evenly", "ns", check_clock_rate, false },
};

#define CHECKS (sizeof(checks) / sizeof(*checks))

void check_verdict(struct check_result *c, uint64_t compared, double off, const char *format, ...)
{
	va_list args;

	if (!compared) {
		check_not_applicable(c, "there is nothing of the kind");
		return;
	}
	c->state = off ? CHECK_FAILED : CHECK_PASSED;
	c->compared = compared;
	c->off = off;
	va_start(args, format);
	vsnprintf(c->text, sizeof(c->text), format, args);
	va_end(args);
}

void check_not_applicable(struct check_result *c, const char *why)
{
	*c = (struct check_result){ .state = CHECK_NOT_APPLICABLE };
	snprintf(c->text, sizeof(c->text), "%s", why);
}

bool process_whole(const struct process *p)
{
	struct process_end end = process_end(p);

	return p->from_start && p->final_seen && !p->traced && !process_lost(p) && !end.killed &&
	       end.ending != END_SIGNAL && !p->trace->discarded;
}

/* With a filter, parts of what belongs together are missing. */
static bool is_filtered(const struct model_options *o)
{
	return o->process || o->rank || o->host || o->framework || o->function || o->layer ||
	       o->phase || o->from != INT64_MIN || o->to != INT64_MAX;
}

static void add_row(struct table *table, const struct trace *t, const struct check *check,
		    const struct check_result *c)
{
	static const char *const states[] = {
		[CHECK_NOT_APPLICABLE] = "not applicable", [CHECK_PASSED] = "passed",
		[CHECK_FAILED] = "failed",
	};

	table_add_row(table);
	table_set_uint(table, "trace", t->index);
	table_set_text(table, "check", check->name);
	table_set_text(table, "result", states[c->state]);
	table_set_text(table, "title", check->title);
	table_set_text(table, "unit", check->unit);
	table_set_uint(table, "compared", c->compared);
	if (c->state != CHECK_NOT_APPLICABLE)
		table_set_real(table, "off", c->off);
	table_set_text(table, "text", c->text);
}

void run_checks(const struct model *m, struct report *r)
{
	struct table *table = report_add_table(r, "checks", "Checks", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++) {
		for (size_t j = 0; j < CHECKS; j++) {
			struct check_result c = { .state = CHECK_NOT_APPLICABLE };

			if (is_filtered(&m->options))
				check_not_applicable(&c, "only a part of the trace is looked at");
			else if (checks[j].whole && m->traces[i]->running)
				check_not_applicable(&c, "it is still being recorded");
			else if (!m->traces[i]->started && checks[j].run != check_readable)
				check_not_applicable(&c, "there are no events");
			else
				checks[j].run(m->traces[i], r, &c);
			add_row(table, m->traces[i], &checks[j], &c);
		}
	}
}

/* SPDX-License-Identifier: MIT */
/* Rules: what the recording itself suffered from. */
#include <string.h>

#include "analysis/cost.h"
#include "analysis/findings.h"

/* Words of the recorder's watchdog, the warnings and problems among them. */
void rule_recorder(struct findings *f, const struct trace *t)
{
	for (size_t i = 0; i < t->note_count; i++) {
		const struct note *n = &t->notes[i];

		/* The reader's stand among the limits; who was killed, rules tell. */
		if (n->t == UNKNOWN || n->severity == DLT_INFO || !strcmp(n->kind, NOTE_KILLED) ||
		    !strcmp(n->kind, NOTE_OOM))
			continue;
		found_as(f, n->severity < DLT_PROBLEM ? DLT_WARNING : DLT_PROBLEM);
		found(f, NULL, (struct stake){.since = n->t},
		      json_pack("{s:o, s:I}", "kind", json_name(n->kind), "value", (json_int_t)n->value),
		      "the recorder says: %s", n->text);
	}
}

void rule_no_events(struct findings *f, const struct trace *t)
{
	if (t->events || t->error < 0 || trace_other_layout(t))
		return;
	found(f, NULL, NO_STAKE, json_pack("{s:I}", "trace", (json_int_t)t->index),
	      "the trace holds no events of dltrace: was the program started with it?");
}

/* As the reader says; what LTTng lost was written nowhere, and what is being written ends somewhere. */
static bool is_damage(const struct trace *t, const struct note *n)
{
	static const char *const kinds[] = { "truncated", "corrupt", "unreadable" };

	if (t->running && !strcmp(n->kind, "truncated"))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (n->t == UNKNOWN && !strcmp(n->kind, kinds[i]))
			return true;
	return false;
}

static uint64_t damages(const struct trace *t, const struct note **first)
{
	uint64_t count = 0;

	for (size_t i = t->note_count; i--;)
		if (is_damage(t, &t->notes[i])) {
			*first = &t->notes[i];
			count += t->notes[i].count;
		}
	return count;
}

void rule_damaged(struct findings *f, const struct trace *t)
{
	const struct note *first = NULL;
	uint64_t count = damages(t, &first);

	if (!count || !t->events)
		return;
	found(f, NULL, NO_STAKE, json_pack("{s:I, s:o}", "problems", (json_int_t)count, "kind", json_name(first->kind)),
	      count > 1 ? "part of the trace is missing or broken: %s; and %s more such" :
			  "part of the trace is missing or broken: %s", first->text, COUNT_TEXT(count - 1));
}

void rule_other_build(struct findings *f, const struct trace *t)
{
	const struct note *n = trace_other_layout(t);

	if (n)
		found(f, NULL, NO_STAKE, json_pack("{s:I}", "events", (json_int_t)n->value), "%s", n->text);
}

/* Of a trace of which a part is missing, or not written yet, nobody knows whether they were. */
void rule_events_lost(struct findings *f, const struct process *p)
{
	uint64_t lost = process_lost(p);
	const struct note *damage;

	if (!lost || p->trace->running || trace_other_layout(p->trace) ||
	    (!p->trace->told_lost && !p->trace->discarded && damages(p->trace, &damage)))
		return;
	found_as(f, lost * 100 > p->emitted ? DLT_WARNING : DLT_INFO);
	found(f, p, NO_STAKE,
	      json_pack("{s:I, s:I}", "lost", (json_int_t)lost, "emitted", (json_int_t)p->emitted),
	      "%s of %s events of %s were lost", COUNT_TEXT(lost), COUNT_TEXT(p->emitted),
	      process_who(p));
}

void rule_heap_not_seen(struct findings *f, const struct process *p)
{
	if (!p->heap_cover || p->traced)
		return;
	found(f, p, NO_STAKE, json_pack("{s:i}", "heap", (int)p->heap_cover),
	      "the heap of %s cannot be seen: it does not use the C library's malloc",
	      process_who(p));
}

#define COST_TOLD  0.01 /* of the programs' CPU time, with warm caches */
#define COST_GRAVE 0.05

/* The low end of the estimate: with caches warm it is surely that much. */
void rule_own_cost(struct findings *f, const struct trace *t)
{
	struct cost c = trace_cost(t);
	char low[32], high[32], share[40], parts[400];

	if (c.cpu <= 0 || c.low < COST_TOLD * c.cpu)
		return;
	if (c.low >= COST_GRAVE * c.cpu)
		found_as(f, DLT_WARNING);
	found(f, NULL, (struct stake){.since = UNKNOWN, .ns = c.low},
	      json_pack("{s:f, s:f, s:f}", "low_ns", c.low, "high_ns", c.high, "cpu_ns", c.cpu),
	      "tracing itself cost %s to %s of CPU time, %s of what the programs used: %s",
	      time_text(low, sizeof(low), c.low), time_text(high, sizeof(high), c.high),
	      cost_share(&c, share, sizeof(share)), cost_text(&c, parts, sizeof(parts)));
}

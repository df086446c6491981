/* SPDX-License-Identifier: MIT */
/* Rules: what others did on the machine meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/rules/work.h"

#define BUSY_LEAST   0.9	/* of the cores: hardly anything was left */
#define OTHERS_LEAST 0.25	/* of them, for other programs */
#define UNSEEN_LEAST 0.005	/* of them: less is not to be seen in whole per cents */

static double own_cpu(const struct trace *t, const struct machine *m, struct span s)
{
	double sum = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];

		if (!p->merged && !process_foreign(p) && p->host == m->host)
			sum += (double)load_risen(p, &p->load.cpu, s.begin, s.end);
	}
	return sum;
}

/* ---- what is not known of the run itself ---- */

struct spans {
	struct span *list;	/* owned */
	size_t count, capacity;
};

static void add_span(struct spans *s, int64_t begin, int64_t end)
{
	s->list = xgrow(s->list, s->count, &s->capacity, sizeof(*s->list));
	s->list[s->count++] = (struct span){ begin, end };
}

/* When processes of its were there that nobody counts the CPU time of: those that are not traced. */
static void add_unseen(struct spans *s, const struct process *p)
{
	const struct children *c = &p->offspring;

	for (size_t i = 0; i < c->kept; i++)
		if (c->list[i].unseen)
			add_span(s, c->list[i].begin, c->list[i].end);
	if (c->count > c->kept)
		add_span(s, c->list[c->kept - 1].begin, INT64_MAX);
	if (process_goes_on_unseen(p))
		add_span(s, p->end != UNKNOWN ? p->end : 0, INT64_MAX);
}

/* All that the run had was that of a command that cannot be seen, or of what this started. */
static bool is_command_unseen(const struct trace *t)
{
	for (size_t i = 0; i < t->note_count; i++)
		if (!strcmp(t->notes[i].kind, NOTE_STATIC) || !strcmp(t->notes[i].kind, NOTE_OTHER_KIND))
			return true;
	return false;
}

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* ns of `within` that lie in at least one of them. */
static double covered(struct spans *s, struct span within)
{
	int64_t until = within.begin;
	double sum = 0;

	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_begin);
	for (size_t i = 0; i < s->count; i++) {
		struct span one = s->list[i];

		one.begin = one.begin > until ? one.begin : until;
		one.end = one.end < within.end ? one.end : within.end;
		sum += span_length(one);
		until = one.end > until ? one.end : until;
	}
	return sum;
}

/* The most that those may have had of it, with what they make in turn: all cores, as long as one of them was there. */
static double unseen_cpu(const struct trace *t, const struct machine *m, struct span s)
{
	struct spans unseen = { 0 };
	double sum;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];

		if (!p->merged && !process_foreign(p) && p->host == m->host)
			add_unseen(&unseen, p);
	}
	if (is_command_unseen(t))
		add_span(&unseen, 0, INT64_MAX);
	sum = covered(&unseen, s) * m->cpus;
	free(unseen.list);
	return sum;
}

/* ---- what others had ---- */

/* By counters at the first sample and the last: the kernel's, and those of the processes. */
static void others_on(struct findings *f, const struct trace *t, const struct machine *m)
{
	struct span s = { m->busy_from, m->busy_to };
	double all = span_length(s) * m->cpus, busy, own, unseen;
	char children[80] = "";

	if (m->busy_from == UNKNOWN || span_length(s) < WORK_LEAST || !m->cpus)
		return;
	busy = (double)(m->busy_last - m->busy_first) / all;
	own = own_cpu(t, m, s) / all;
	if (busy < BUSY_LEAST || busy - own < OTHERS_LEAST)
		return;
	unseen = unseen_cpu(t, m, s) / all;
	if (busy - own - unseen < OTHERS_LEAST)
		return;
	if (unseen >= UNSEEN_LEAST)
		snprintf(children, sizeof(children), ", up to %.0f %% with its processes that are not traced",
			 100 * (own + unseen));
	found(f, NULL, NO_STAKE,
	      json_pack("{s:o, s:f, s:f, s:f, s:i}", "host", json_name(m->host), "busy", busy, "run", own, "unseen",
			unseen, "cpus", (int)m->cpus),
	      "other programs had %s%.0f %% of the CPU time of %s's %u core%s, this run %.0f %%%s, and nearly nothing "
	      "was left: it may have been slower for that",
	      *children ? "at least " : "", 100 * (busy - own - (*children ? unseen : 0)), m->host, m->cpus,
	      m->cpus == 1 ? "" : "s", 100 * own, children);
}

void rule_others_busy(struct findings *f, const struct trace *t)
{
	for (size_t i = 0; i < t->machine_count; i++)
		others_on(f, t, &t->machines[i]);
}

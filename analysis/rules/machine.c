/* SPDX-License-Identifier: MIT */
/* Rules: what others did on the machine meanwhile. */
#include "analysis/rules/work.h"

#define BUSY_LEAST   0.9	/* of the cores: hardly anything was left */
#define OTHERS_LEAST 0.25	/* of them, for other programs */

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

/* By counters at the first sample and the last: the kernel's, and those of the processes. */
static void others_on(struct findings *f, const struct trace *t, const struct machine *m)
{
	struct span s = { m->busy_from, m->busy_to };
	double all = span_length(s) * m->cpus, busy, own;

	if (m->busy_from == UNKNOWN || span_length(s) < WORK_LEAST || !m->cpus)
		return;
	busy = (double)(m->busy_last - m->busy_first) / all;
	own = own_cpu(t, m, s) / all;
	if (busy < BUSY_LEAST || busy - own < OTHERS_LEAST)
		return;
	found(f, NULL, NO_STAKE,
	      json_pack("{s:o, s:f, s:f, s:i}", "host", json_name(m->host), "busy", busy, "run", own, "cpus",
			(int)m->cpus),
	      "other programs had %.0f %% of the CPU time of %s's %u core%s, this run %.0f %%, and nearly nothing was "
	      "left: it may have been slower for that",
	      100 * (busy - own), m->host, m->cpus, m->cpus == 1 ? "" : "s", 100 * own);
}

void rule_others_busy(struct findings *f, const struct trace *t)
{
	for (size_t i = 0; i < t->machine_count; i++)
		others_on(f, t, &t->machines[i]);
}

/* SPDX-License-Identifier: MIT */
/* The table `phases`: what a process did before its iterations, in them, and after them. */
#include "analysis/phases.h"

#include <string.h>

#include "analysis/analyses.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "start-up, compilation, warm-up, steady, end" },
	{ "begin_ns", "from", UNIT_TIME, "" },
	{ "end_ns", "to", UNIT_TIME, "" },
	{ "duration_ns", "duration", UNIT_NS, "" },
	{ "iterations", "iterations", UNIT_COUNT, "that begin in it" },
	{ "cpu_ns", "CPU time", UNIT_NS, "in it; between samples by proportion" },
	{ "cpu_cores", "cores", UNIT_REAL, "CPU time by time" },
	{ "share", "of its life", UNIT_FRACTION, "of the process's life" },
};

static void add_phase(struct phases *ph, const char *name, int64_t begin, int64_t end, uint64_t count)
{
	if (end > begin && ph->count < PHASES_MAX)
		ph->list[ph->count++] = (struct phase){ name, begin, end, count };
}

struct phases process_phases(const struct process *p)
{
	const struct iterations *it = process_iterations(p);
	int64_t begin = p->begin != UNKNOWN ? p->begin : 0;
	int64_t end = p->end != UNKNOWN ? p->end : p->trace->end;
	struct phases ph = { .count = 0 };
	int64_t warm;

	if (!it->how)
		return ph;
	warm = it->warm_up ? it->list[it->warm_up - 1].end : it->begin;
	add_phase(&ph, "start-up", begin, it->begin, 0);
	add_phase(&ph, "warm-up", it->begin, warm, it->warm_up);
	add_phase(&ph, "steady", warm, it->end, it->count - it->warm_up);
	add_phase(&ph, "end", it->end, end, 0);
	return ph;
}

static void add(const struct process *p, struct table *t)
{
	struct phases ph = process_phases(p);
	uint64_t life = process_life(p);

	for (size_t i = 0; i < ph.count; i++) {
		const struct phase *one = &ph.list[i];

		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_text(t, "phase", one->name);
		table_set_int(t, "begin_ns", one->begin);
		table_set_int(t, "end_ns", one->end);
		table_set_int(t, "duration_ns", one->end - one->begin);
		table_set_uint(t, "iterations", one->iterations);
		if (life)
			table_set_real(t, "share", (double)(one->end - one->begin) / (double)life);
	}
}

void run_phases(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "phases", "Phases", COLUMNS(columns)), add);
}

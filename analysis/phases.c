/* SPDX-License-Identifier: MIT */
/* The table `phases`: not filled yet, there so that readers find it. */
#include "analysis/analyses.h"

static const struct column phase_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "start-up, compilation, warm-up, steady" },
	{ "begin_ns", "begin", UNIT_TIME, "" },
	{ "end_ns", "end", UNIT_TIME, "" },
};

void run_phases(const struct model *m, struct report *r)
{
	(void)m;
	report_add_table(r, "phases", "Phases", COLUMNS(phase_columns));
}

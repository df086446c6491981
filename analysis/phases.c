/* SPDX-License-Identifier: MIT */
/* The tables `phases` and `iterations`: not filled yet, there so that readers find them. */
#include "analysis/analyses.h"

static const struct column phase_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "start-up, compilation, warm-up, steady" },
	{ "begin_ns", "begin", UNIT_TIME, "" },
	{ "end_ns", "end", UNIT_TIME, "" },
};

static const struct column iteration_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "count", "count", UNIT_COUNT, "iterations found" },
	{ "median_ns", "median", UNIT_NS, "of one iteration" },
	{ "epochs", "epochs", UNIT_TREE, "what was found of epochs" },
};

void run_phases(const struct model *m, struct report *r)
{
	(void)m;
	report_add_table(r, "phases", "Phases", COLUMNS(phase_columns));
	report_add_table(r, "iterations", "Iterations", COLUMNS(iteration_columns));
}

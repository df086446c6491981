/* SPDX-License-Identifier: MIT */
/* Running all analyses. */
#include "analysis/analyses.h"

const struct analysis analyses[] = {
#define ANALYSIS(name) { #name, run_##name },
#include "analysis/analyses.tbl"
#undef ANALYSIS
};

const size_t analysis_count = sizeof(analyses) / sizeof(*analyses);

void analyses_run(const struct model *m, struct report *r)
{
	for (size_t i = 0; i < analysis_count; i++) {
		model_alive(m);
		analyses[i].run(m, r);
	}
}

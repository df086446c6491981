/* SPDX-License-Identifier: MIT */
/* The list of analyses, in the order of their tables. A new one: its file, and a line here. */
#include "analysis/analyses.h"

const struct analysis analyses[] = {
	{ "traces", run_traces },
	{ "machines", run_machines },
	{ "processes", run_processes },
	{ "threads", run_threads_table },
	{ "libraries", run_libraries },
	{ "coverage", run_coverage },
	{ "breakdown", run_breakdown },
	{ "shares", run_shares },
	{ "kernels", run_kernels },
	{ "graphs", run_graphs },
	{ "communication", run_communication },
	{ "heap", run_heap },
	{ "gpu_memory", run_gpu_memory },
	{ "gpu_work", run_gpu_work },
	{ "phases", run_phases },
	{ "phase_functions", run_phase_functions },
	{ "phase_kernels", run_phase_kernels },
	{ "phase_memory", run_phase_memory },
	{ "phase_communication", run_phase_communication },
	{ "phase_gpu_work", run_phase_gpu_work },
	{ "iterations", run_iterations },
	{ "epochs", run_epochs },
	{ "slow_iterations", run_slow_iterations },
	{ "ranges", run_ranges },
	{ "range_calls", run_range_calls },
	{ "marks", run_marks },
	{ "curves", run_curves },
	{ "failures", run_failures },
	{ "findings", run_findings },
	{ "limits", run_limits },
	{ "regroupings", run_regroupings },
	{ "comparison", run_comparison },
	{ "scaling", run_scaling },
	{ "clocks", run_clocks },
	{ "exactness", run_exactness },
	{ "checks", run_checks },
};

const size_t analysis_count = sizeof(analyses) / sizeof(*analyses);

void analyses_run(const struct model *m, struct report *r)
{
	for (size_t i = 0; i < analysis_count; i++)
		analyses[i].run(m, r);
}

/* SPDX-License-Identifier: MIT */
/* The table `exactness`: which numbers of a report are exact, which sampled, with their error. */
#include <math.h>
#include <string.h>

#include "analysis/analyses.h"

static const struct column columns[] = {
	{ "numbers", "numbers", UNIT_TEXT, "what they are of" },
	{ "where", "where", UNIT_TEXT, "tables, columns and curves" },
	{ "exactness", "exactness", UNIT_TEXT, "exact, rounded, sampled, estimated, told (by others)" },
	{ "error", "error", UNIT_REAL, "the largest one in this report, in `unit`; of what is sampled, the "
	  "time between readings; missing: not known, or none" },
	{ "unit", "unit", UNIT_TEXT, "bytes, ns, fraction, ..." },
	{ "text", "why", UNIT_TEXT, "how they are obtained, and when that does not hold" },
};

/* The largest error in this report; below 0: nothing tells. */
typedef double (*measure_fn)(const struct model *m, const struct report *r);

static double largest(const struct report *r, const char *table, const char *column)
{
	const struct table *t = report_table(r, table);
	double max = -1;

	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *c = table_get(t, row, column);

		if (c->type != CELL_NULL && cell_real(c) > max)
			max = cell_real(c);
	}
	return max;
}

static double none(const struct model *m, const struct report *r)
{
	(void)m;
	(void)r;
	return -1;
}

static double zero(const struct model *m, const struct report *r)
{
	(void)m;
	(void)r;
	return 0;
}

static double peak_error(const struct model *m, const struct report *r)
{
	(void)m;
	return largest(r, "heap", "peak_error_bytes");
}

static double quantile_error(const struct model *m, const struct report *r)
{
	(void)m;
	return largest(r, "breakdown", "quantile_error");
}

static double gpu_clock_error(const struct model *m, const struct report *r)
{
	(void)m;
	return largest(r, "gpu_work", "clock_error_ns");
}

/* Of all that one function's short calls took in one process. */
static double untimed_error(const struct model *m, const struct report *r)
{
	const struct table *t = report_table(r, "breakdown");
	double worst = -1;

	(void)m;
	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *error = table_get(t, row, "error_ns");
		double total = cell_real(table_get(t, row, "total_ns"));

		if (error->type != CELL_NULL && total > 0 && cell_real(error) / total > worst)
			worst = cell_real(error) / total;
	}
	return worst;
}

/* The longest mean time between two readings of one process. */
static double sample_interval(const struct model *m, const struct report *r)
{
	double longest = -1;

	(void)r;
	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];

		for (size_t j = 0; j < t->process_count; j++) {
			const struct checked *c = &t->processes[j]->checked;
			double mean;

			if (!process_shown(t->processes[j]) || c->samples < 3)
				continue;
			mean = (double)(c->last.time - c->first.time) / (double)(c->samples - 1);
			longest = mean > longest ? mean : longest;
		}
	}
	return longest;
}

/* Of one process, the largest. */
static double shared_error(const struct model *m, const struct report *r)
{
	double largest = -1;

	(void)r;
	for (size_t i = 0; i < m->trace_count; i++)
		if (m->traces[i]->ram.shared && (double)m->traces[i]->ram.error > largest)
			largest = (double)m->traces[i]->ram.error;
	return largest;
}

static double lost_events(const struct model *m, const struct report *r)
{
	double sum = 0;

	(void)r;
	for (size_t i = 0; i < m->trace_count; i++)
		sum += (double)trace_lost(m->traces[i]);
	return sum;
}

static double phase_border(const struct model *m, const struct report *r)
{
	(void)m;
	return largest(r, "phases", "border_ns");
}

/* Of one function in one phase of one process. */
static double nested_error(const struct model *m, const struct report *r)
{
	(void)m;
	return largest(r, "phase_functions", "self_error_ns");
}

static const struct fact {
	const char *numbers, *where, *exactness, *unit;
	measure_fn error;
	const char *text;
} facts[] = {
	{ "time of calls too short to time each",
	  "breakdown: total_ns, outer_ns, where untimed is not missing, and what is made of them",
	  "sampled", "fraction", untimed_error,
	  "of tiny matrix products, parallel regions and what CUDA is only asked (cudaGetDevice, ...) one in 9 to 40 "
	  "is timed, at random, and the others count as that one; error_ns is their standard error. Calls, failed "
	  "ones, bytes and operations are exact all the same" },
	{ "calls, their time, bytes, failures, by function",
	  "breakdown, shares: calls, failed, total_ns, outer_ns, nested_ns, self_ns, min_ns, max_ns, bytes, flops",
	  "exact", "calls", zero,
	  "counted by the process itself at each call and read at its end; nothing can be lost (of times: but for "
	  "the calls that untimed counts). With "
	  "--from or --to, and where there are no totals, by the calls that are events" },
	{ "mean and standard deviation", "breakdown: mean_ns, stddev_ns", "rounded", "fraction", none,
	  "from exact sums" },
	{ "median and 99th percentile", "breakdown, shares: median_ns, p99_ns", "estimated", "fraction",
	  quantile_error, "from a histogram of eight steps an octave: quantile_error says how far off" },
	{ "shares", "share, share_of_wall", "rounded", "of 1", none,
	  "quotients of exact sums; each names its denominator, and those of one add up to 1" },
	{ "duration of one call", "failures, series, timelines", "exact", "ns", none,
	  "by the time-stamp counter, less than 30 ns of our own included; a call of over 4.29 s by its begin" },
	{ "time of an event", "t_ns, first_call_ns, last_call_ns, begin_ns, end_ns", "exact", "ns", none,
	  "CLOCK_MONOTONIC; of events in batches, the time-stamp counter since the batch's begin" },
	{ "events", "traces: events, lost", "exact", "events", lost_events,
	  "every thread counts what it emits: what is missing is known, and said by thread" },
	{ "heap: allocations, frees, live bytes", "heap", "exact", "bytes", zero,
	  "counters at every call, read last when the process was gone (final = 1); usable sizes" },
	{ "heap: peak", "heap: peak_bytes; processes: heap_peak_bytes", "exact", "bytes", peak_error,
	  "the true peak lies between peak_bytes and that plus peak_error_bytes: threads publish in steps of 64 KiB" },
	{ "heap: peak of a run", "runs: heap_peak_bytes", "sampled", "ns", sample_interval,
	  "the largest sum over processes at a reading, or one process's own peak where that is more: exact of a run "
	  "of one process; of several a higher sum between two readings is not seen" },
	{ "GPU memory by kind, device and library", "gpu_memory, gpu", "exact", "bytes", zero,
	  "a ledger of every allocation and free that passes dltrace: reserved memory, not what a framework's "
	  "pool uses" },
	{ "GPU memory as a whole", "gpu: unaccounted_bytes, gpu_nvml_bytes", "sampled", "ns", none,
	  "NVML's figure at intervals of the samples" },
	{ "CPU time of processes", "processes: cpu_ns", "exact", "ns", none,
	  "the kernel's own account: of one that ended itself up to that; of one that was killed to its end, if its "
	  "parent had not yet waited for it, else as of its last reading" },
	{ "CPU time of threads", "threads: cpu_ns", "sampled", "ns", none,
	  "the kernel's own account: exact of one that ended itself, or when its process did; of a process that was "
	  "killed, or lives on, as of its last reading, up to half a second earlier, longer with more than some 300 "
	  "threads" },
	{ "curves of CPU, memory, threads", "series", "sampled", "ns", sample_interval,
	  "readings of /proc and of the counters at this interval; between two of them lies what events tell. "
	  "Drawn from buckets that keep least and most, so no peak that was read is missing" },
	{ "memory of processes that share it by a fork", "series: rss_bytes of the run", "estimated", "bytes",
	  shared_error,
	  "what they have written since they share no more: its size is read now and then, at most one second apart "
	  "where that is cheap, and spread over the time between by page faults; off by at most this for one of them" },
	{ "largest resident memory", "processes: rss_peak_bytes", "sampled", "ns", sample_interval,
	  "the largest reading; a higher one between two readings is not seen" },
	{ "largest resident memory, files and shared too", "processes: rss_most_bytes", "exact", "bytes", none,
	  "the kernel's own mark, which no moment escapes, with dltrace's own memory in the process (some MB at "
	  "most); of a killed process as of its last reading. Where it is much more than all readings had, the "
	  "limits say so" },
	{ "work of the GPU", "breakdown (layer gpu), gpu_work, kernels", "told", "ns", gpu_clock_error,
	  "CUPTI's records; their times are brought onto the host's clock, off by at most this" },
	{ "utilisation, power, energy", "series", "told", "ns", none,
	  "by NVML and RAPL, at their own intervals and with their own errors" },
	{ "what was done in each phase", "phases, phase_functions", "estimated", "ns", phase_border,
	  "what happened within this much of a phase's border may be counted on its other side; the sums over "
	  "all phases are exact, of self_ns with what no phase is known of (a row of its own): calls too short to be "
	  "events" },
	{ "time of nested calls in each phase",
	  "phase_functions: self_ns; phase_kinds, phase_layers, phase_libraries", "estimated", "ns", nested_error,
	  "of a phase it is known how long all nested calls took, of a function how long its nested calls took in "
	  "all: self_error_ns is what that leaves open" },
	{ "cost of tracing", "limits: overhead", "estimated", "fraction", none,
	  "counts of operations by what one cost on one machine" },
};

void run_exactness(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "exactness", "Exactness", COLUMNS(columns));

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		double error = facts[i].error(m, r);

		table_add_row(t);
		table_set_text(t, "numbers", facts[i].numbers);
		table_set_text(t, "where", facts[i].where);
		table_set_text(t, "exactness", facts[i].exactness);
		if (error >= 0) {
			table_set_real(t, "error", error);
			table_set_text(t, "unit", facts[i].unit);
		}
		table_set_text(t, "text", facts[i].text);
	}
}

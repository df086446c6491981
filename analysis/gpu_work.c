/* SPDX-License-Identifier: MIT */
/* The table `gpu_work`: what each GPU did for each process, and how much of the time (CUPTI). */
#include <math.h>

#include "analysis/analyses.h"
#include "analysis/model/gpu.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "device", "device", UNIT_ID, "as the process numbers them" },
	{ "name", "name", UNIT_TEXT, "that the program gave the device by NVTX" },
	{ "kernels", "kernels", UNIT_COUNT, "that ran" },
	{ "copies", "copies", UNIT_COUNT, "of memory" },
	{ "sets", "sets", UNIT_COUNT, "of memory" },
	{ "bytes", "bytes", UNIT_BYTES, "copied and set" },
	{ "kernel_ns", "in kernels", UNIT_NS, "summed, streams side by side too" },
	{ "copy_ns", "in copies", UNIT_NS, "copies and sets, summed" },
	{ "busy_ns", "busy", UNIT_NS, "time in which anything ran on it; nothing counts twice" },
	{ "busy_share", "busy share", UNIT_FRACTION, "busy time by that from the first to the last work" },
	{ "share_of_wall", "of wall", UNIT_FRACTION, "busy time by the process's life" },
	{ "first_ns", "from", UNIT_TIME, "begin of its first work" },
	{ "last_ns", "to", UNIT_TIME, "end of its last work" },
	{ "idle_gaps", "gaps", UNIT_COUNT, "pauses of at least 10 us between work" },
	{ "idle_ns", "in gaps", UNIT_NS, "their time" },
	{ "longest_idle_ns", "longest gap", UNIT_NS, "the longest pause" },
	{ "mean_wait_ns", "wait", UNIT_NS, "mean from the begin of the call to the begin of its work" },
	{ "unattributed", "unattributed", UNIT_COUNT, "pieces of work whose thread is not known" },
	{ "clock_error_ns", "error", UNIT_NS, "how far off times on the device are at most" },
};

static const struct column phase_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "its own, or that of the process that it works for" },
	{ "device", "device", UNIT_ID, "as the process numbers them" },
	{ "runs", "GPU work", UNIT_COUNT, "kernels, copies and sets that ended in it" },
	{ "run_ns", "time", UNIT_NS, "their time, summed, streams side by side too" },
	{ "bytes", "bytes", UNIT_BYTES, "copied and set" },
	{ "busy_ns", "busy", UNIT_NS, "time in which anything ran on it; nothing counts twice" },
	{ "busy_share", "busy share", UNIT_FRACTION, "busy time by the phase's duration" },
	{ "border_ns", "borders off by", UNIT_NS,
	  "what happened within so much of a border may be counted on its other side" },
};

static void add_device(struct table *t, const struct process *p, const struct gpu_device *d)
{
	uint64_t life = process_life(p);

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_uint(t, "device", d->index);
	set_text(t, "name", process_device_name(p, d->index));
	table_set_uint(t, "kernels", d->count[GPU_KERNEL]);
	table_set_uint(t, "copies", d->count[GPU_COPY]);
	table_set_uint(t, "sets", d->count[GPU_SET]);
	table_set_uint(t, "bytes", d->bytes);
	table_set_uint(t, "kernel_ns", d->time[GPU_KERNEL]);
	table_set_uint(t, "copy_ns", d->time[GPU_COPY] + d->time[GPU_SET]);
	table_set_uint(t, "busy_ns", d->busy);
	if (d->end > d->begin)
		table_set_real(t, "busy_share", (double)d->busy / (double)(d->end - d->begin));
	if (life)
		table_set_real(t, "share_of_wall", (double)d->busy / (double)life);
	set_time(t, "first_ns", d->begin);
	set_time(t, "last_ns", d->end);
	table_set_uint(t, "idle_gaps", d->gaps);
	table_set_uint(t, "idle_ns", d->gaps_time);
	table_set_uint(t, "longest_idle_ns", d->longest_gap);
	if (d->waits)
		table_set_real(t, "mean_wait_ns", (double)d->wait_time / (double)d->waits);
	table_set_uint(t, "unattributed", d->callers_unknown);
	table_set_uint(t, "clock_error_ns", p->gpu->clock_error);
}

static void add(const struct process *p, struct table *t)
{
	for (size_t i = 0; p->gpu && i < p->gpu->device_count; i++)
		add_device(t, p, &p->gpu->devices[i]);
}

void run_gpu_work(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "gpu_work", "Work of the GPU", COLUMNS(columns)), add);
}

/* ---- by phase ---- */

static void add_phases(struct table *t, const struct process *p, const struct gpu_device *d)
{
	const struct phases *ph = phases_around(p);
	struct slice sums[PHASES_MAX];
	int64_t width = phases_slices(ph, &d->slices, sums);

	for (size_t i = 0; i < ph->count; i++) {
		int64_t duration = ph->list[i].end - ph->list[i].begin;

		if (!sums[i].calls && !sums[i].nested)
			continue;
		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_text(t, "phase", ph->list[i].name);
		table_set_uint(t, "device", d->index);
		table_set_uint(t, "runs", sums[i].calls);
		table_set_uint(t, "run_ns", sums[i].outer);
		table_set_uint(t, "bytes", sums[i].bytes);
		table_set_uint(t, "busy_ns", sums[i].nested);
		table_set_real(t, "busy_share", fmin(1, (double)sums[i].nested / (double)duration));
		table_set_int(t, "border_ns", width);
	}
}

static void add_by_phase(const struct process *p, struct table *t)
{
	for (size_t i = 0; p->gpu && i < p->gpu->device_count; i++)
		add_phases(t, p, &p->gpu->devices[i]);
}

void run_phase_gpu_work(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "phase_gpu_work", "Work of the GPU by phase", COLUMNS(phase_columns)),
		     add_by_phase);
}

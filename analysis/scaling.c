/* SPDX-License-Identifier: MIT */
/* The table `scaling`: throughput of distributed trainings, against one rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/communication.h"
#include "analysis/labels.h"
#include "analysis/model/memory.h"
#include "analysis/statistics.h"

static const struct column columns[] = {
	{ "job", "job", UNIT_ID, "traces that share a communicator at the same time are one job" },
	{ "traces", "traces", UNIT_TREE, "their indices" },
	{ "hosts", "hosts", UNIT_COUNT, "on which its ranks run" },
	{ "ranks", "ranks", UNIT_COUNT, "1 where nobody says a rank" },
	{ "iterations", "iterations", UNIT_COUNT, "of a rank, the median; missing: not found" },
	{ "iteration_ns", "iteration", UNIT_NS, "median over the ranks of their median" },
	{ "throughput", "iterations/s", UNIT_REAL, "ranks by the iteration's duration: of all ranks together" },
	{ "examples_per_second", "examples/s", UNIT_REAL, "the same by the label batch, a rank's examples a step" },
	{ "reference", "against", UNIT_ID,
	  "the job that it is compared with: the baseline, else the one of fewest ranks" },
	{ "speedup", "speed-up", UNIT_REAL, "throughput by that of the reference" },
	{ "efficiency", "efficiency", UNIT_FRACTION, "speed-up by how many times more ranks there are" },
	{ "communication", "communication", UNIT_FRACTION,
	  "mean over the processes of the share of their lives in blocking communication" },
	{ "communication_least", "least", UNIT_FRACTION, "the process with the least" },
	{ "communication_most", "most", UNIT_FRACTION, "the process with the most" },
	{ "straggler", "waits least", UNIT_ID,
	  "rank that is least inside the blocking calls of a communicator: the one that others wait for" },
	{ "straggler_gap", "gap", UNIT_FRACTION,
	  "by how much less than the median of the others, of the time from the first such call to the last" },
};

struct job {
	size_t *traces, count;		/* owned */
	size_t hosts;
	double ranks, iterations, iteration, batch;	/* ns; NAN: not known */
	bool baseline;
};

/* ---- which traces are one job ---- */

enum kinship { STRANGERS, SAME_RANK, OTHER_RANK };

static enum kinship kinship(const struct process *p, const struct process *q)
{
	for (size_t i = 0; i < p->comms.count; i++)
		for (size_t j = 0; j < q->comms.count; j++) {
			const struct communicator *a = &p->comms.list[i], *b = &q->comms.list[j];

			if (a->identity && a->kind == b->kind && a->identity == b->identity &&
			    a->ranks == b->ranks)
				return a->rank == b->rank ? SAME_RANK : OTHER_RANK;
		}
	return STRANGERS;
}

static bool overlap(const struct trace *a, const struct trace *b)
{
	return a->started && b->started && a->begin <= b->begin + (uint64_t)b->end &&
	       b->begin <= a->begin + (uint64_t)a->end;
}

/* A repetition may have communicators of the same identity, but then it has the same ranks too. */
static bool same_job(const struct trace *a, const struct trace *b)
{
	bool related = false;

	for (size_t i = 0; overlap(a, b) && i < a->process_count; i++)
		for (size_t j = 0; a->processes[i]->comms.count && j < b->process_count; j++) {
			enum kinship k = kinship(a->processes[i], b->processes[j]);

			if (k == SAME_RANK)
				return false;
			related = related || k == OTHER_RANK;
		}
	return related;
}

static size_t find_jobs(const struct model *m, struct job *jobs)
{
	size_t count = 0;

	for (size_t i = 0; i < m->trace_count; i++) {
		size_t job = 0;

		for (; job < count; job++)
			if (same_job(m->traces[jobs[job].traces[0]], m->traces[i]))
				break;
		if (job == count) {
			jobs[count] = (struct job){ .traces = xcalloc(m->trace_count, sizeof(size_t)) };
			count++;
		}
		jobs[job].traces[jobs[job].count++] = i;
		jobs[job].baseline = jobs[job].baseline || i < m->options.baselines;
	}
	return count;
}

/* ---- what a job is ---- */

/* Row of `iterations` for a process; NAN when it iterates not, or none is sure. */
static double iteration_of(const struct table *t, const struct process *p, double *count)
{
	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *median = table_get(t, row, "median_ns");

		if (cell_uint(table_get(t, row, "process")) != (uint64_t)p->report_id)
			continue;
		*count = cell_real(table_get(t, row, "count"));
		return median->type != CELL_NULL && *count > 0 ? cell_real(median) : NAN;
	}
	return NAN;
}

struct ranked {
	double *iteration, *count, *whole;	/* by rank; owned */
	size_t ranks;
};

/* Of a rank's processes the one that iterates longest: its workers say the same rank. */
static void take_process(const struct table *t, const struct process *p, struct ranked *r)
{
	size_t rank = p->rank > 0 ? (size_t)p->rank : 0;
	double count = 0, iteration = iteration_of(t, p, &count);

	if (rank >= r->ranks || isnan(iteration) || iteration * count <= r->whole[rank])
		return;
	r->whole[rank] = iteration * count;
	r->iteration[rank] = iteration;
	r->count[rank] = count;
}

static double median_of_known(double *values, size_t count)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (values[i] > 0)
			values[known++] = values[i];
	stat_sort(values, known);
	return stat_median(values, known);
}

#define RANKS_MAX 1000000	/* a trace may say anything */

static void measure(const struct model *m, const struct report *r, struct job *job)
{
	const struct table *t = report_table(r, "iterations");
	struct labels labels = labels_of(m->traces[job->traces[0]]);
	const char *hosts[256], *batch = label_value(&labels, "batch");
	struct ranked by = { .ranks = 1 };

	for (size_t i = 0; i < job->count; i++)
		for (size_t j = 0; j < m->traces[job->traces[i]]->process_count; j++) {
			const struct process *p = m->traces[job->traces[i]]->processes[j];
			size_t k = 0;

			if (!process_shown(p))
				continue;
			if (p->ranks > 0 && (size_t)p->ranks > by.ranks)
				by.ranks = p->ranks < RANKS_MAX ? (size_t)p->ranks : RANKS_MAX;
			while (k < job->hosts && strcmp(hosts[k], p->host))
				k++;
			if (k == job->hosts && k < sizeof(hosts) / sizeof(*hosts))
				hosts[job->hosts++] = p->host;
		}
	by.iteration = xcalloc(by.ranks, sizeof(double));
	by.count = xcalloc(by.ranks, sizeof(double));
	by.whole = xcalloc(by.ranks, sizeof(double));
	for (size_t i = 0; i < job->count; i++)
		for (size_t j = 0; j < m->traces[job->traces[i]]->process_count; j++)
			if (process_shown(m->traces[job->traces[i]]->processes[j]))
				take_process(t, m->traces[job->traces[i]]->processes[j], &by);
	job->ranks = (double)by.ranks;
	job->iteration = median_of_known(by.iteration, by.ranks);
	job->iterations = median_of_known(by.count, by.ranks);
	job->batch = *batch ? strtod(batch, NULL) : NAN;
	free(by.iteration);
	free(by.count);
	free(by.whole);
	labels_release(&labels);
}

/* The baseline, else the one of fewest ranks whose iterations are known; -1: none. */
static ssize_t reference_of(const struct job *jobs, size_t count)
{
	ssize_t best = -1;

	for (size_t i = 0; i < count; i++) {
		if (isnan(jobs[i].iteration))
			continue;
		if (best < 0 || jobs[i].baseline > jobs[best].baseline ||
		    (jobs[i].baseline == jobs[best].baseline && jobs[i].ranks < jobs[best].ranks))
			best = (ssize_t)i;
	}
	return best;
}

/* ---- the table ---- */

static double throughput(const struct job *job)
{
	return job->ranks * 1e9 / job->iteration;
}

static void set_number(struct table *t, const char *column, double value)
{
	if (isfinite(value))
		table_set_real(t, column, value);
}

static void set_communication(struct table *t, const struct model *m, const struct job *job)
{
	struct comm_share all = { .least = 1 };
	double gap = 0;

	for (size_t i = 0; i < job->count; i++) {
		const struct trace *trace = m->traces[job->traces[i]];
		struct comm_share s = comm_share(trace);
		struct comm_balance b;

		all.mean += s.mean * (double)s.processes;
		all.processes += s.processes;
		all.least = fmin(all.least, s.least);
		all.most = fmax(all.most, s.most);
		for (size_t k = 0; comm_balance(trace, k, &b); k++) {
			if (b.members < 2 || b.others - b.least <= gap)
				continue;
			gap = b.others - b.least;
			table_set_int(t, "straggler", b.least_rank);
			table_set_real(t, "straggler_gap", gap);
		}
	}
	if (!all.processes)
		return;
	table_set_real(t, "communication", all.mean / (double)all.processes);
	table_set_real(t, "communication_least", all.least);
	table_set_real(t, "communication_most", all.most);
}

static void add_row(struct table *t, const struct model *m, const struct job *jobs, size_t index,
		    ssize_t reference)
{
	const struct job *job = &jobs[index];
	json_t *traces = json_array();
	double speedup;

	table_add_row(t);
	table_set_uint(t, "job", index);
	for (size_t i = 0; i < job->count; i++)
		json_array_append_new(traces, json_integer((json_int_t)job->traces[i]));
	table_set_tree(t, "traces", traces);
	table_set_uint(t, "hosts", job->hosts);
	table_set_uint(t, "ranks", (uint64_t)job->ranks);
	set_number(t, "iterations", job->iterations);
	set_number(t, "iteration_ns", job->iteration);
	set_number(t, "throughput", throughput(job));
	set_number(t, "examples_per_second", throughput(job) * job->batch);
	set_communication(t, m, job);
	if (reference < 0 || isnan(job->iteration))
		return;
	speedup = throughput(job) / throughput(&jobs[reference]);
	table_set_uint(t, "reference", (uint64_t)reference);
	set_number(t, "speedup", speedup);
	set_number(t, "efficiency", speedup * jobs[reference].ranks / job->ranks);
}

void run_scaling(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "scaling", "Scaling", COLUMNS(columns));
	struct job *jobs = xcalloc(m->trace_count + 1, sizeof(*jobs));
	size_t count = find_jobs(m, jobs);
	ssize_t reference;
	double most = 1;

	for (size_t i = 0; i < count; i++) {
		measure(m, r, &jobs[i]);
		most = fmax(most, jobs[i].ranks);
	}
	reference = reference_of(jobs, count);
	for (size_t i = 0; i < count && most > 1; i++)
		add_row(t, m, jobs, i, reference);
	for (size_t i = 0; i < count; i++)
		free(jobs[i].traces);
	free(jobs);
}

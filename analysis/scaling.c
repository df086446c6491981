/* SPDX-License-Identifier: MIT */
/* The table `scaling`: throughput of distributed trainings, against one rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/communication.h"
#include "analysis/iterations.h"
#include "analysis/jobs.h"
#include "analysis/labels.h"
#include "analysis/model/memory.h"
#include "analysis/statistics.h"

static const struct column columns[] = {
	{ "job", "job", UNIT_ID, "as in the table traces" },
	{ "name", "name", UNIT_TEXT, "what tells its kind of run from the others; missing: nothing does" },
	{ "traces", "traces", UNIT_TREE, "their indices" },
	{ "hosts", "hosts", UNIT_COUNT, "on which its ranks run" },
	{ "ranks", "ranks", UNIT_COUNT, "1 where nobody says a rank" },
	{ "iterations", "iterations", UNIT_COUNT, "of a rank, the median; missing: not found" },
	{ "iteration_ns", "iteration", UNIT_NS, "median over the ranks of their median" },
	{ "slowest_ns", "slowest rank", UNIT_NS, "the median of the rank with the longest one" },
	{ "throughput", "iterations/s", UNIT_REAL, "ranks by the iteration's duration: of all ranks together" },
	{ "examples_per_second", "examples/s", UNIT_REAL, "the same by the label batch, a rank's examples a step" },
	{ "reference", "against", UNIT_ID,
	  "the job that it is compared with: the baseline, else that of fewest ranks among those of the "
	  "same framework, model, dataset, size, device and --label, of several such the one in the middle" },
	{ "speedup", "speed-up", UNIT_REAL,
	  "throughput by that of the reference: of examples where both batches are known" },
	{ "efficiency", "efficiency", UNIT_FRACTION, "speed-up by how many times more ranks there are" },
	{ "communication", "communication", UNIT_FRACTION,
	  "mean over the processes of the share of their iterations' time (where none are known: of their "
	  "lives) in which they were in blocking communication; where a library has it inside, in which "
	  "data moved on its sockets, pauses below a millisecond included" },
	{ "communication_least", "least", UNIT_FRACTION, "the process with the least" },
	{ "communication_most", "most", UNIT_FRACTION, "the process with the most" },
	{ "communication_bytes", "bytes a step", UNIT_BYTES,
	  "that a rank gives to others, by its iterations, start-up included, mean over the ranks that are in "
	  "the traces: of collectives and messages, else of what its sockets sent" },
	{ "straggler", "waits least", UNIT_ID,
	  "rank that is least inside the blocking calls of a communicator: the one that others wait for" },
	{ "straggler_gap", "gap", UNIT_FRACTION,
	  "by how much less than the median of the others, of the time from the first such call to the last" },
};

struct measured {
	const struct job *job;		/* borrowed */
	struct labels labels;		/* owned; of its first trace */
	size_t hosts;
	double ranks, iterations, iteration, slowest, batch;	/* ns; NAN: not known */
	double bytes, seen;		/* of all ranks that are in the traces, and how many these are */
	bool baseline;
};

/* ---- what a job is ---- */

/* ns, the median; NAN when it iterates not, or that is not sure. */
static double iteration_of(const struct process *p, double *count)
{
	const struct iterations *it = process_iterations(p);

	*count = it->how ? (double)it->count : 0;
	return *count > 0 && it->median > 0 ? it->median : NAN;
}

struct ranked {
	double *iteration, *count, *whole;	/* by rank; owned */
	bool *seen;				/* likewise */
	size_t ranks;
};

/* Of a rank's processes the one that iterates longest: its workers say the same rank. */
static void take_process(const struct process *p, struct ranked *r)
{
	size_t rank = p->rank > 0 ? (size_t)p->rank : 0;
	double count = 0, iteration = iteration_of(p, &count);

	if (rank < r->ranks && p->ranks > 1)
		r->seen[rank] = true;
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

static double most_of(const double *values, size_t count)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, values[i]);
	return most > 0 ? most : NAN;
}

#define RANKS_MAX 1000000	/* a trace may say anything */

static size_t ranks_of(const struct model *m, const struct job *job)
{
	size_t ranks = 1;

	for (size_t i = 0; i < job->count; i++)
		for (size_t j = 0; j < m->traces[job->traces[i]]->process_count; j++) {
			const struct process *p = m->traces[job->traces[i]]->processes[j];

			if (process_shown(p) && p->ranks > 0 && (size_t)p->ranks > ranks)
				ranks = p->ranks < RANKS_MAX ? (size_t)p->ranks : RANKS_MAX;
		}
	return ranks;
}

static struct measured measure(const struct model *m, const struct job *job)
{
	struct ranked by = { .ranks = ranks_of(m, job) };
	struct measured found = { .job = job, .labels = labels_of(m->traces[job->traces[0]]) };
	const char *batch = label_value(&found.labels, "batch");

	by.iteration = xcalloc(by.ranks, sizeof(double));
	by.count = xcalloc(by.ranks, sizeof(double));
	by.whole = xcalloc(by.ranks, sizeof(double));
	by.seen = xcalloc(by.ranks, sizeof(bool));
	for (size_t i = 0; i < job->count; i++) {
		const struct trace *trace = m->traces[job->traces[i]];

		found.baseline = found.baseline || job->traces[i] < m->options.baselines;
		for (size_t j = 0; j < trace->process_count; j++)
			if (process_shown(trace->processes[j])) {
				take_process(trace->processes[j], &by);
				found.bytes += comm_bytes(trace->processes[j]);
			}
	}
	for (size_t i = 0; i < by.ranks; i++)
		found.seen += by.seen[i];
	found.hosts = job_hosts(m, job);
	found.ranks = (double)by.ranks;
	found.slowest = most_of(by.iteration, by.ranks);
	found.iteration = median_of_known(by.iteration, by.ranks);
	found.iterations = median_of_known(by.count, by.ranks);
	found.batch = *batch ? strtod(batch, NULL) : NAN;
	free(by.iteration);
	free(by.count);
	free(by.whole);
	free(by.seen);
	return found;
}

/* ---- which is compared with which ---- */

/* What scales is the same work: how many ranks and hosts do it, in what batches, may differ. */
static bool is_free(const struct label *l)
{
	static const char *const may_differ[] = {
		"ranks", "hosts", "batch", "program", "iterations", "epochs", "workers", "threads",
	};

	for (size_t i = 0; !l->said && i < sizeof(may_differ) / sizeof(*may_differ); i++)
		if (!strcmp(l->key, may_differ[i]))
			return true;
	return false;
}

static bool contains(const struct labels *b, const struct labels *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (!is_free(&a->items[i]) && strcmp(label_value(b, a->items[i].key), a->items[i].value))
			return false;
	return true;
}

static bool same_work(const struct measured *a, const struct measured *b)
{
	return contains(&a->labels, &b->labels) && contains(&b->labels, &a->labels);
}

/* The better reference of two for one: a baseline, the same work, fewer ranks. */
static bool is_better(const struct measured *a, const struct measured *b, const struct measured *one)
{
	if (same_work(a, one) != same_work(b, one))
		return same_work(a, one);
	return a->baseline != b->baseline ? a->baseline : a->ranks < b->ranks;
}

/* A baseline that was named is for all. */
static bool may_refer(const struct measured *job, const struct measured *one)
{
	return !isnan(job->iteration) && (job->baseline || same_work(job, one));
}

static bool is_as_good(const struct measured *a, const struct measured *b, const struct measured *one)
{
	return may_refer(a, one) && !is_better(a, b, one) && !is_better(b, a, one);
}

static int by_iteration(const void *a, const void *b)
{
	const struct measured *x = *(const struct measured *const *)a, *y = *(const struct measured *const *)b;

	if (x->iteration < y->iteration || x->iteration > y->iteration)
		return x->iteration < y->iteration ? -1 : 1;
	return (x > y) - (x < y);
}

/* Of runs that were made again and again the one in the middle: the first is no better than the others. */
static size_t middle_of(const struct measured *jobs, size_t count, const struct measured *best,
			const struct measured *one)
{
	const struct measured **alike = xcalloc(count, sizeof(*alike));
	size_t n = 0, middle;

	for (size_t i = 0; i < count; i++)
		if (is_as_good(&jobs[i], best, one))
			alike[n++] = &jobs[i];
	qsort(alike, n, sizeof(*alike), by_iteration);
	middle = (size_t)(alike[(n - 1) / 2] - jobs);
	free(alike);
	return middle;
}

/* Whose iterations are known; -1: none. */
static ssize_t reference_of(const struct measured *jobs, size_t count, const struct measured *one)
{
	ssize_t best = -1;

	for (size_t i = 0; i < count; i++)
		if (may_refer(&jobs[i], one) && (best < 0 || is_better(&jobs[i], &jobs[best], one)))
			best = (ssize_t)i;
	return best < 0 ? best : (ssize_t)middle_of(jobs, count, &jobs[best], one);
}

/* ---- the table ---- */

static double throughput(const struct measured *job)
{
	return job->ranks * 1e9 / job->iteration;
}

static double speedup(const struct measured *job, const struct measured *reference)
{
	double by = throughput(job) / throughput(reference), batches = job->batch / reference->batch;

	return isfinite(batches) && batches > 0 ? by * batches : by;
}

static void set_number(struct table *t, const char *column, double value)
{
	if (isfinite(value))
		table_set_real(t, column, value);
}

static void set_straggler(struct table *t, const struct model *m, const struct job *job)
{
	struct comm_walk w;
	struct comm_balance b;
	double gap = 0;

	comm_walk_begin(&w, m, job);
	while (comm_balance(&w, &b)) {
		if (b.members < 2 || b.others - b.least <= gap)
			continue;
		gap = b.others - b.least;
		table_set_int(t, "straggler", b.least_rank);
		table_set_real(t, "straggler_gap", gap);
	}
}

static void set_communication(struct table *t, const struct model *m, const struct job *job)
{
	struct comm_share all = { .least = INFINITY };

	for (size_t i = 0; i < job->count; i++) {
		struct comm_share s = comm_share(m->traces[job->traces[i]]);

		all.mean += s.mean * (double)s.processes;
		all.processes += s.processes;
		all.least = fmin(all.least, s.least);
		all.most = fmax(all.most, s.most);
	}
	if (!all.processes)
		return;
	table_set_real(t, "communication", all.mean / (double)all.processes);
	table_set_real(t, "communication_least", all.least);
	table_set_real(t, "communication_most", all.most);
}

/* "PyTorch 1.13.1 resnet44", of the labels that must be the same to be compared and are not in all jobs. */
static void set_name(struct table *t, const struct measured *jobs, size_t count, const struct measured *one)
{
	char name[512] = "";

	for (size_t i = 0; i < one->labels.count; i++) {
		const struct label *l = &one->labels.items[i];
		size_t n = strlen(name), k = 0;

		while (k < count && !strcmp(label_value(&jobs[k].labels, l->key), l->value))
			k++;
		if (k < count && !is_free(l) && *l->value)
			snprintf(name + n, sizeof(name) - n, "%s%s", n ? " " : "", l->value);
	}
	if (*name)
		table_set_text(t, "name", name);
}

static void add_row(struct table *t, const struct model *m, const struct measured *jobs, size_t count,
		    size_t index)
{
	const struct measured *job = &jobs[index];
	ssize_t reference = reference_of(jobs, count, job);
	json_t *traces = json_array();

	table_add_row(t);
	table_set_uint(t, "job", index);
	set_name(t, jobs, count, job);
	for (size_t i = 0; i < job->job->count; i++)
		json_array_append_new(traces, json_integer((json_int_t)job->job->traces[i]));
	table_set_tree(t, "traces", traces);
	table_set_uint(t, "hosts", job->hosts);
	table_set_uint(t, "ranks", (uint64_t)job->ranks);
	set_number(t, "iterations", job->iterations);
	set_number(t, "iteration_ns", job->iteration);
	set_number(t, "slowest_ns", job->slowest);
	set_number(t, "throughput", throughput(job));
	set_number(t, "examples_per_second", throughput(job) * job->batch);
	set_communication(t, m, job->job);
	if (job->bytes > 0)
		set_number(t, "communication_bytes", job->bytes / job->seen / job->iterations);
	set_straggler(t, m, job->job);
	if (reference < 0 || isnan(job->iteration))
		return;
	table_set_uint(t, "reference", (uint64_t)reference);
	set_number(t, "speedup", speedup(job, &jobs[reference]));
	set_number(t, "efficiency", speedup(job, &jobs[reference]) * jobs[reference].ranks / job->ranks);
}

void run_scaling(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "scaling", "Scaling", COLUMNS(columns));
	const struct jobs *jobs = jobs_of(m);
	struct measured *list = xcalloc(jobs->count + 1, sizeof(*list));
	double most = 1;

	for (size_t i = 0; i < jobs->count; i++) {
		list[i] = measure(m, &jobs->list[i]);
		most = fmax(most, list[i].ranks);
	}
	for (size_t i = 0; i < jobs->count && most > 1; i++)
		add_row(t, m, list, jobs->count, i);
	for (size_t i = 0; i < jobs->count; i++)
		labels_release(&list[i].labels);
	free(list);
}

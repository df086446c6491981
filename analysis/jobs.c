/* SPDX-License-Identifier: MIT */
/* Traces that are recordings of one job, by who their processes say they are. */
#include "analysis/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

#define HOSTS_MAX 4096

enum kinship { STRANGERS, SAME_RANK, OTHER_RANK };

static enum kinship by_rank(int64_t a, int64_t b)
{
	return a == b ? SAME_RANK : OTHER_RANK;
}

static enum kinship kinship(const struct process *p, const struct process *q)
{
	if (p->job && p->job == q->job && p->ranks == q->ranks && p->rank >= 0 && q->rank >= 0)
		return by_rank(p->rank, q->rank);
	for (size_t i = 0; i < p->comms.count; i++)
		for (size_t j = 0; j < q->comms.count; j++) {
			const struct communicator *a = &p->comms.list[i], *b = &q->comms.list[j];

			if (a->identity && a->kind == b->kind && a->identity == b->identity &&
			    a->ranks == b->ranks)
				return by_rank(a->rank, b->rank);
		}
	return STRANGERS;
}

static bool overlap(const struct trace *a, const struct trace *b)
{
	return a->started && b->started && a->begin <= b->begin + (uint64_t)b->end &&
	       b->begin <= a->begin + (uint64_t)a->end;
}

static bool has_rank(const struct process *p)
{
	return p->comms.count || (p->job && p->rank >= 0);
}

static enum kinship kinship_of_traces(const struct trace *a, const struct trace *b)
{
	enum kinship found = STRANGERS;

	for (size_t i = 0; i < a->process_count; i++)
		for (size_t j = 0; has_rank(a->processes[i]) && j < b->process_count; j++) {
			enum kinship k = kinship(a->processes[i], b->processes[j]);

			if (k == SAME_RANK)
				return k;
			found = k == OTHER_RANK ? k : found;
		}
	return found;
}

static bool belongs(const struct model *m, const struct job *job, const struct trace *t)
{
	bool related = false;

	for (size_t i = 0; i < job->count; i++) {
		const struct trace *other = m->traces[job->traces[i]];
		enum kinship k = overlap(other, t) ? kinship_of_traces(other, t) : STRANGERS;

		if (k == SAME_RANK)
			return false;
		related = related || k == OTHER_RANK;
	}
	return related;
}

struct jobs jobs_of(const struct model *m)
{
	struct jobs jobs = {
		.list = xcalloc(m->trace_count + 1, sizeof(*jobs.list)),
		.of = xcalloc(m->trace_count + 1, sizeof(*jobs.of)),
	};

	for (size_t i = 0; i < m->trace_count; i++) {
		size_t job = 0;

		while (job < jobs.count && !belongs(m, &jobs.list[job], m->traces[i]))
			job++;
		if (job == jobs.count)
			jobs.list[jobs.count++].traces = xcalloc(m->trace_count, sizeof(size_t));
		jobs.list[job].traces[jobs.list[job].count++] = i;
		jobs.of[i] = job;
	}
	return jobs;
}

void jobs_release(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		free(jobs->list[i].traces);
	free(jobs->list);
	free(jobs->of);
	*jobs = (struct jobs){ 0 };
}

const char *trace_host(const struct trace *t)
{
	for (size_t i = 0; !*t->host && i < t->process_count; i++)
		if (process_shown(t->processes[i]) && *t->processes[i]->host)
			return t->processes[i]->host;
	return t->host;
}

size_t job_hosts(const struct model *m, const struct job *job)
{
	const char *hosts[HOSTS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < job->count; i++)
		for (size_t j = 0; j < m->traces[job->traces[i]]->process_count; j++) {
			const struct process *p = m->traces[job->traces[i]]->processes[j];
			size_t k = 0;

			if (!process_shown(p))
				continue;
			while (k < count && strcmp(hosts[k], p->host))
				k++;
			if (k == count && k < HOSTS_MAX)
				hosts[count++] = p->host;
		}
	return count;
}

/* SPDX-License-Identifier: MIT */
/* Traces that are recordings of one job, by who their processes say they are. */
#include "analysis/jobs.h"

#include <stdlib.h>

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

/* ---- who may be kin ---- */

/* In a chain of words: the one said before, and the last of an earlier trace. */
struct link {
	const struct word *before, *earlier;
};

/*
 * Who a process says it is: a rank of a launcher's job, or of a communicator. Kin have one of these in common, so
 * only words of one chain are compared: the process tree of each rank inherits what its launcher said, and all pairs
 * of processes would be too many in a large job. What shares a chain by chance is a stranger all the same.
 */
struct word {
	const struct process *process;	/* borrowed */
	struct link same, alike;	/* of the same identity; and of the same rank in it */
	size_t least;			/* the first job of this one and all before it in `same`, once it has one */
};

struct words {
	struct word *list;		/* owned; by trace */
	size_t count;
	struct idmap same, alike;	/* the last one of each chain */
};

static const struct trace *trace_of(const struct word *w)
{
	return w->process->trace;
}

static uint64_t rank_key(uint64_t identity, int64_t rank)
{
	return (identity ^ (uint64_t)rank) * 0x9e3779b97f4a7c15ULL;
}

static void say(struct words *all, const struct process *p, uint64_t identity, int64_t rank)
{
	uint64_t *same = idmap_put(&all->same, identity), *alike = idmap_put(&all->alike, rank_key(identity, rank));
	const struct word *s = (const struct word *)(uintptr_t)*same, *a = (const struct word *)(uintptr_t)*alike;

	all->list[all->count] = (struct word){
		.process = p,
		.same = { s, s && trace_of(s) == p->trace ? s->same.earlier : s },
		.alike = { a, a && trace_of(a) == p->trace ? a->alike.earlier : a },
	};
	*same = *alike = (uintptr_t)&all->list[all->count++];
}

/* Another process of the trace has the same from its launcher, which it says first. */
static bool launcher_said(const struct words *all, const struct process *p)
{
	const struct word *last = idmap_pointer(&all->alike, rank_key(p->job, p->rank));
	const struct process *q = last ? last->process : NULL;

	return q && q->trace == p->trace && q->job == p->job && q->ranks == p->ranks && q->rank == p->rank;
}

static void say_all(struct words *all, const struct process *p)
{
	if (p->job && p->rank >= 0 && !launcher_said(all, p))
		say(all, p, p->job, p->rank);
	for (size_t i = 0; i < p->comms.count; i++)
		if (p->comms.list[i].identity)
			say(all, p, comm_key(&p->comms.list[i]), p->comms.list[i].rank);
}

static size_t words_most(const struct model *m)
{
	size_t count = 1;

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->process_count; j++)
			count += 1 + m->traces[i]->processes[j]->comms.count;
	return count;
}

static bool are(enum kinship wanted, const struct word *other, const struct word *w)
{
	return overlap(trace_of(other), trace_of(w)) && kinship(other->process, w->process) == wanted;
}

/* ---- the whole ---- */

/* The first job that has other ranks of what [from, to) say, and none of the same; jobs->count: there is none. */
static size_t job_for(const struct jobs *jobs, const struct word *from, const struct word *to)
{
	bool *has_it = xcalloc(jobs->count + 1, sizeof(*has_it));
	size_t first = jobs->count;

	for (const struct word *w = from; w < to; w++)
		for (const struct word *o = w->alike.earlier; o; o = o->alike.before) {
			size_t job = jobs->of[trace_of(o)->index];

			has_it[job] = has_it[job] || are(SAME_RANK, o, w);
		}
	for (const struct word *w = from; w < to; w++)
		for (const struct word *o = w->same.earlier; o && o->least < first; o = o->same.before) {
			size_t job = jobs->of[trace_of(o)->index];

			if (job < first && !has_it[job] && are(OTHER_RANK, o, w))
				first = job;
		}
	free(has_it);
	return first;
}

static void join(struct jobs *jobs, size_t index, size_t trace)
{
	struct job *job;

	if (index == jobs->count) {
		jobs->list = xgrow(jobs->list, jobs->count, &jobs->capacity, sizeof(*jobs->list));
		jobs->list[jobs->count++] = (struct job){ NULL, 0, 0 };
	}
	job = &jobs->list[index];
	job->traces = xgrow(job->traces, job->count, &job->capacity, sizeof(*job->traces));
	job->traces[job->count++] = trace;
	jobs->of[trace] = index;
}

static void place(struct jobs *jobs, struct words *all, const struct trace *t)
{
	size_t from = all->count;

	for (size_t i = 0; i < t->process_count; i++)
		say_all(all, t->processes[i]);
	join(jobs, job_for(jobs, all->list + from, all->list + all->count), t->index);
	for (struct word *w = all->list + from; w < all->list + all->count; w++) {
		w->least = jobs->of[t->index];
		if (w->same.before && w->same.before->least < w->least)
			w->least = w->same.before->least;
	}
}

static struct jobs *find(const struct model *m)
{
	struct words all = { .list = xcalloc(words_most(m), sizeof(*all.list)) };
	struct jobs *jobs = xcalloc(1, sizeof(*jobs));

	jobs->of = xcalloc(m->trace_count + 1, sizeof(*jobs->of));
	for (size_t i = 0; i < m->trace_count; i++)
		place(jobs, &all, m->traces[i]);
	idmap_release(&all.same);
	idmap_release(&all.alike);
	free(all.list);
	return jobs;
}

const struct jobs *jobs_of(const struct model *m)
{
	/* Analyses only look; what they find for the first time is kept where it is about. */
	struct model *owner = (struct model *)(uintptr_t)m;

	if (!owner->jobs)
		owner->jobs = find(m);
	return owner->jobs;
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
			/* Equal names are one (names.h). */
			while (k < count && hosts[k] != p->host)
				k++;
			if (k == count && k < HOSTS_MAX)
				hosts[count++] = p->host;
		}
	return count;
}

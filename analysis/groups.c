/* SPDX-License-Identifier: MIT */
/* Runs put together by their labels, baselines and references. */
#include "analysis/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/jobs.h"
#include "analysis/model/memory.h"

/* What is done, as against what does it. */
static const char *const case_keys[] = { "model", "dataset", "batch", "size", "device" };

#define CASE_KEYS (sizeof(case_keys) / sizeof(*case_keys))

bool group_is_case_key(const char *key)
{
	for (size_t i = 0; i < CASE_KEYS; i++)
		if (!strcmp(case_keys[i], key))
			return true;
	return false;
}

/* All other labels of a are b's too. */
static bool subject_in(const struct labels *a, const struct labels *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!group_is_case_key(a->items[i].key) && label_tells_apart(a->items[i].key) &&
		    strcmp(a->items[i].value, label_value(b, a->items[i].key)))
			return false;
	return true;
}

const struct labels *group_labels(const struct groups *g, size_t group)
{
	return &g->runs[g->list[group].first].labels;
}

bool group_same_case(const struct groups *g, size_t a, size_t b)
{
	const struct labels *of_a = group_labels(g, a), *of_b = group_labels(g, b);

	for (size_t i = 0; i < CASE_KEYS; i++)
		if (strcmp(label_value(of_a, case_keys[i]), label_value(of_b, case_keys[i])))
			return false;
	return true;
}

/* ---- runs ---- */

static bool has_failed(const struct trace *t)
{
	const struct process *root = trace_root(t);
	struct process_end e;

	if (!t->started || t->exit_signal || t->exit_status > 0)
		return true;
	if (t->exit_status == 0 || !root)
		return false;
	e = process_end(root);
	return e.killed || e.ending == END_SIGNAL || (e.ending == END_STATUS && e.code);
}

/* libcudnn.so.9, libcudnn_ops_infer.so.8, libcudnn-f6c54f2f.so.7 of a wheel. */
static bool is_cudnn(const struct library *l)
{
	const char *name = base_name(l->path);

	return !strncmp(name, "libcudnn", 8) && strstr(name, ".so");
}

/* Looking around when it is loaded is no use of it: it is there even where there is no GPU. */
static bool launches(const struct process *p, const struct library *l)
{
	for (size_t i = 0; l->id && i < p->profile_count; i++) {
		const struct profile *c = p->profile_list[i];

		if (!c->work && profile_library(c) == l->id &&
		    !strcmp(process_function(p, profile_function(c))->kind, "launch"))
			return true;
	}
	return false;
}

static enum dnn_use use_of(const struct process *p, const struct library *l)
{
	return !is_cudnn(l) ? DNN_ABSENT : launches(p, l) ? DNN_USED : DNN_LOADED;
}

static enum dnn_use cudnn_of(const struct trace *t)
{
	enum dnn_use most = DNN_ABSENT;

	for (size_t i = 0; i < t->process_count; i++)
		for (size_t j = 0; process_shown(t->processes[i]) && j < t->processes[i]->library_count; j++) {
			enum dnn_use use = use_of(t->processes[i], &t->processes[i]->libraries[j]);

			if (use > most)
				most = use;
		}
	return most;
}

static const char *const dnn_words[] = { "no", "loaded", "used" };

const char *group_cudnn(const struct groups *g, size_t group)
{
	enum dnn_use most = DNN_ABSENT;

	for (size_t i = 0; i < g->run_count; i++)
		if (g->runs[i].group == group && g->runs[i].cudnn > most)
			most = g->runs[i].cudnn;
	return dnn_words[most];
}

static struct run run_of(const struct model *m, const struct job *job)
{
	const struct trace *first = m->traces[job->traces[0]];
	size_t hosts = job_hosts(m, job);
	struct run run = { .trace = first, .traces = job->count, .labels = labels_of(first) };

	for (size_t i = 0; i < job->count; i++) {
		run.baseline = run.baseline || job->traces[i] < m->options.baselines;
		run.failed = run.failed || has_failed(m->traces[job->traces[i]]);
		run.cudnn = cudnn_of(m->traces[job->traces[i]]) > run.cudnn ? cudnn_of(m->traces[job->traces[i]]) :
									      run.cudnn;
	}
	if (hosts > 1)
		labels_found_number(&run.labels, "hosts", hosts);
	return run;
}

/* Of a trace without a single event nobody knows what it is a run of. */
static void add_runs(struct groups *g, const struct model *m)
{
	const struct jobs *jobs = jobs_of(m);

	g->runs = xcalloc(jobs->count, sizeof(*g->runs));
	for (size_t i = 0; i < jobs->count; i++)
		if (m->traces[jobs->list[i].traces[0]]->started)
			g->runs[g->run_count++] = run_of(m, &jobs->list[i]);
	/* Repetitions of a named one that somebody labelled alike belong to it. */
	for (size_t i = 0; i < g->run_count; i++)
		for (size_t j = 0; j < g->run_count && !g->runs[i].baseline; j++)
			g->runs[i].baseline = g->runs[j].trace->index < m->options.baselines &&
					      labels_same(&g->runs[i].labels, &g->runs[j].labels, true);
}

static size_t group_for(struct groups *g, size_t run)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->list[i].baseline == g->runs[run].baseline &&
		    labels_same(group_labels(g, i), &g->runs[run].labels, false))
			return i;
	g->list[g->count] = (struct group){
		.first = run, .baseline = g->runs[run].baseline, .reference = NO_GROUP,
	};
	return g->count++;
}

/* ---- baselines ---- */

static void choose_baselines(struct groups *g)
{
	size_t count = 0;

	if (g->named || !g->count)
		return;
	for (size_t i = 0; i < g->count; i++) {
		const struct labels *a = group_labels(g, 0), *b = group_labels(g, i);

		g->list[i].baseline = subject_in(a, b) && subject_in(b, a);
		count += g->list[i].baseline;
	}
	/* Nothing but what is done differs: then the first one it is. */
	for (size_t i = 1; i < g->count && count == g->count; i++)
		g->list[i].baseline = false;
}

static size_t reference_of(const struct groups *g, size_t group)
{
	size_t baselines = 0, last = NO_GROUP;

	if (g->list[group].baseline)
		return NO_GROUP;
	for (size_t i = 0; i < g->count; i++) {
		if (!g->list[i].baseline)
			continue;
		if (group_same_case(g, i, group))
			return i;
		baselines++;
		last = i;
	}
	return baselines == 1 ? last : NO_GROUP;
}

struct groups groups_of(const struct model *m)
{
	struct groups g = { .named = m->options.baselines > 0 };

	if (m->trace_count)
		add_runs(&g, m);
	if (!g.run_count)
		return g;
	g.list = xcalloc(g.run_count, sizeof(*g.list));
	for (size_t i = 0; i < g.run_count; i++) {
		g.runs[i].group = group_for(&g, i);
		g.list[g.runs[i].group].runs++;
		g.list[g.runs[i].group].failed += g.runs[i].failed;
	}
	choose_baselines(&g);
	for (size_t i = 0; i < g.count; i++)
		g.list[i].reference = reference_of(&g, i);
	groups_name(&g);
	return g;
}

void groups_release(struct groups *g)
{
	for (size_t i = 0; i < g->run_count; i++)
		labels_release(&g->runs[i].labels);
	for (size_t i = 0; i < g->count; i++) {
		free(g->list[i].name);
		free(g->list[i].subject);
	}
	free(g->runs);
	free(g->list);
	*g = (struct groups){ 0 };
}

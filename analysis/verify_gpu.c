/* SPDX-License-Identifier: MIT */
/* Checks of the GPU's own records (CUPTI) against the calls that asked for the work. */
#include <stdio.h>
#include <string.h>

#include "analysis/coverage.h"
#include "analysis/model/gpu.h"
#include "analysis/verify.h"

/* Work that was asked for: at least, and what may be work or not. */
struct asked {
	uint64_t sure, maybe;
};

/* What launches executed; those whose shape is not known may be functions of the host. */
static struct asked kernels_asked(const struct process *p)
{
	struct asked a = { 0, 0 };

	for (size_t i = 0; i < p->launched.count; i++) {
		const struct launches *s = &p->launched.list[i];
		const struct object *graph = process_find_object(p, DLT_OBJECT_GRAPH, s->id);

		if (graph)
			a.sure += s->count * graph->values[GRAPH_KERNELS];
		else if (s->id)
			a.sure += s->count;
		else
			a.maybe += s->count;
	}
	return a;
}

static struct asked copies_asked(const struct process *p)
{
	struct asked a = { p->checked.copies + p->checked.sets, p->checked.without_bytes };

	for (size_t i = 0; i < p->launched.count; i++) {
		const struct launches *s = &p->launched.list[i];
		const struct object *graph = process_find_object(p, DLT_OBJECT_GRAPH, s->id);

		if (graph)
			a.sure += s->count * (graph->values[GRAPH_COPIES] + graph->values[GRAPH_SETS]);
	}
	return a;
}

static uint64_t done(const struct process *p, unsigned kinds)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->gpu->device_count; i++)
		for (int k = 0; k < GPU_WORK_KINDS; k++)
			if (kinds >> k & 1)
				sum += p->gpu->devices[i].count[k];
	return sum;
}

static void note_uncovered(const struct coverage *c, void *data)
{
	bool *uncovered = data;

	if (!strcmp(c->covered, "no") && !strncmp(c->kind, "cuda", 4))
		*uncovered = true;
}

static bool has_unsure_graphs(const struct process *p)
{
	for (size_t i = 0; i < p->launched.count; i++) {
		const struct launches *s = &p->launched.list[i];
		const struct object *graph = process_find_object(p, DLT_OBJECT_GRAPH, s->id);

		if (graph && s->count && graph->values[GRAPH_UNSURE])
			return true;
	}
	return false;
}

/* Nothing is known to be missing, neither of the calls nor of the GPU's records. */
static bool is_complete(const struct process *p)
{
	bool uncovered = false;

	if (!p->gpu || (!p->gpu->told && !p->gpu->opencl) || p->gpu->gap_count || p->gpu->lost || !process_whole(p) ||
	    strcmp(p->trace->level, "summary") == 0 || has_unsure_graphs(p))
		return false;
	coverage_each(p, note_uncovered, &uncovered);
	return !uncovered;
}

static uint64_t outside(uint64_t n, const struct asked *a)
{
	if (n < a->sure)
		return a->sure - n;
	return n > a->sure + a->maybe ? n - a->sure - a->maybe : 0;
}

static void compare(const struct trace *t, struct check_result *c, const char *what, unsigned kinds,
		    struct asked (*asked)(const struct process *))
{
	uint64_t sure = 0, ran = 0, off = 0, processes = 0, left_out = 0;
	char first[160] = "", more[64] = "";

	each_checked(p, t) {
		struct asked a;
		uint64_t here;

		if (!p->gpu)
			continue;
		if (!is_complete(p)) {
			left_out++;
			continue;
		}
		a = asked(p);
		here = outside(done(p, kinds), &a);
		processes++;
		sure += a.sure;
		ran += done(p, kinds);
		off += here;
		if (here && !*first)
			snprintf(first, sizeof(first), "; %.80s: %s done, %s to %s"
				 " asked for", process_who(p), COUNT_TEXT(done(p, kinds)), COUNT_TEXT(a.sure),
				 COUNT_TEXT(a.sure + a.maybe));
	}
	if (!processes) {
		check_not_applicable(c, left_out ? "the GPU's records or the calls are not complete, as the "
						   "limits say" :
						   "the GPU's activity was not recorded");
		return;
	}
	if (left_out)
		snprintf(more, sizeof(more), "; %s processes are not complete", COUNT_TEXT(left_out));
	check_verdict(c, sure + ran, (double)off, "%s %s done, %s asked for%s%s", COUNT_TEXT(ran), what,
		      COUNT_TEXT(sure), more, first);
}

void check_gpu_kernels(const struct trace *t, const struct report *r, struct check_result *c)
{
	(void)r;
	compare(t, c, "kernels", 1u << GPU_KERNEL, kernels_asked);
}

void check_gpu_copies(const struct trace *t, const struct report *r, struct check_result *c)
{
	(void)r;
	compare(t, c, "copies and sets", 1u << GPU_COPY | 1u << GPU_SET, copies_asked);
}

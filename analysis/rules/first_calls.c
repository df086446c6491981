/* SPDX-License-Identifier: MIT */
/* Rules: the price of starting: contexts, code that is loaded at its first use. */
#include <stdio.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/layers.h"
#include "analysis/rules/work.h"

#define FIRST_CALL_LEAST 1000000  /* ns: shorter ones are not worth a word ... */
#define ONLY_CALL_LEAST	 10000000 /* ... nor, if there was no second to compare with, these */
#define NAMED		 3	  /* functions that the text names */

/*
 * Layers whose first call makes a context, loads code or connects; but what a library registers when it is loaded, and
 * takes back at the end.
 */
static bool starts_up(const struct function *fn)
{
	return layer_is_gpu(fn->layer) && strncmp(fn->name, "__cudaRegister", 14) != 0 &&
	       strncmp(fn->name, "__cudaUnregister", 16) != 0 &&
	       strcmp(fn->kind, "synchronise") && strcmp(fn->kind, "wait");
}

struct first {
	const struct profile *profile;
	const struct function *function;
	const struct sums *sums;
	uint64_t ns, own; /* of the first call; less other calls inside it, where that is known */
};

/* Is its first call the greater part of all its time? */
static bool find_first(const struct process *p, const struct profile *c, struct first *first)
{
	const struct function *fn = profile_names(p, c);
	const struct sums *s = profile_counts(p, c);

	*first = (struct first){c, fn, s, s == c->exact ? c->exact_first : c->events_first, 0};
	first->own = s->nested < first->ns ? first->ns - s->nested : 0;
	/* Of a part, the first one that is seen is not the first; what fails makes no context and loads no code. */
	return !trace_is_part(p->trace) && !c->work && s->calls > s->failed && starts_up(fn) &&
	       first->ns * 2 >= s->total &&
	       first->ns >= (s->calls == 1 ? ONLY_CALL_LEAST : FIRST_CALL_LEAST);
}

static void tell_one(struct findings *f, const struct process *p, const struct first *first,
		     json_t *evidence)
{
	const struct sums *s = first->sums;
	struct stake stake = {.since = first->profile->begin, .ns = (double)first->ns};
	char once[32], all[32], steady[32];

	time_text(once, sizeof(once), (double)first->ns);
	if (s->calls == 1)
		found(f, p, stake, evidence,
		      "%s: its only call of %s took %s, as a first call does (a context is made, "
		      "code is loaded)",
		      process_who(p), first->function->name, once);
	else
		found(f, p, stake, evidence,
		      "%s: the first %s took %s of the %s of all %s"
		      " calls (a context is made, code is loaded); the others took %s on average",
		      process_who(p), first->function->name, once,
		      time_text(all, sizeof(all), (double)s->total), COUNT_TEXT(s->calls),
		      time_text(steady, sizeof(steady),
				(double)(s->total > first->ns ? s->total - first->ns : 0) /
					(double)(s->calls - 1)));
}

/* "cudaMalloc 210 ms, cudaFree 4.0 ms, ..." */
static void append(char *text, size_t size, const struct first *first, size_t index)
{
	size_t length = strlen(text);
	char once[32];

	if (index < NAMED)
		snprintf(text + length, size - length, "%s%s %s", index ? ", " : "",
			 first->function->name, time_text(once, sizeof(once), (double)first->ns));
	else if (index == NAMED)
		snprintf(text + length, size - length, ", ...");
}

/* A share of a function that is really the price of starting: told apart from its steady calls. */
void rule_first_call(struct findings *f, const struct process *p)
{
	char names[512] = "", sum[32];
	json_t *functions = json_array();
	struct first first, only = {0};
	int64_t since = INT64_MAX;
	uint64_t own = 0;
	size_t count = 0;

	for (size_t i = 0; i < p->profile_count; i++) {
		if (!find_first(p, p->profile_list[i], &first))
			continue;
		json_array_append_new(functions, json_pack("{s:o, s:I, s:I, s:I}", "function",
							   json_name(first.function->name), "first_ns",
							   (json_int_t)first.ns, "total_ns",
							   (json_int_t)first.sums->total, "calls",
							   (json_int_t)first.sums->calls));
		append(names, sizeof(names), &first, count++);
		own += first.own;
		since = first.profile->begin < since ? first.profile->begin : since;
		only = first;
	}
	if (count == 1)
		tell_one(f, p, &only, json_incref(json_array_get(functions, 0)));
	else if (count)
		found(f, p,
		      (struct stake){.since = since == INT64_MAX ? UNKNOWN : since,
				     .ns = (double)own},
		      json_pack("{s:O, s:I}", "functions", functions, "own_ns", (json_int_t)own),
		      "%s: the first calls of %s functions took %s, most of all their time (a "
		      "context is made, code is "
		      "loaded): %s",
		      process_who(p), COUNT_TEXT(count), time_text(sum, sizeof(sum), (double)own), names);
	json_decref(functions);
}

/* ---- lazy loading ---- */

#define SLOW_LAUNCH 500000 /* ns: a launch that only queues takes some microseconds */
#define LAZY_LEAST  5e7	   /* ns */
#define LAZY_SHARE  0.01   /* of the time between the first launch and the last */

static uint64_t kernels_known(const struct process *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->launched.object_count; i++)
		n += p->launched.objects[i].type == DLT_OBJECT_KERNEL;
	return n;
}

/*
 * With lazy loading each kernel's code is loaded at its first launch. That there are no more slow
 * launches than kernels tells them from those that wait for room in a queue.
 */
void rule_lazy_loading(struct findings *f, const struct process *p)
{
	uint64_t slow = 0, kernels = kernels_known(p);
	double ns = 0;
	char time[32];
	struct span s;

	if (!kernels || !work_span(p, &s))
		return;
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *c = p->profile_list[i];
		const struct sums *sums = profile_counts(p, c);

		if (c->work || strcmp(profile_names(p, c)->kind, "launch"))
			continue;
		for (unsigned b = dlt_bucket(SLOW_LAUNCH); b < DLT_BUCKETS; b++) {
			slow += sums->buckets[b];
			ns += (double)sums->buckets[b] * (double)dlt_bucket_floor(b);
		}
	}
	if (slow < 2 || slow > kernels || ns < LAZY_LEAST || ns < LAZY_SHARE * span_length(s))
		return;
	found(f, p, (struct stake){.since = s.begin, .ns = ns},
	      json_pack("{s:I, s:I, s:f}", "slow_launches", (json_int_t)slow, "kernels",
			(json_int_t)kernels, "time_ns", ns),
	      "%s: %s launches of its %s kernels took at least %s together, as each kernel's code is "
	      "loaded when it is first launched",
	      process_who(p), COUNT_TEXT(slow), COUNT_TEXT(kernels), time_text(time, sizeof(time), ns));
}

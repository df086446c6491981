/* SPDX-License-Identifier: MIT */
/* Rules: processes that died, allocations and calls that failed. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/errors.h"
#include "analysis/failures.h"
#include "analysis/findings.h"
#include "analysis/gpu_memory.h"
#include "analysis/model/memory.h"

/* Who asked for the first block that was refused, and how long before the end that was. */
static const char *refused_text(const struct process *p, char *text, size_t size)
{
	const struct gpu_memory *g = &p->gpu_memory;
	const struct failed_allocation *a = &p->failed[0];
	const struct library *l = process_library(p, p->failed_count ? a->library : 0);
	uint64_t failed = heap_failed(p) + g->failed;
	int64_t at = g->failed ? g->failures[0].t : a->t;
	char bytes[32], time[32] = "";

	*text = '\0';
	if (!failed)
		return text;
	if (!p->failed_count && !g->failed) {
		snprintf(text, size, "; before, %s allocation%s had failed", COUNT_TEXT(failed),
			 failed == 1 ? "" : "s");
		return text;
	}
	if (p->end != UNKNOWN && at != UNKNOWN && p->end > at)
		time_text(time, sizeof(time), (double)(p->end - at));
	snprintf(text, size, "; before, %s allocation%s had failed (%s%s%s%s%s%s)", COUNT_TEXT(failed),
		 failed == 1 ? "" : "s",
		 bytes_text(bytes, sizeof(bytes), (double)(g->failed ? g->failures[0].size : a->size)),
		 !g->failed && l ? ", asked by " : "", !g->failed && l ? base_name(l->path) : "",
		 *time ? ", " : "", time, *time ? " earlier" : "");
	return text;
}

/* A block that is refused is at 0; who does not look writes there, sooner or later. */
static bool may_be_unchecked(const struct process *p, const struct process_end *e)
{
	return e->ending == END_SIGNAL && (e->code == SIGSEGV || e->code == SIGBUS) && heap_failed(p);
}

static const char *where_to_look(const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	bool held = false, holders = g->failures_kept && g->failures[g->failures_kept - 1].holders[0].live > 0;

	for (const struct thread *thread = p->threads; thread && !held; thread = thread->sibling)
		held = thread_was_held(p, thread);
	return held && holders ? "See the section on failures: what was in flight, and who held the memory." :
	       held ? "See the section on failures: what was in flight." :
	       holders ? "See the section on failures: who held the memory." : NULL;
}

/* After a failed allocation a program often dies somewhere else: the two are told together. */
static void tell_end(struct findings *f, const struct process *p)
{
	struct process_end e = process_end(p);
	struct stake stake = {.since = p->end};
	char name[32], before[256];
	bool unchecked = may_be_unchecked(p, &e);

	refused_text(p, before, sizeof(before));
	found_advising(f, where_to_look(p));
	if (e.ending == END_SIGNAL)
		found(f, p, stake,
		      json_pack("{s:i, s:I, s:b}", "signal", e.code, "failed_allocations",
				(json_int_t)heap_failed(p), "unchecked", unchecked),
		      "%s died of %s%s%s%s", process_who(p), signal_name(e.code, name, sizeof(name)),
		      e.out_of_memory ? KILLED_FOR_MEMORY : "", before,
		      unchecked ? ": it seems to have used the block that it did not get" : "");
	else if (e.ending == END_STATUS)
		found(f, p, stake, json_pack("{s:i}", "status", e.code),
		      "%s ended with status %d%s", process_who(p), e.code, before);
	else
		found(f, p, stake, json_pack("{s:b}", "killed", 1),
		      "%s is gone without having ended, so it was killed%s", process_who(p),
		      before);
}

/* Was it started from outside, as the command is? Else somebody that is seen made it. */
static bool is_command(const struct process *p)
{
	while (p->replaced)
		p = p->replaced;
	return !p->parent;
}

/* The command's end is that of the run; of others that ended badly the first one may have been the cause. */
static int by_weight(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a, *y = *(const struct process *const *)b;

	if (is_command(x) != is_command(y))
		return is_command(x) ? -1 : 1;
	if (x->end != y->end)
		return x->end == UNKNOWN || (y->end != UNKNOWN && x->end > y->end) ? 1 : -1;
	return x->report_id < y->report_id ? -1 : 1;
}

void rule_died(struct findings *f, const struct trace *t)
{
	const struct process **list = xcalloc(t->process_count + 1, sizeof(*list));
	size_t count = 0;
	char text[128];

	for (size_t i = 0; i < t->process_count; i++)
		if (process_shown(t->processes[i]) && process_ended_badly(t->processes[i]))
			list[count++] = t->processes[i];
	qsort(list, count, sizeof(*list), by_weight);
	for (size_t i = 0; i < count; i++)
		tell_end(f, list[i]);
	free(list);
	if (trace_unseen_end(t, text, sizeof(text)))
		found(f, NULL, (struct stake){.since = UNKNOWN},
		      json_pack("{s:i}", t->exit_signal ? "signal" : "status",
				t->exit_signal ? t->exit_signal : t->exit_status), "%s", text);
}

/* There was as much as it asked for, in the machine and in the cgroup. */
static bool was_to_be_had(const struct failed_allocation *a)
{
	uint64_t left = a->cgroup_limit > a->cgroup_used ? a->cgroup_limit - a->cgroup_used : 0;

	return a->memory && a->available > a->size && (!a->cgroup_limit || left > a->size);
}

void rule_allocation_failed(struct findings *f, const struct process *p)
{
	const struct failed_allocation *first = &p->failed[0];
	const struct library *l = process_library(p, first->library);
	uint64_t failed = heap_failed(p);
	char size[32], live[32];

	if (!failed)
		return;
	if (!p->failed_count) {
		found(f, p, (struct stake){.since = UNKNOWN}, json_pack("{s:I}", "count", (json_int_t)failed),
		      "%s: %s allocation%s failed; when, of what size and for whom is not recorded",
		      process_who(p), COUNT_TEXT(failed), failed == 1 ? "" : "s");
		return;
	}
	if (was_to_be_had(first))
		found_advising(f, "The machine had that much: a limit refused it, as of ulimit -v and -d, of a "
			       "container, or vm.overcommit_memory; raise it, or take a smaller batch.");
	found(f, p, (struct stake){.since = first->t, .bytes = (double)first->size},
	      json_pack("{s:I, s:I, s:I}", "count", (json_int_t)failed, "size_bytes",
			(json_int_t)first->size, "t_ns", (json_int_t)first->t),
	      "%s: an allocation of %s by %s failed%s%s%s%s", process_who(p),
	      bytes_text(size, sizeof(size), (double)first->size),
	      l ? base_name(l->path) : "an unknown caller",
	      first->live == UNKNOWN ? "" : "; ",
	      first->live == UNKNOWN ? "" : bytes_text(live, sizeof(live), (double)first->live),
	      first->live == UNKNOWN ? "" : " were live at the last reading before",
	      failed > 1 ? "; it was not the only one" : "");
}

/* The last one: frameworks give back what they can and try again before they give up. */
void rule_gpu_allocation_failed(struct findings *f, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	const struct gpu_failure *last;
	char text[1024];

	if (!g->failed)
		return;
	last = &g->failures[g->failures_kept - 1];
	found(f, p, (struct stake){.since = last->t, .bytes = (double)last->size},
	      json_pack("{s:I, s:I, s:I, s:I, s:o}", "count", (json_int_t)g->failed, "size_bytes",
			(json_int_t)last->size, "live_bytes", (json_int_t)last->live, "t_ns",
			(json_int_t)last->t, "holders", gpu_failure_holders(p, last)),
	      "%s: %s%s", process_who(p), gpu_failure_text(p, last, text, sizeof(text)),
	      g->failed > 1 ? "; others before it too" : "");
}

static const struct profile *find_no_gpu(const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++)
		if (call_finds_no_gpu(p, p->profile_list[i]))
			return p->profile_list[i];
	return NULL;
}

void rule_no_gpu(struct findings *f, const struct trace *t)
{
	const struct process *first = NULL;
	const struct function *fn;
	const struct profile *c;
	const struct error *e;
	size_t count = 0;
	char others[48] = "";

	for (size_t i = 0; i < t->process_count; i++) {
		if (!process_shown(t->processes[i]) || !find_no_gpu(t->processes[i]))
			continue;
		first = first ? first : t->processes[i];
		count++;
	}
	if (!first)
		return;
	c = find_no_gpu(first);
	fn = process_function(first, profile_function(c));
	e = call_finds_no_gpu(first, c);
	if (count > 1)
		snprintf(others, sizeof(others), " and %s other%s", COUNT_TEXT(count - 1), count > 2 ? "s" : "");
	found(f, NULL, (struct stake){.since = e->at},
	      json_pack("{s:o, s:i, s:I}", "function", json_name(fn->name), "code", e->code, "processes",
			(json_int_t)count),
	      "no GPU for %s%s: %s answered %s", process_who(first), others, fn->name,
	      error_text(fn->layer, e->code).text);
}

static void call_failed_with(struct findings *f, const struct process *p, const struct profile *c,
			     const struct error *e)
{
	const struct function *fn = process_function(p, profile_function(c));

	found(f, p, (struct stake){.since = e->at},
	      json_pack("{s:o, s:i, s:I}", "function", json_name(fn->name), "code", e->code, "count",
			(json_int_t)e->count),
	      "%s: %s failed with %s, %s time%s", process_who(p), fn->name,
	      error_text(fn->layer, e->code).text, COUNT_TEXT(e->count), e->count == 1 ? "" : "s");
}

void rule_call_failed(struct findings *f, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *c = p->profile_list[i];
		const struct function *fn = process_function(p, profile_function(c));
		uint64_t untold = call_failed_untold(p, c);

		if (untold)
			found(f, p, (struct stake){.since = UNKNOWN},
			      json_pack("{s:o, s:I}", "function", json_name(fn->name), "count", (json_int_t)untold),
			      "%s: %s failed %s %stime%s; when and with which error is not recorded",
			      process_who(p), fn->name, COUNT_TEXT(untold), c->events.failed ? "other " : "",
			      untold == 1 ? "" : "s");
		for (size_t k = 0; k < c->error_count; k++)
			if (call_failed(p, c, &c->errors[k]))
				call_failed_with(f, p, c, &c->errors[k]);
	}
}

/* SPDX-License-Identifier: MIT */
/* The table `failures`: what went wrong in the application, by trace, in order of time. */
#include <stdio.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/breakdown.h"
#include "analysis/errors.h"
#include "analysis/failures.h"
#include "analysis/gpu_memory.h"
#include "analysis/layers.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "kind", "kind", UNIT_TEXT, "allocation, signal, exit, hang, cuda-error, communication-error" },
	{ "t_ns", "time", UNIT_TIME, "of the first one" },
	{ "phase", "phase", UNIT_TEXT, "at that time, of the process that trains" },
	{ "text", "what", UNIT_TEXT, "in words" },
	{ "function", "function", UNIT_TEXT, "the call that failed" },
	{ "library", "library", UNIT_TEXT, "who called it" },
	{ "thread", "thread", UNIT_ID, "in which thread" },
	{ "code", "code", UNIT_ID, "signal, exit status or error code" },
	{ "count", "count", UNIT_COUNT, "how often it happened" },
	{ "size_bytes", "size", UNIT_BYTES, "asked for" },
	{ "live_bytes", "live", UNIT_BYTES, "heap of the process at its last reading before; of GPU memory: what "
	  "it had reserved on that GPU" },
	{ "holders", "holders", UNIT_TREE, "who held GPU memory at that moment" },
	{ "free_bytes", "free", UNIT_BYTES, "free memory of the GPU as the program heard it afterwards; of "
	  "heap: available on the machine before" },
	{ "total_bytes", "total", UNIT_BYTES, "of the GPU, of the machine" },
};

#define OUT_OF_MEMORY 2		/* cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY */

static bool is_communication(const char *layer)
{
	return !strcmp(layer, "nccl") || !strcmp(layer, "mpi");
}

const struct error *call_finds_no_gpu(const struct process *p, const struct profile *c)
{
	const struct function *fn = process_function(p, profile_function(c));

	for (size_t i = 0; i < c->error_count; i++)
		if (error_meaning(fn, c->errors[i].code) == ERROR_NO_GPU)
			return &c->errors[i];
	return NULL;
}

bool call_failed(const struct process *p, const struct profile *c, const struct error *e)
{
	return c->timed && !gpu_failure_of(p, profile_function(c)) &&
	       error_meaning(process_function(p, profile_function(c)), e->code) == ERROR_FAILURE;
}

/* Did any call succeed that would not without a GPU? */
static bool has_gpu(const struct process *p)
{
	static const char *const kinds[] = { "allocate", "copy", "launch" };

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct function *fn = process_function(p, profile_function(f));
		const struct sums *s = profile_sums(f);

		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			if (!f->work && layer_is_gpu(fn->layer) && !strcmp(fn->kind, kinds[k]) && s->calls > s->failed)
				return true;
	}
	return false;
}

/* Is an error of it what went wrong, whatever its code? */
static bool fails_by_error(const struct process *p, const struct function *fn)
{
	if (!strcmp(fn->kind, "other"))
		return false;
	if (is_communication(fn->layer))
		return true;
	/* The ledger tells of refused GPU memory. */
	return layer_is_gpu(fn->layer) && (strcmp(fn->kind, "allocate") || !p->gpu_memory.failed) &&
	       (strcmp(fn->kind, "initialise") || has_gpu(p));
}

uint64_t call_failed_untold(const struct process *p, const struct profile *c)
{
	const struct sums *s = profile_counts(p, c);
	uint64_t known = s->calls - s->outer_calls + c->events.failed;

	if (c->work || s->failed <= known || call_finds_no_gpu(p, c) ||
	    !fails_by_error(p, process_function(p, profile_function(c))))
		return 0;
	return s->failed - known;
}

uint64_t heap_failed(const struct process *p)
{
	uint64_t counted = p->now.sampled && !trace_is_part(p->trace) ? p->sample.failed_allocations : 0;

	return counted > p->failed_count ? counted : p->failed_count;
}

static const char *caller(const struct process *p, uint16_t library)
{
	const struct library *l = process_library(p, library);

	return l ? base_name(l->path) : "";
}

static void begin_row(struct table *t, const struct process *p, const char *kind, int64_t at,
		      const char *text)
{
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_text(t, "kind", kind);
	set_time(t, "t_ns", at);
	set_text(t, "phase", phase_name_at(phases_around(p), at));
	table_set_text(t, "text", text);
}

/* What there was to be had: of the cgroup where it has a limit, else of the machine. */
static const char *room_text(const struct failed_allocation *f, char *text, size_t size)
{
	char used[32], of[32];

	*text = '\0';
	if (f->cgroup_limit)
		snprintf(text, size, "; the cgroup used %s of its limit of %s",
			 bytes_text(used, sizeof(used), (double)f->cgroup_used),
			 bytes_text(of, sizeof(of), (double)f->cgroup_limit));
	else if (f->memory)
		snprintf(text, size, "; %s of the machine's %s were available",
			 bytes_text(used, sizeof(used), (double)f->available),
			 bytes_text(of, sizeof(of), (double)f->memory));
	return text;
}

static void add_allocations(struct table *t, const struct process *p)
{
	char text[512], size[32], live[32], room[128];

	for (size_t i = 0; i < p->failed_count && i < FAILED_ALLOCATIONS_KEPT; i++) {
		const struct failed_allocation *f = &p->failed[i];
		const char *function = process_function(p, f->function)->name;
		const char *library = caller(p, f->library);

		snprintf(text, sizeof(text),
			 "%s of %s, asked by %s, returned nothing; live heap at the last reading before: %s%s",
			 *function ? function : "an allocation",
			 bytes_text(size, sizeof(size), (double)f->size),
			 *library ? library : "an unknown caller",
			 f->live == UNKNOWN ? "not known" : bytes_text(live, sizeof(live), (double)f->live),
			 room_text(f, room, sizeof(room)));
		begin_row(t, p, "allocation", f->t, text);
		set_text(t, "function", function);
		set_text(t, "library", library);
		table_set_uint(t, "thread", f->thread);
		table_set_uint(t, "count",
			       i + 1 == FAILED_ALLOCATIONS_KEPT ? p->failed_count - i : 1);
		table_set_uint(t, "size_bytes", f->size);
		set_time(t, "live_bytes", f->live);
		if (f->memory) {
			table_set_uint(t, "free_bytes", f->available);
			table_set_uint(t, "total_bytes", f->memory);
		}
	}
}

static void add_untold_allocations(struct table *t, const struct process *p)
{
	uint64_t untold = heap_failed(p) - p->failed_count;
	char text[128];

	if (!untold)
		return;
	snprintf(text, sizeof(text), "%s %sallocation%s returned nothing: when, of what size and for whom is "
		 "not recorded", COUNT_TEXT(untold), p->failed_count ? "other " : "", untold == 1 ? "" : "s");
	begin_row(t, p, "allocation", UNKNOWN, text);
	table_set_uint(t, "count", untold);
}

static void add_gpu_allocations(struct table *t, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	char text[1024];

	for (size_t i = 0; i < g->failures_kept; i++) {
		const struct gpu_failure *f = &g->failures[i];

		begin_row(t, p, f->code && f->code != OUT_OF_MEMORY ? "cuda-error" : "allocation", f->t,
			  gpu_failure_text(p, f, text, sizeof(text)));
		set_text(t, "function", f->function ? process_function(p, f->function)->name : "");
		set_text(t, "library", gpu_row_library_name(p, f->key));
		if (f->thread)
			table_set_uint(t, "thread", f->thread);
		if (f->code)
			table_set_int(t, "code", f->code);
		table_set_uint(t, "count", f->count);
		table_set_uint(t, "size_bytes", f->size);
		table_set_int(t, "live_bytes", f->live);
		table_set_tree(t, "holders", gpu_failure_holders(p, f));
		if (f->told_total) {
			table_set_uint(t, "free_bytes", f->told_free);
			table_set_uint(t, "total_bytes", f->told_total);
		}
	}
}

static const char *error_kind(const struct function *fn, int32_t code)
{
	if (is_communication(fn->layer))
		return "communication-error";
	return code == OUT_OF_MEMORY && !strcmp(fn->kind, "allocate") ? "allocation" : "cuda-error";
}

static void add_untold_errors(struct table *t, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		const struct function *fn = process_function(p, profile_function(f));
		uint64_t untold = call_failed_untold(p, f);
		char text[256];

		if (!untold)
			continue;
		snprintf(text, sizeof(text),
			 "%s failed %s %stime%s: when and with which error is not recorded", fn->name,
			 COUNT_TEXT(untold), f->events.failed ? "other " : "", untold == 1 ? "" : "s");
		begin_row(t, p, error_kind(fn, 0), UNKNOWN, text);
		set_text(t, "function", fn->name);
		set_text(t, "library", caller(p, profile_library(f)));
		table_set_uint(t, "count", untold);
	}
}

static void add_error(struct table *t, const struct process *p, const struct profile *f, const struct error *e)
{
	const struct function *fn = process_function(p, profile_function(f));
	char text[512], size[32] = "";

	if (e->size)
		bytes_text(size, sizeof(size), (double)e->size);
	snprintf(text, sizeof(text), "%s%s%s returned %s, %s time%s", fn->name, *size ? " of " : "", size,
		 error_text(fn->layer, e->code).text, COUNT_TEXT(e->count), e->count == 1 ? "" : "s");
	begin_row(t, p, error_kind(fn, e->code), e->at, text);
	set_text(t, "function", fn->name);
	set_text(t, "library", caller(p, profile_library(f)));
	table_set_int(t, "code", e->code);
	table_set_uint(t, "count", e->count);
	if (e->size)
		table_set_uint(t, "size_bytes", e->size);
}

static void add_errors(struct table *t, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];

		for (size_t k = 0; k < f->error_count; k++)
			if (call_failed(p, f, &f->errors[k]))
				add_error(t, p, f, &f->errors[k]);
	}
}

static void add_end(struct table *t, const struct process *p)
{
	struct process_end e = process_end(p);
	char text[256], name[32], by[160] = "";

	if (e.let_go)
		return;
	if (e.sender)
		snprintf(by, sizeof(by), ", sent by %s", process_who(e.sender));
	if (e.ending == END_SIGNAL) {
		snprintf(text, sizeof(text), "%s died of %s%s", process_who(p),
			 signal_name(e.code, name, sizeof(name)),
			 e.sender ? by : e.out_of_memory ? KILLED_FOR_MEMORY : e.killed ? ", without a word" : "");
		begin_row(t, p, "signal", p->end, text);
		table_set_int(t, "code", e.code);
	} else if (e.ending == END_STATUS && e.code) {
		snprintf(text, sizeof(text), "%s ended with status %d", process_who(p), e.code);
		begin_row(t, p, "exit", p->end, text);
		table_set_int(t, "code", e.code);
	} else if (e.killed) {
		snprintf(text, sizeof(text), "%s is gone without having ended: killed (SIGKILL?)",
			 process_who(p));
		begin_row(t, p, "signal", p->end, text);
	}
	if (t->row_count && p->exit_thread && e.ending == END_SIGNAL)
		table_set_uint(t, "thread", p->exit_thread);
}

bool process_ended_badly(const struct process *p)
{
	struct process_end e = process_end(p);

	return !e.let_go && (e.killed || e.ending == END_SIGNAL || (e.ending == END_STATUS && e.code));
}

bool trace_unseen_end(const struct trace *t, char *text, size_t size)
{
	char name[32];

	if (trace_root(t) || (!t->exit_signal && t->exit_status <= 0))
		return false;
	if (t->exit_signal)
		snprintf(text, size, "the command died of %s; nothing else is known of its process",
			 signal_name(t->exit_signal, name, sizeof(name)));
	else
		snprintf(text, size, "the command ended with status %d; nothing else is known of its process",
			 t->exit_status);
	return true;
}

static void add_unseen_end(struct table *table, const struct trace *t)
{
	char text[128];

	if (!trace_unseen_end(t, text, sizeof(text)))
		return;
	table_add_row(table);
	table_set_text(table, "kind", t->exit_signal ? "signal" : "exit");
	table_set_text(table, "text", text);
	table_set_int(table, "code", t->exit_signal ? t->exit_signal : t->exit_status);
}

/* Elsewhere threads may wait for ever, for work that does not come. */
bool thread_was_held(const struct process *p, const struct thread *thread)
{
	return process_ended_badly(p) && thread->id != p->exit_thread && thread_unreturned(thread);
}

static void add_unreturned(struct table *t, const struct process *p)
{
	char text[256], time[32];

	for (const struct thread *thread = p->threads; thread; thread = thread->sibling) {
		const char *function = process_function(p, thread->in_flight)->name;
		uint64_t lasted = thread_unreturned(thread);

		if (!thread_was_held(p, thread))
			continue;
		snprintf(text, sizeof(text), "%s had not returned for %s when %s ended",
			 *function ? function : "a call", time_text(time, sizeof(time), (double)lasted),
			 process_who(p));
		begin_row(t, p, "hang", thread->in_flight_since, text);
		set_text(t, "function", function);
		table_set_uint(t, "thread", thread->id);
	}
}

static void add(const struct process *p, struct table *t)
{
	add_allocations(t, p);
	add_untold_allocations(t, p);
	add_gpu_allocations(t, p);
	add_errors(t, p);
	add_untold_errors(t, p);
	add_unreturned(t, p);
	add_end(t, p);
}

/* The recorder's watchdog saw a process that makes no progress. */
static void add_hangs(struct table *table, const struct trace *t)
{
	for (size_t i = 0; i < t->note_count; i++) {
		const struct note *n = &t->notes[i];
		const struct process *p = n->process ? trace_process(t, n->process) : NULL;

		if (strcmp(n->kind, "hang") || (p && !process_shown(p)))
			continue;
		table_add_row(table);
		if (p)
			table_set_int(table, "process", p->report_id);
		table_set_text(table, "kind", "hang");
		set_time(table, "t_ns", n->t);
		table_set_text(table, "text", n->text);
	}
}

void run_failures(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "failures", "Failures", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++) {
		size_t first = t->row_count;

		trace_each_process(m->traces[i], t, add);
		add_hangs(t, m->traces[i]);
		add_unseen_end(t, m->traces[i]);
		table_sort_rising(t, "t_ns", first);
	}
}

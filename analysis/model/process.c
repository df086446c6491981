/* SPDX-License-Identifier: MIT */
/* Processes and threads: made at first sight, merged when an unknown one gets a name, looked at. */
#include "config.h"

#include <string.h>

#include "analysis/iterations.h"
#include "analysis/model/gpu.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"
#include "functions.h"

#define CODES_KEPT 16

struct process *trace_process(const struct trace *t, uint32_t id)
{
	return idmap_pointer(&t->process_by_id, id);
}

struct thread *trace_thread(const struct trace *t, uint32_t id)
{
	return idmap_pointer(&t->thread_by_id, id);
}

static struct process *process_new(struct trace *t, uint32_t id)
{
	struct process *p = xcalloc(1, sizeof(*p));

	t->processes = xgrow(t->processes, t->process_count, &t->process_capacity,
			     sizeof(*t->processes));
	t->processes[t->process_count++] = p;
	p->id = id;
	p->trace = t;
	p->host = p->exe = p->folder = p->command = p->version = trace_keep(t, "");
	p->begin = p->end = p->last = p->exit_at = p->sample_at = UNKNOWN;
	p->rank = p->ranks = p->local_rank = -1;
	p->ram.family.unread_since = UNKNOWN;
	p->now.cpu_at = UNKNOWN;
	rhythm_init(&p->rhythm);
	input_init(&p->input);
	return p;
}

void process_free(struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		free(p->profile_list[i]->exact);
		free(p->profile_list[i]->errors);
		tally_release(&p->profile_list[i]->slices);
		free(p->profile_list[i]);
	}
	for (int c = 0; c < PROCESS_CURVES; c++)
		curve_release(&p->curves[c]);
	curve_release(&p->threads_sampled);
	gpu_work_free(p->gpu);
	idmap_release(&p->library_by_id);
	launched_release(&p->launched);
	idmap_release(&p->profiles);
	gpu_memory_release(&p->gpu_memory);
	askers_release(&p->askers);
	iterations_free(p->iterations);
	free(p->phases);
	load_release(&p->load);
	ram_release(&p->ram);
	marks_free(p->marks);
	comms_release(&p->comms);
	rhythm_release(&p->rhythm);
	input_release(&p->input);
	checked_release(&p->checked);
	free(p->profile_list);
	free(p->uncovered);
	free(p->packages);
	children_release(&p->offspring);
	free(p->libraries);
	free(p);
}

struct process *trace_process_make(struct trace *t, uint32_t id)
{
	uint64_t *slot = idmap_put(&t->process_by_id, id);

	if (!*slot)
		*slot = (uintptr_t)process_new(t, id);
	return (struct process *)(uintptr_t)*slot;
}

struct thread *trace_thread_make(struct trace *t, uint32_t id)
{
	struct thread *thread = trace_thread(t, id);
	struct process *p;

	if (thread)
		return thread;
	p = trace_process(t, id);	/* a process's id is the id of its first thread */
	if (!p) {
		p = process_new(t, 0);
		p->orphan = true;
		p->orphan_thread = id;
	}
	thread = xcalloc(1, sizeof(*thread));
	t->threads = xgrow(t->threads, t->thread_count, &t->thread_capacity, sizeof(*t->threads));
	t->threads[t->thread_count++] = thread;
	*idmap_put(&t->thread_by_id, id) = (uintptr_t)thread;
	thread->id = id;
	thread->process = p;
	thread->first_thread = p->id == id && !p->orphan;
	thread->name = trace_keep(t, "");
	thread->begin = thread->end = thread->in_flight_since = thread->in_flight_at = thread->returned = UNKNOWN;
	return thread;
}

struct thread *trace_emitted(struct trace *t, uint32_t id, int64_t at)
{
	struct thread *thread = t->last_thread;

	if (!thread || thread->id != id)
		thread = t->last_thread = trace_thread_make(t, id);
	thread->read++;
	thread->process->read++;
	process_seen(thread->process, at);
	return thread;
}

struct profile *process_profile(struct process *p, uint16_t function, uint16_t library)
{
	uint32_t key = (uint32_t)function << 16 | library;
	uint64_t *slot = idmap_put(&p->profiles, key);
	struct profile *f = (struct profile *)(uintptr_t)*slot;

	if (f)
		return f;
	f = xcalloc(1, sizeof(*f));
	f->key = key;
	f->begin = f->end = UNKNOWN;
	f->slices.most = TALLY_SLICES;
	*slot = (uintptr_t)f;
	p->profile_list = xgrow(p->profile_list, p->profile_count, &p->profile_capacity,
				sizeof(*p->profile_list));
	p->profile_list[p->profile_count++] = f;
	return f;
}

void process_seen(struct process *p, int64_t at)
{
	if (at > p->last)
		p->last = at;
}

void profile_seen(struct profile *f, int64_t begin, int64_t end, uint64_t first)
{
	if (f->begin == UNKNOWN || begin < f->begin || (begin == f->begin && first < f->events_first)) {
		f->begin = begin;
		f->events_first = first;
	}
	if (f->end == UNKNOWN || end > f->end)
		f->end = end;
}

void profile_failed(struct profile *f, const struct error *e)
{
	size_t i = 0;

	while (i < f->error_count && f->errors[i].code != e->code)
		i++;
	if (i == CODES_KEPT) {
		f->errors[i - 1].count += e->count;
	} else if (i < f->error_count) {
		f->errors[i].count += e->count;
	} else {
		f->errors = xcheck(reallocarray(f->errors, i + 1, sizeof(*f->errors)), sizeof(*f->errors));
		f->errors[f->error_count++] = *e;
	}
}

struct profile *process_work(struct process *p, const struct function *work)
{
	struct profile *f = xcalloc(1, sizeof(*f));

	f->begin = f->end = UNKNOWN;
	f->timed = true;
	f->work = work;
	p->profile_list = xgrow(p->profile_list, p->profile_count, &p->profile_capacity,
				sizeof(*p->profile_list));
	p->profile_list[p->profile_count++] = f;
	return f;
}

const struct function *profile_names(const struct process *p, const struct profile *f)
{
	return f->work ? f->work : process_function(p, profile_function(f));
}

void process_point(struct process *p, enum curve_id id, int64_t at, int64_t value)
{
	trace_point(p->trace, &p->curves[id], at, value);
}

/* ---- looking ---- */

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool process_foreign(const struct process *p)
{
	return p->trace->recorded && p->announced && p->recording != p->trace->recording;
}

const char *process_name(const struct process *p)
{
	if (p->orphan || !p->announced)
		return "unknown";
	return base_name(p->exe);
}

bool process_descends(const struct process *p, const struct process *from)
{
	for (int depth = 0; p && depth < DEPTH_MOST; depth++) {
		p = p->parent;
		if (p == from)
			return true;
	}
	return false;
}

/* The first process of a recording is traced whatever it becomes, and so is what is linked with a framework. */
bool process_goes_on_unseen(const struct process *p)
{
	const struct trace *t = p->trace;

	if (!p->became && p->ending != END_EXEC)
		return false;
	for (size_t i = 0; i < t->process_count; i++)
		if (t->processes[i]->replaced == p && !t->processes[i]->traced)
			return false;
	return true;
}

const struct process *process_forked_from(const struct process *p)
{
	return p->reason == 1 ? p->parent : NULL;
}

const struct library *process_library(const struct process *p, uint16_t id)
{
	for (int depth = 0; p && id && depth < DEPTH_MOST; depth++, p = process_forked_from(p)) {
		const uint64_t *index = idmap_get(&p->library_by_id, id);

		if (index)
			return &p->libraries[*index];
	}
	return NULL;
}

bool library_inherited(const struct process *p, const struct library *l)
{
	const struct process *from = process_forked_from(p);

	for (size_t i = 0; from && i < from->library_count; i++)
		/* Not by its path: links have others. */
		if (from->libraries[i].base == l->base && from->libraries[i].size == l->size)
			return true;
	return false;
}

const struct function *process_function(const struct process *p, uint16_t id)
{
	static const struct function unnamed = { "", "", "" };
	static struct function ours[DLT_FNS];
	const struct trace *t = p->trace;
	const struct function *named = id < t->function_count ? t->functions[id] : NULL;

	if (named)
		return named;
	if (id >= DLT_FNS || strcmp(p->version, PACKAGE_VERSION))
		return &unnamed;
	ours[id] = (struct function){ dlt_functions[id].name, dlt_functions[id].layer,
				      dlt_functions[id].kind };
	return &ours[id];
}

uint64_t process_life(const struct process *p)
{
	int64_t end = p->end != UNKNOWN ? p->end : p->trace->end;

	return p->begin != UNKNOWN && end > p->begin ? (uint64_t)(end - p->begin) : 0;
}

int64_t thread_begin(const struct thread *thread)
{
	return thread->first_thread ? thread->process->begin : thread->begin;
}

int64_t thread_end(const struct thread *thread)
{
	return thread->end != UNKNOWN ? thread->end : thread->process->end;
}

void thread_emitted(struct thread *thread, uint64_t events)
{
	if (!thread->from_start && !thread->process->from_start && !thread->emitted_based) {
		thread->emitted_base = events > thread->read ? events - thread->read : 0;
		thread->emitted_based = true;
	}
	if (events > thread->emitted)
		thread->emitted = events;
}

uint64_t thread_before(const struct thread *thread)
{
	return thread->from_start || thread->process->from_start ? 0 : thread->emitted_base;
}

uint64_t thread_lost(const struct thread *thread)
{
	uint64_t read = thread->read + thread_before(thread);

	return thread->emitted > read ? thread->emitted - read : 0;
}

uint64_t process_lost(const struct process *p)
{
	uint64_t read = p->read + (p->from_start ? 0 : p->emitted_base);

	return p->emitted_known && p->emitted > read ? p->emitted - read : 0;
}

#define UNRETURNED_LEAST 1000000000	/* ns */

uint64_t thread_unreturned(const struct thread *thread)
{
	int64_t lasted;

	/* What it does after --to is not looked at. */
	if (thread->process->trace->to != INT64_MAX)
		return 0;
	if (!thread->in_flight || thread->in_flight_since == UNKNOWN || thread->end != UNKNOWN ||
	    thread->returned >= thread->in_flight_at)
		return 0;
	lasted = thread->in_flight_at - thread->in_flight_since;
	return lasted >= UNRETURNED_LEAST ? (uint64_t)lasted : 0;
}

const struct machine *trace_machine(const struct trace *t, const char *host)
{
	for (size_t i = 0; i < t->machine_count; i++)
		if (!strcmp(t->machines[i].host, host))
			return &t->machines[i];
	return t->machine_count == 1 ? &t->machines[0] : NULL;
}

/* ---- an order that does not tell where the trace was cut ---- */

/* UNKNOWN, the least of all, is later than any time. */
static bool later(int64_t x, int64_t y)
{
	return (uint64_t)x - 1 - (uint64_t)UNKNOWN > (uint64_t)y - 1 - (uint64_t)UNKNOWN;
}

static int by_first_call(const void *a, const void *b)
{
	const struct profile *x = *(struct profile *const *)a, *y = *(struct profile *const *)b;

	/* Without events: last, as first seen in samples. */
	if (x->begin != y->begin)
		return later(x->begin, y->begin) ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int by_thread(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a, *y = *(struct thread *const *)b;
	int64_t begin = thread_begin(x), other = thread_begin(y);

	if (begin != other)
		return later(begin, other) ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_orphan_thread(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	return x->orphan_thread < y->orphan_thread ? -1 : x->orphan_thread > y->orphan_thread;
}

/* Those that were announced stay in that order; the others follow. */
static void orphans_last(struct trace *t)
{
	struct process **orphans = xcalloc(t->process_count + 1, sizeof(*orphans));
	size_t announced = 0, rest = 0;

	for (size_t i = 0; i < t->process_count; i++)
		if (t->processes[i]->orphan)
			orphans[rest++] = t->processes[i];
		else
			t->processes[announced++] = t->processes[i];
	if (rest) {
		qsort(orphans, rest, sizeof(*orphans), by_orphan_thread);
		memcpy(t->processes + announced, orphans, rest * sizeof(*orphans));
	}
	free(orphans);
}

void trace_order(struct trace *t)
{
	if (t->thread_count)
		qsort(t->threads, t->thread_count, sizeof(*t->threads), by_thread);
	orphans_last(t);
	for (size_t i = 0; i < t->process_count; i++) {
		struct process *p = t->processes[i];

		if (p->profile_count)
			qsort(p->profile_list, p->profile_count, sizeof(*p->profile_list), by_first_call);
	}
}

/* SPDX-License-Identifier: MIT */
/* dltrace_proc: who is who, what ids mean, who ended how. */
#include <string.h>

#include "analysis/model/gpu.h"
#include "analysis/model/images.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"
#include "announced.h"

enum { START, FORK, EXEC, NAMED = 2, AGAIN };	/* `reason` of processes and threads */
#define BECAME 3			/* `how` of a child: no child, but what the process itself became by exec */
#define WAITED 5
#define SIGNALLED 6
#define CANNOT_BE_SEEN 2		/* its `traced` */

/* The application's own announcements are counted; those that a sampler repeats are not. */
static void announced_by(struct process *p, bool itself, int64_t at)
{
	p->read += itself;
	process_seen(p, at);
}

#define SAME_PID_AGAIN 1000000000	/* ns; a pid that comes back later is another process's */

/* The process that `by` knows by this number. */
static bool is_pid(const struct process *p, uint32_t pid, const struct process *by)
{
	return p->pid == pid && strcmp(p->host, by->host) == 0 &&
	       (p->pid_namespace == by->pid_namespace || !p->pid_namespace || !by->pid_namespace);
}

/*
 * An image that was announced when the next one had been: they say it on different ways where the user is another one
 * after the exec. How it ends it says itself. False: it is the latest one.
 */
static bool is_late(struct process *latest, struct process *by)
{
	struct process *next = NULL, *before = NULL;

	for (struct process *p = latest; p && p->begin > by->begin; p = p->same_pid) {
		before = p;
		if (is_pid(p, by->pid, by))
			next = p;
	}
	if (!before)
		return false;
	by->same_pid = before->same_pid;
	before->same_pid = by;
	if (next && next->reason == EXEC && !next->replaced) {
		next->replaces = true;
		next->replaced = by;
	}
	return true;
}

/*
 * A new image of the same kernel process: the old one ended by exec, whoever saw it last. The new
 * one cannot know that it is one: the pid tells.
 */
static void end_replaced(struct trace *t, struct process *by, int64_t at)
{
	uint64_t *last = idmap_put(&t->by_pid, by->pid);
	struct process *p = (struct process *)(uintptr_t)*last;

	if (is_late(p, by))
		return;
	by->same_pid = p;
	*last = (uintptr_t)by;
	for (; p; p = p->same_pid) {
		if (!is_pid(p, by->pid, by))
			continue;
		by->replaces = p->ending == END_EXEC;
		by->replaced = by->replaces ? p : NULL;
		if (p->ending != END_UNKNOWN)
			return;
		if (p->end == UNKNOWN || by->begin - p->end < SAME_PID_AGAIN) {
			by->replaces = true;
			by->replaced = p;
			p->ending = END_EXEC;
			process_ended(p, at);
		}
		return;
	}
}

/* Its parent took it for one that is only counted: it was forked for nothing but this exec. */
static void traced_after_all(const struct process *p)
{
	if (p->reason == EXEC && !p->replaces && p->parent && p->parent->untraced_children)
		p->parent->untraced_children--;
}

/* Those that were announced before it: a sampler that comes late begins with the youngest. */
static void adopt_children(struct process *p)
{
	for (struct process *q = p->trace->alive; q; q = q->next_alive) {
		if (q == p || q->parent || !q->announced || q->parent_id != p->id)
			continue;
		q->parent = p;
		ram_adopted(q);
	}
}

/* What an unannounced thread did goes to its process, once that is known. */
static void adopt(struct process *to, struct process *orphan, int64_t at)
{
	for (size_t i = 0; i < orphan->profile_count; i++) {
		struct profile *from = orphan->profile_list[i];
		struct profile *f = process_profile(to, profile_function(from), profile_library(from));

		sums_merge(&f->events, &from->events);
		tally_merge(&f->slices, &from->slices);
		f->timed |= from->timed;
		if (from->begin != UNKNOWN)
			profile_seen(f, from->begin, from->end, from->events_first);
		for (size_t k = 0; k < from->error_count; k++)
			profile_failed(f, &from->errors[k]);
		memset(&from->events, 0, sizeof(from->events));
	}
	for (size_t i = 0; i < orphan->failed_count && i < FAILED_ALLOCATIONS_KEPT; i++)
		if (to->failed_count + i < FAILED_ALLOCATIONS_KEPT)
			to->failed[to->failed_count + i] = orphan->failed[i];
	to->failed_count += orphan->failed_count;
	launched_adopt(to, orphan);
	gpu_memory_adopt(to, orphan, at);
	askers_adopt(&to->askers, &orphan->askers);
	comms_adopt(&to->comms, &orphan->comms);
	load_merge(&to->load, &orphan->load);
	marks_adopt(to, orphan);
	rhythm_merge(&to->rhythm, &orphan->rhythm);
	input_merge(&to->input, &orphan->input);
	checked_merge(&to->checked, &orphan->checked);
	to->read += orphan->read;
	orphan->merged = true;
	orphan->read = 0;
}

static void join(struct thread *thread, struct process *p, int64_t at)
{
	if (thread->process == p || !thread->process->orphan)
		return;
	adopt(p, thread->process, at);
	thread->process = p;
	thread->last = NULL;
}

static void on_process(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_process *e = data;
	struct process *p = trace_process_make(t, e->process);
	struct thread *first;
	bool fresh, own_word;

	announced_by(p, e->reason != AGAIN, at);
	fresh = !p->announced;
	own_word = e->reason != AGAIN && !p->from_start;
	if (fresh) {
		p->announced = true;
		process_lives(p);
		p->reason = e->reason;
		p->host = trace_keep(t, e->host);
		p->version = trace_keep(t, e->version);
		p->folder = trace_keep(t, e->folder);
	}
	if (own_word) {
		p->reason = e->reason;
		p->from_start = true;
	}
	/*
	 * Whoever says it again after the process's end cannot read these any more, and a sampler that
	 * first looks after an exec reads those of the next image: the process's own word counts.
	 */
	if (e->exe && *e->exe && (e->reason != AGAIN || !p->from_start || !*p->exe))
		p->exe = trace_keep(t, e->exe);
	if (e->command && *e->command && (e->reason != AGAIN || !p->from_start || !*p->command))
		p->command = trace_keep(t, e->command);
	p->parent_id = e->parent;
	p->parent = trace_process(t, e->parent);
	if (fresh)
		adopt_children(p);
	ram_adopted(p);
	/* A fork that could not say more. */
	if (p->parent && (e->reason == FORK || p->inherited_blocks) && !*p->exe) {
		p->exe = p->parent->exe;
		p->command = p->parent->command;
	}
	p->pid = e->pid;
	p->pid_namespace = e->pid_namespace;
	p->parent_pid = e->parent_pid;
	p->recording = e->recording;
	p->traced = e->traced;
	p->heap_cover = e->heap;
	p->box = e->box;
	p->threshold = e->threshold;
	/* Traces from before there were ranks have 0 everywhere. */
	if (e->ranks) {
		p->rank = e->rank;
		p->ranks = e->ranks;
		p->local_rank = e->local_rank;
		p->job = e->job;
	}
	p->inherited_bytes = e->inherited_bytes;
	p->inherited_blocks = e->inherited_blocks;
	p->begin = e->begin ? trace_monotonic(t, e->begin) : at;
	if (fresh)
		end_replaced(t, p, at);
	if (own_word)
		traced_after_all(p);
	first = trace_thread_make(t, e->process);
	join(first, p, at);
	first->tid = first->tid ? first->tid : e->pid;
}

static void on_thread(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_thread *e = data;
	struct process *p = trace_process_make(t, e->process);
	struct thread *thread = trace_thread_make(t, e->thread);

	join(thread, p, at);
	if (e->reason != AGAIN) {
		(e->by ? trace_thread_make(t, e->by) : thread)->read++;
		thread->from_start |= e->reason != NAMED;
	}
	announced_by(p, e->reason != AGAIN, at);
	thread->tid = e->tid;
	thread->creator = e->creator;
	thread->creator_library = e->creator_library;
	thread->start_library = e->start_library;
	thread->start_offset = e->start_offset;
	thread->begin = e->begin ? trace_monotonic(t, e->begin) : at;
	/* What is said again is the kernel's name; by NVTX a program may have given another one. */
	if (e->name && *e->name && !(e->reason == AGAIN && thread->named))
		thread->name = trace_keep(t, e->name);
	thread->named |= e->reason == NAMED;
}

static void on_thread_end(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_thread_end *e = data;
	struct thread *thread = trace_emitted(t, e->thread, at);

	thread->end = at;
	thread->cpu = image_cpu(thread, e->cpu);
	thread_emitted(thread, e->events);
}

/* Its entry: by id, or by path while it has none. */
static struct library *library_make(struct process *p, uint16_t id, const char *path)
{
	uint64_t *index = id ? idmap_get(&p->library_by_id, id) : NULL;
	size_t i = index ? *index : 0;

	if (!index) {
		for (i = 0; i < p->library_count; i++)
			if (p->libraries[i].path == path && (!id || !p->libraries[i].id))
				break;
		if (i == p->library_count) {
			p->libraries = xgrow(p->libraries, p->library_count,
					     &p->library_capacity, sizeof(*p->libraries));
			p->libraries[p->library_count++] = (struct library){ .path = path };
		}
		if (id) {
			p->libraries[i].id = id;
			*idmap_put(&p->library_by_id, id) = i;
		}
	}
	return &p->libraries[i];
}

static void on_library(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_library *e = data;
	struct process *p = trace_process_make(t, e->process);
	struct library *l;
	const char *path;

	announced_by(p, e->state == DLT_ANNOUNCED_FIRST, at);
	/* It tells the base alone of what the process has had before, and still has called. */
	if (e->state == DLT_ANNOUNCED_UNLOADED)
		return;
	path = trace_keep(t, e->path);
	l = library_make(p, e->library, path);
	l->path = path;
	l->base = e->base;
	l->size = e->size;
	l->flags |= e->flags;
	if (!l->build_id || (e->build_id && *e->build_id))
		l->build_id = trace_keep(t, e->build_id);
}

/* For the functions up to the highest one that is named. */
static struct function **function_slot(struct trace *t, uint16_t id)
{
	size_t count = (size_t)id + 1, more = count > t->function_count ? count - t->function_count : 0;

	if (more) {
		t->functions = xcheck(reallocarray(t->functions, count, sizeof(*t->functions)),
				      count * sizeof(*t->functions));
		memset(t->functions + t->function_count, 0, more * sizeof(*t->functions));
		t->function_count = count;
	}
	return &t->functions[id];
}

static void on_function(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_function *e = data;
	struct function **f = function_slot(t, e->function);

	if (!*f && e->name && *e->name) {
		*f = xcalloc(1, sizeof(**f));
		**f = (struct function){ trace_keep(t, e->name), trace_keep(t, e->layer), trace_keep(t, e->kind) };
	}
	if (e->process)
		announced_by(trace_process_make(t, e->process), e->state == DLT_ANNOUNCED_FIRST, at);
}

static void on_flood(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_flood *e = data;
	struct process *p = trace_emitted(t, e->thread, at)->process;

	if (e->least > p->flood_least)
		p->flood_least = e->least;
}

static void note_uncovered(struct process *p, const char *name)
{
	p->uncovered = xgrow(p->uncovered, p->uncovered_count, &p->uncovered_capacity,
			     sizeof(*p->uncovered));
	p->uncovered[p->uncovered_count++] = trace_keep(p->trace, name);
}

static void note_package(struct process *p, int64_t at, const char *path)
{
	p->packages = xgrow(p->packages, p->package_count, &p->package_capacity, sizeof(*p->packages));
	p->packages[p->package_count++] = (struct package){ trace_keep(p->trace, path), at };
}

static void on_object(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_object *e = data;
	struct process *p = trace_process_make(t, e->process);

	announced_by(p, e->state == DLT_ANNOUNCED_FIRST, at);
	if (e->type == DLT_OBJECT_CUPTI)
		gpu_name(p, e->id, e->name);
	if (process_object(p, e)) {
		if (e->type == DLT_OBJECT_UNCOVERED)
			note_uncovered(p, e->name);
		if (e->type == DLT_OBJECT_PACKAGE)
			note_package(p, at, e->name);
	}
	if (e->type == DLT_OBJECT_COMMUNICATOR)
		comms_announced(&p->comms, e);
}

/*
 * The parent learned how a child ended that could not say it any more, or somebody sent it a signal. True: its end was
 * not known.
 */
static bool take_word(struct process *p, const struct early_word *w)
{
	int32_t signal = w->result & 0177;

	if (w->how == SIGNALLED) {
		p->signalled_by = w->by;
		p->signalled = w->result;
		return false;
	}
	if (p->ending != END_UNKNOWN)
		return false;
	p->ending = signal ? END_SIGNAL : END_STATUS;
	p->code = signal ? signal : w->result >> 8 & 0377;
	return true;
}

/* The last that was announced with this number, and had begun by then; NULL: none. */
static struct process *known_as(const struct trace *t, const struct early_word *w, int64_t begun)
{
	struct process *p = idmap_pointer(&t->by_pid, w->pid);

	while (p && !(is_pid(p, w->pid, w->by) && p->begin <= begun))
		p = p->same_pid;
	return p;
}

static void on_word(struct trace *t, const struct early_word *w)
{
	struct process *p = known_as(t, w, INT64_MAX);

	if (!p)
		t->early[t->early_count++ % EARLY_WORDS] = *w;
	else if (take_word(p, w))
		process_ended(p, w->at);
}

void identity_end(struct trace *t)
{
	size_t kept = t->early_count < EARLY_WORDS ? t->early_count : EARLY_WORDS;

	for (size_t i = t->early_count - kept; i < t->early_count; i++) {
		const struct early_word *w = &t->early[i % EARLY_WORDS];
		struct process *p = known_as(t, w, w->at);	/* the number may have been another one's before */

		if (p && take_word(p, w) && p->end == UNKNOWN)
			p->end = w->at;
	}
}

/* What a forked child becomes by exec is told by the child, of other children by their parent. */
static void count_child(struct process *p, const struct dlt_ev_proc_child *e, int64_t at)
{
	struct process *parent = e->how != BECAME ? p : p->reason == FORK ? p->parent : NULL;
	const char *path = e->path && *e->path ? trace_keep(p->trace, e->path) : NULL;

	if (e->how != BECAME)
		children_made(&p->offspring, &(struct child){ .path = path, .begin = at, .pid = e->child,
							      .unseen = e->traced });
	else if (parent && path)
		children_became(&parent->offspring, p->pid, path);
}

/* Its parent may have waited long after its end, which one that is traced says itself. */
static void child_waited_for(struct process *p, const struct dlt_ev_proc_child *e, const struct early_word *w)
{
	const struct process *child = known_as(p->trace, w, w->at);
	bool told = child && child->parent == p && child->end != UNKNOWN && child->end < w->at;

	children_ended(&p->offspring, e->child, told ? child->end : w->at,
		       e->path && *e->path ? trace_keep(p->trace, e->path) : NULL);
}

/* It had said that it ends so. */
static void exec_failed(struct process *p, int64_t at)
{
	if (p->ending != END_EXEC)
		return;
	p->ending = END_UNKNOWN;
	p->exit_seen = p->final_seen = false;
	p->became = NULL;
	process_returned(p, at);
}

static void on_child(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_child *e = data;
	struct process *p = trace_emitted(t, e->thread, at)->process;
	const struct early_word word = { .by = p, .at = at, .pid = e->child, .result = e->result, .how = e->how };

	if (e->how == WAITED || e->how == SIGNALLED)
		on_word(t, &word);
	if (e->how == WAITED)
		child_waited_for(p, e, &word);
	if (e->how == BECAME && e->result)
		exec_failed(p, at);
	if (e->how >= WAITED || e->result)
		return;
	count_child(p, e, at);
	if (e->how != BECAME)
		p->children[e->how < 4 ? e->how : 4]++;
	if (e->traced == CANNOT_BE_SEEN) {
		if (!p->unseen_children++)
			p->unseen_child = trace_keep(t, e->path);
	} else if (e->traced && e->how == BECAME) {
		p->became = trace_keep(t, e->path);
	} else if (e->traced) {
		p->untraced_children++;
	}
}

static void on_process_exit(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_proc_exit *e = data;
	struct process *p = trace_process_make(t, e->process);
	struct thread *thread = trace_thread(t, e->thread);

	announced_by(p, true, at);
	if (thread)
		thread->read++;
	p->exit_seen = true;
	p->exit_at = at;
	p->how = e->how;
	p->code = e->code;
	p->exit_thread = e->thread;
	p->exit_address = e->address;
	p->ending = e->how == 5 ? END_EXEC : e->how == 4 || e->how == 3 ? END_SIGNAL : END_STATUS;
	if (e->how == 3 && !e->code)
		p->code = 6;	/* abort: SIGABRT */
	if (e->events > p->emitted)
		p->emitted = e->events;
	p->emitted_known = true;
	process_ended(p, at);
}

const event_fn identity_handlers[DLT_EVENTS] = {
	[DLT_EV_PROC_PROCESS] = on_process,
	[DLT_EV_PROC_THREAD] = on_thread,
	[DLT_EV_PROC_THREAD_END] = on_thread_end,
	[DLT_EV_PROC_LIBRARY] = on_library,
	[DLT_EV_PROC_FUNCTION] = on_function,
	[DLT_EV_PROC_FLOOD] = on_flood,
	[DLT_EV_PROC_OBJECT] = on_object,
	[DLT_EV_PROC_CHILD] = on_child,
	[DLT_EV_PROC_EXIT] = on_process_exit,
};

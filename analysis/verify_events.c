/* SPDX-License-Identifier: MIT */
/* Checks of events: all there, once, counted alike, named; and how processes ended. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/gpu.h"
#include "analysis/verify.h"

#define ALWAYS_EVENTS 1000	/* ns: shorter calls of some families are only counted */
#define AT_LEAST UINT32_MAX	/* ns: a longer call's event does not say how long */

/* ---- readable ---- */

void check_readable(const struct trace *t, const struct report *r, struct check_result *c)
{
	const char *first = "";
	uint64_t problems = t->error < 0;

	(void)r;
	for (size_t i = 0; i < t->note_count; i++) {
		const struct note *n = &t->notes[i];

		/* Lost and foreign events are others' business. */
		if (n->t != UNKNOWN || !strcmp(n->kind, "lost") || !strcmp(n->kind, "foreign"))
			continue;
		problems += n->count;
		if (!*first)
			first = n->text;
	}
	/* Not by which source: the sources' reports are compared byte by byte. */
	check_verdict(c, t->events + problems, (double)problems, "%s events%s%s", COUNT_TEXT(t->events),
		      *first ? "; " : "", first);
}

/* ---- emitted = read ---- */

/*
 * A thread's last word is only the last when it was seen to end, or was there when its process was read for the last
 * time: one that destructors end after the process's own last word does not say so. A process that samples itself does
 * so before it says that it ends, and what it had noted comes between the two: its own count, in that word, tells then.
 */
static uint64_t twice(const struct thread *thread)
{
	const struct process *p = thread->process;
	uint64_t read = thread->read + thread_before(thread);

	if (thread->end == UNKNOWN &&
	    (!p->final_seen || p->exit_at > p->sample_at || thread->in_flight_at < p->sample_at))
		return 0;
	return read > thread->emitted ? read - thread->emitted : 0;
}

static void check_threads(const struct trace *t, uint64_t *threads, uint64_t *emitted, uint64_t *off,
			  char *first, size_t size)
{
	for (size_t i = 0; i < t->thread_count; i++) {
		const struct thread *thread = t->threads[i];
		uint64_t lost, more;

		if (!thread->emitted || !process_shown(thread->process))
			continue;
		lost = thread_lost(thread);
		more = twice(thread);
		++*threads;
		*emitted += thread->emitted - thread_before(thread);
		*off += lost + more;
		if ((lost || more) && !*first)
			snprintf(first, size, "; thread %u of %s: %s emitted, %s read",
				 thread->tid, process_who(thread->process),
				 COUNT_TEXT(thread->emitted - thread_before(thread)), COUNT_TEXT(thread->read));
	}
}

/* Events of no thread are the process's alone. */
static uint64_t check_processes(const struct trace *t, char *first, size_t size)
{
	uint64_t all = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];
		uint64_t emitted = p->emitted - (p->from_start ? 0 : p->emitted_base), off;

		if (!p->emitted_known || !p->final_seen || !process_shown(p))
			continue;
		off = p->read > emitted ? p->read - emitted : emitted - p->read;
		all += off;
		if (off && !*first)
			snprintf(first, size, "; %s: %s emitted, %s read", process_who(p), COUNT_TEXT(emitted),
				 COUNT_TEXT(p->read));
	}
	return all;
}

static void raise_to(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

void check_emitted(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t threads = 0, emitted = 0, off = 0;
	char first[256] = "";

	(void)r;
	check_threads(t, &threads, &emitted, &off, first, sizeof(first));
	raise_to(&off, check_processes(t, first, sizeof(first)));
	raise_to(&off, trace_lost(t));
	check_verdict(c, threads, (double)off,
		      "%s threads that said so emitted %s events; LTTng discarded %s"
		      "%s", COUNT_TEXT(threads), COUNT_TEXT(emitted), COUNT_TEXT(t->discarded), first);
}

/* ---- totals = events ---- */

/* Every call of these kinds is an event; of the others, those of at least a microsecond, or more in a flood. */
static bool all_are_events(const struct process *p, const struct profile *f)
{
	static const char *const kinds[] = { "allocate", "copy", "launch", "synchronise", "communicate" };
	const char *kind = profile_names(p, f)->kind;

	if (!strcmp(profile_names(p, f)->layer, "network"))	/* those of at least 4 KiB are */
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return true;
	return f->exact->min >= (p->flood_least ? p->flood_least : ALWAYS_EVENTS);
}

static bool said(const struct trace *t, const char *kind)
{
	for (size_t i = 0; i < t->note_count; i++)
		if (!strcmp(t->notes[i].kind, kind))
			return true;
	return false;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Calls too many or missing; where the calls agree, 1 when their time does not. */
static uint64_t difference(const struct process *p, const struct profile *f)
{
	const struct sums *e = &f->events, *s = f->exact;

	if (!all_are_events(p, f))
		return e->calls > s->outer_calls ? e->calls - s->outer_calls : 0;
	if (e->calls != s->outer_calls)
		return distance(e->calls, s->outer_calls);
	return s->max < AT_LEAST && e->total != s->outer_total;
}

void check_totals(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t functions = 0, calls = 0, off = 0;
	char first[200] = "";

	(void)r;
	if (strcmp(t->level, "calls") && strcmp(t->level, "full")) {
		check_not_applicable(c, "calls are events at the levels calls and full only");
		return;
	}
	if (said(t, "level")) {
		check_not_applicable(c, "the level was changed while it was recorded");
		return;
	}
	each_checked(p, t) {
		for (size_t i = 0; process_whole(p) && i < p->profile_count; i++) {
			const struct profile *f = p->profile_list[i];
			uint64_t d;

			if (!f->exact || !f->exact->calls || f->work)
				continue;
			d = difference(p, f);
			functions++;
			calls += f->events.calls;
			off += d;
			if (d && !*first)
				snprintf(first, sizeof(first), "; %.60s of %.80s: %s events, %s counted",
					 profile_names(p, f)->name, process_who(p), COUNT_TEXT(f->events.calls),
					 COUNT_TEXT(f->exact->outer_calls));
		}
	}
	check_verdict(c, functions, (double)off, "%s functions by process and caller, %s calls%s",
		      COUNT_TEXT(functions), COUNT_TEXT(calls), first);
}

/* ---- names ---- */

struct unnamed {
	uint64_t ids, unnamed;
	char first[128];
};

static void see(struct unnamed *u, const struct process *p, bool is_named, const char *what, uint64_t id)
{
	u->ids++;
	if (is_named)
		return;
	if (!u->unnamed++)
		snprintf(u->first, sizeof(u->first), "; %s %" PRIu64 " of %.80s is not", what, id,
			 process_who(p));
}

static void see_profiles(struct unnamed *u, const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		uint16_t library = profile_library(f);

		if (f->work)
			continue;
		see(u, p, *profile_names(p, f)->name != '\0', "function", profile_function(f));
		if (library)
			see(u, p, process_library(p, library) != NULL, "library", library);
	}
}

static void see_launches(struct unnamed *u, const struct process *p)
{
	for (size_t i = 0; i < p->launched.count; i++) {
		uint32_t id = p->launched.list[i].id;
		const struct object *shape = process_find_object(p, DLT_OBJECT_SHAPE, id);

		if (!id)
			continue;
		see(u, p, shape || process_find_object(p, DLT_OBJECT_GRAPH, id), "launch shape", id);
		if (shape)
			see(u, p, process_find_object(p, DLT_OBJECT_KERNEL, (uint32_t)shape->values[SHAPE_KERNEL]),
			    "kernel", shape->values[SHAPE_KERNEL]);
	}
}

static void see_streams(struct unnamed *u, const struct process *p)
{
	for (uint32_t i = 1; p->checked.streams && i < CHECKED_STREAMS; i++)
		if (p->checked.streams[i / 8] >> i % 8 & 1)
			see(u, p, process_find_object(p, DLT_OBJECT_STREAM, i), "stream", i);
}

static void see_communicators(struct unnamed *u, const struct process *p)
{
	for (size_t i = 0; i < p->comms.use_count; i++)
		if (p->comms.uses[i].communicator)
			see(u, p, comms_find(&p->comms, p->comms.uses[i].communicator), "communicator",
			    p->comms.uses[i].communicator);
}

static void see_work(struct unnamed *u, const struct process *p)
{
	for (size_t i = 0; p->gpu && i < p->gpu->item_count; i++)
		if (p->gpu->items[i]->id)
			see(u, p, idmap_get(&p->gpu->names, p->gpu->items[i]->id), "kernel of CUPTI",
			    p->gpu->items[i]->id);
}

void check_named(const struct trace *t, const struct report *r, struct check_result *c)
{
	struct unnamed u = { .ids = 0 };

	(void)r;
	for (size_t i = 0; i < t->thread_count; i++)
		if (process_shown(t->threads[i]->process) && t->threads[i]->read)
			see(&u, t->threads[i]->process, !t->threads[i]->process->orphan, "thread",
			    t->threads[i]->id);
	each_checked(p, t) {
		see_profiles(&u, p);
		see_launches(&u, p);
		see_streams(&u, p);
		see_communicators(&u, p);
		see_work(&u, p);
	}
	check_verdict(c, u.ids, (double)u.unnamed, "%s threads, functions, libraries, kernels, "
		      "shapes, streams, communicators%s", COUNT_TEXT(u.ids), u.first);
}

/* ---- ends ---- */

static bool lives_on(const struct process *p)
{
	for (size_t i = 0; i < p->trace->note_count; i++)
		if (!strcmp(p->trace->notes[i].kind, "survivor") && p->trace->notes[i].process == p->id)
			return true;
	return false;
}

void check_ended(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t processes = 0, killed = 0, on = 0, counted = 0, unknown = 0;
	char first[128] = "", unsaid[64] = "";

	(void)r;
	if (!t->recorded) {
		check_not_applicable(c, "only dltrace-record waits for the end of processes");
		return;
	}
	each_checked(p, t) {
		struct process_end e = process_end(p);

		processes++;
		killed += e.killed;
		if (e.ending != END_UNKNOWN || e.killed)
			continue;
		if (lives_on(p)) {
			on++;
			continue;
		}
		/* As another user, or in another root, it has no place to say it. It is said that it is not traced. */
		if (p->traced) {
			counted++;
			continue;
		}
		if (!unknown++)
			snprintf(first, sizeof(first), "; how %.80s ended is not known", process_who(p));
	}
	if (counted)
		snprintf(unsaid, sizeof(unsaid), ", %s only counted could not say", COUNT_TEXT(counted));
	check_verdict(c, processes, (double)unknown, "%s processes, %s of them killed, %s live on, as "
		      "the recorder said%s%s", COUNT_TEXT(processes), COUNT_TEXT(killed), COUNT_TEXT(on), unsaid,
		      first);
}

/* SPDX-License-Identifier: MIT */
/* Which of the frameworks of a process works, and which was only imported. */
#include <fnmatch.h>
#include <string.h>

#include "analysis/frameworks.h"

/* A share of this makes the difference to what libraries do while they are loaded. */
#define LEAST_CALLS   1000000	/* ns */
#define LEAST_TENSORS (1 << 20)
#define LEAST_CPU     50000000	/* ns */
#define LEAST_SHARE   100	/* one part in this many of the busiest framework's */

static struct framework *named(struct framework *found, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(found[i].rule->name, name))
			return &found[i];
	return NULL;
}

/* Of the framework that a library belongs to; NULL: of none. */
static struct framework *owner(struct framework *found, size_t count, const struct library *l)
{
	const struct framework_rule *rule = l ? library_framework(l->path) : NULL;

	return rule ? named(found, count, rule->name) : NULL;
}

bool library_is_interpreter(const struct library *l)
{
	const char *name = l ? base_name(l->path) : "";

	return !fnmatch("python[0-9]*", name, 0) || !fnmatch("libpython*", name, 0);
}

/* The C library, C++'s and the interpreter allocate for whoever asks. */
static bool is_of_all(const struct library *l)
{
	static const char *const names[] = { "libc.so*", "libstdc++*", "libgcc_s*", "ld-linux*" };

	for (size_t i = 0; l && i < sizeof(names) / sizeof(*names); i++)
		if (!fnmatch(names[i], base_name(l->path), 0))
			return true;
	return !l || library_is_interpreter(l);
}

static bool is_aligned(const char *function)
{
	return !strcmp(function, "posix_memalign") || !strcmp(function, "aligned_alloc") ||
	       !strcmp(function, "memalign");
}

static bool is_use(const struct function *fn)
{
	return !strcmp(fn->kind, "compute") || !strcmp(fn->kind, "launch") ||
	       !strcmp(fn->kind, "copy") || !strcmp(fn->kind, "communicate");
}

static void add_profile(struct framework_use *use, const struct process *p, const struct profile *f,
			bool owned, const struct library *l)
{
	const struct function *fn = profile_names(p, f);

	if (f->work)
		return;
	if (f->timed && is_use(fn))
		use->calls += profile_sums(f)->outer_total;
	else if (!strcmp(fn->layer, "heap") && (is_aligned(fn->name) || (!owned && !is_of_all(l))) &&
		 strcmp(fn->name, "free"))
		use->tensors += f->events.bytes;
}

/* Whoever holds the start routine; a library of threads tells nothing, then it is who made them. */
static const struct library *thread_library(const struct process *p, const struct thread *t)
{
	const struct library *l = process_library(p, t->start_library);

	return l && library_framework(l->path) ? l : process_library(p, t->creator_library);
}

static bool is_enough(uint64_t mine, uint64_t least, uint64_t most)
{
	return mine >= least && mine >= most / LEAST_SHARE;
}

static bool is_used(const struct framework_use *use, const struct framework_use *most)
{
	return is_enough(use->calls, LEAST_CALLS, most->calls) ||
	       is_enough(use->tensors, LEAST_TENSORS, most->tensors) ||
	       is_enough(use->cpu, LEAST_CPU, most->cpu);
}

static void take_most(struct framework_use *most, const struct framework_use *use)
{
	most->calls = use->calls > most->calls ? use->calls : most->calls;
	most->tensors = use->tensors > most->tensors ? use->tensors : most->tensors;
	most->cpu = use->cpu > most->cpu ? use->cpu : most->cpu;
}

/* What all did; `others`: what no framework's libraries did. */
static void sum(const struct process *p, struct framework *found, size_t count,
		struct framework_use *others)
{
	for (size_t i = 0; i < p->profile_count; i++) {
		const struct library *l = process_library(p, profile_library(p->profile_list[i]));
		struct framework *f = owner(found, count, l);

		add_profile(f ? &f->use : others, p, p->profile_list[i], f, l);
	}
	for (const struct thread *thread = p->threads; thread; thread = thread->sibling) {
		struct framework *f;

		if (thread->first_thread)
			continue;
		f = owner(found, count, thread_library(p, thread));
		(f ? &f->use : others)->cpu += thread->cpu;
	}
}

static bool is_engine(const struct framework *f)
{
	return !strcmp(f->rule->role, "engine");
}

/* What sits on an engine may do all by the engine's libraries. */
static bool is_judged(const struct framework *f)
{
	return f->has_libraries && strcmp(f->rule->role, "top") && strcmp(f->rule->role, "communication");
}

/* Without events of large blocks (the level summary) too little is seen to say that one does nothing. */
static bool heap_is_seen(const struct process *p)
{
	for (size_t i = 0; i < p->profile_count; i++)
		if (!strcmp(profile_names(p, p->profile_list[i])->layer, "heap"))
			return true;
	return false;
}

void frameworks_used(const struct process *p, struct framework *found, size_t count)
{
	struct framework_use others = { 0 }, most = { 0 };
	size_t of_python = 0;
	bool works = false;

	if (!count)
		return;
	sum(p, found, count, &others);
	for (size_t i = 0; i < count; i++)
		take_most(&most, &found[i].use);
	for (size_t i = 0; i < count; i++) {
		if (found[i].has_libraries && is_used(&found[i].use, &most))
			found[i].state = FRAMEWORK_WORKS;
		works |= is_engine(&found[i]) && found[i].state == FRAMEWORK_WORKS;
		of_python += is_engine(&found[i]) && !found[i].has_libraries;
	}
	for (size_t i = 0; i < count && !works && of_python == 1; i++)
		if (is_engine(&found[i]) && !found[i].has_libraries && is_used(&others, &others)) {
			found[i].state = FRAMEWORK_WORKS;
			works = true;
		}
	for (size_t i = 0; i < count && works && heap_is_seen(p); i++)
		if (is_judged(&found[i]) && found[i].state == FRAMEWORK_UNKNOWN)
			found[i].state = FRAMEWORK_IMPORTED;
}

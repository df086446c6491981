/* SPDX-License-Identifier: MIT */
/* The table `threads`: who made them, what they ran, the CPU time they used. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analyses.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of its process" },
	{ "thread", "thread", UNIT_ID, "unique in its trace" },
	{ "tid", "tid", UNIT_ID, "as the kernel knows it" },
	{ "name", "name", UNIT_TEXT, "as the program named it" },
	{ "creator", "creator", UNIT_ID, "the thread that created it" },
	{ "creator_library", "created by", UNIT_TEXT, "the library that created it" },
	{ "routine", "routine", UNIT_TEXT, "library and offset of its start routine" },
	{ "begin_ns", "begin", UNIT_TIME, "its creation" },
	{ "phase", "phase", UNIT_TEXT, "in which it began, of the process that trains" },
	{ "end_ns", "end", UNIT_TIME, "its end; missing while it runs" },
	{ "cpu_ns", "CPU", UNIT_NS, "CPU time used" },
	{ "events", "events", UNIT_COUNT, "events read that it emitted itself" },
	{ "lost", "lost", UNIT_COUNT, "events that it emitted and that were not read" },
};

static const char *library_name(const struct process *p, uint16_t id)
{
	const struct library *l = process_library(p, id);

	return l ? base_name(l->path) : "";
}

static void set_routine(struct table *t, const struct thread *thread)
{
	const char *library = library_name(thread->process, thread->start_library);
	char text[512];

	if (!*library)
		return;
	snprintf(text, sizeof(text), "%s+0x%" PRIx64, library, thread->start_offset);
	table_set_text(t, "routine", text);
}

static void add(struct table *t, const struct thread *thread)
{
	const struct process *p = thread->process;

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_uint(t, "thread", thread->id);
	if (thread->tid)
		table_set_uint(t, "tid", thread->tid);
	set_text(t, "name", thread->name);
	if (thread->creator)
		table_set_uint(t, "creator", thread->creator);
	set_text(t, "creator_library", library_name(p, thread->creator_library));
	set_routine(t, thread);
	set_time(t, "begin_ns", thread_begin(thread));
	set_text(t, "phase", phase_name_at(phases_around(p), thread_begin(thread)));
	set_time(t, "end_ns", thread_end(thread));
	if (thread->cpu)
		table_set_uint(t, "cpu_ns", thread->cpu);
	table_set_uint(t, "events", thread->read);
	table_set_uint(t, "lost", thread_lost(thread));
}

/* Of a part of the time, those that lived in it. */
static bool is_shown(const struct thread *thread)
{
	const struct process *p = thread->process;

	return process_shown(p) && trace_has(p->trace, thread_begin(thread), thread_end(thread));
}

void run_threads(const struct model *m, struct report *r)
{
	struct table *table = report_add_table(r, "threads", "Threads", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->thread_count; j++)
			if (is_shown(m->traces[i]->threads[j]))
				add(table, m->traces[i]->threads[j]);
}

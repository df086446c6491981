/* SPDX-License-Identifier: MIT */
/* The table `traces`: what was read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/analyses.h"
#include "analysis/clocks.h"
#include "analysis/model/memory.h"

static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index, used everywhere else" },
	{ "path", "path", UNIT_TEXT, "as given, or of a recording in a folder that was given" },
	{ "name", "name", UNIT_TEXT, "the last part of its path, and so much before it as tells it from the others" },
	{ "level", "level", UNIT_TEXT, "what was recorded: summary, calls, full" },
	{ "command", "command", UNIT_TREE, "the command and its arguments" },
	{ "begin", "begin", UNIT_TEXT, "time of the first event, ISO 8601" },
	{ "begin_ns", "begin (ns)", UNIT_TEXT, "the same, ns since 1970" },
	{ "duration_ns", "duration", UNIT_NS, "from the first event to the last" },
	{ "from_ns", "from", UNIT_NS, "of a part of the time (--from, --to, --phase): where that begins" },
	{ "to_ns", "to", UNIT_NS, "and where it ends" },
	{ "events", "events", UNIT_COUNT, "events of dltrace that were read" },
	{ "lost", "lost", UNIT_COUNT, "events that were emitted and not read, for whatever reason" },
	{ "exit", "exit", UNIT_TREE, "how the command ended" },
	{ "job", "job", UNIT_ID, "traces with the same number are hosts, or ranks, of one job" },
	{ "shift_ns", "shift", UNIT_NS,
	  "to add to its times to count them from the begin of its job's first trace, by the clock of that host" },
};

static void set_begin(struct table *table, const struct trace *t)
{
	time_t seconds = (time_t)(t->begin / 1000000000);
	char text[64], full[80];
	struct tm tm;

	if (!t->started || !gmtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(full, sizeof(full), "%s.%09" PRIu64 "Z", text, t->begin % 1000000000);
	table_set_text(table, "begin", full);
	snprintf(full, sizeof(full), "%" PRIu64, t->begin);
	table_set_text(table, "begin_ns", full);
}

static void set_part(struct table *table, const struct trace *t)
{
	table_set_int(table, "from_ns", t->from > 0 ? t->from : 0);
	table_set_int(table, "to_ns", t->to < t->end ? t->to : t->end);
}

/* What LTTng discarded is among what processes emitted: the larger of the two, not the sum. */
static uint64_t found_lost(const struct trace *t)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < t->process_count; i++)
		if (!process_foreign(t->processes[i]))
			lost += process_lost(t->processes[i]);
	return lost > t->discarded ? lost : t->discarded;
}

uint64_t trace_lost_unattributed(const struct trace *t)
{
	uint64_t lost = found_lost(t);

	return t->told_lost > lost ? t->told_lost - lost : 0;
}

uint64_t trace_lost(const struct trace *t)
{
	return found_lost(t) + trace_lost_unattributed(t);
}

static void set_exit(struct table *table, const struct trace *t)
{
	const struct process *root = trace_root(t);
	json_t *exit = NULL;

	if (t->exit_signal)
		exit = json_pack("{s:i}", "signal", t->exit_signal);
	else if (t->exit_status >= 0)
		exit = json_pack("{s:i}", "status", t->exit_status);
	else if (root)
		exit = exit_object(root);
	if (exit)
		table_set_tree(table, "exit", exit);
}

/* ---- its name ---- */

static size_t path_length(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* Where so many last parts of a path begin. */
static const char *last_parts(const char *path, size_t parts)
{
	size_t n = path_length(path);

	while (n && (path[n - 1] != '/' || --parts))
		n--;
	return path + n;
}

static bool ends_alike(const char *a, const char *b, size_t parts)
{
	const char *x = last_parts(a, parts), *y = last_parts(b, parts);
	size_t n = (size_t)(a + path_length(a) - x);

	return n == (size_t)(b + path_length(b) - y) && !memcmp(x, y, n);
}

static bool is_apart(const struct trace *t, size_t parts)
{
	const struct model *m = t->model;

	for (size_t i = 0; i < m->trace_count; i++)
		if (m->traces[i] != t && ends_alike(t->path, m->traces[i]->path, parts))
			return false;
	return true;
}

char *trace_name(const struct trace *t)
{
	const char *from = last_parts(t->path, 1);

	for (size_t parts = 1; from > t->path && !is_apart(t, parts); parts++)
		from = last_parts(t->path, parts + 1);
	return xcheck(strndup(from, path_length(t->path) - (size_t)(from - t->path)), strlen(from) + 1);
}

/* By trace; the caller's. */
static struct axis_place *places_of(const struct model *m, const struct jobs *jobs)
{
	struct axis_place *places = xcalloc(m->trace_count + 1, sizeof(*places));
	struct axis_place *of_job = xcalloc(m->trace_count + 1, sizeof(*of_job));

	for (size_t i = 0; i < jobs->count; i++) {
		job_axis(m, &jobs->list[i], of_job);
		for (size_t k = 0; k < jobs->list[i].count; k++)
			places[jobs->list[i].traces[k]] = of_job[k];
	}
	free(of_job);
	return places;
}

void run_traces(const struct model *m, struct report *r)
{
	struct table *table = report_add_table(r, "traces", "Traces", COLUMNS(columns));
	const struct jobs *jobs = jobs_of(m);
	struct axis_place *places = places_of(m, jobs);

	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];
		const struct process *root = trace_root(t);
		const char *command = *t->command ? t->command : root ? root->command : "";
		char *name;

		table_add_row(table);
		table_set_uint(table, "trace", i);
		table_set_text(table, "path", t->path);
		name = trace_name(t);
		table_set_text(table, "name", name);
		free(name);
		set_text(table, "level", t->level);
		table_set_tree(table, "command", command_list(command));
		set_begin(table, t);
		if (t->started)
			table_set_int(table, "duration_ns", t->end);
		if (t->started && trace_is_part(t))
			set_part(table, t);
		table_set_uint(table, "events", t->events);
		table_set_uint(table, "lost", trace_lost(t));
		set_exit(table, t);
		table_set_uint(table, "job", jobs->of[i]);
		table_set_int(table, "shift_ns", places[i].shift);
	}
	free(places);
}

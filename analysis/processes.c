/* SPDX-License-Identifier: MIT */
/* The table `processes`: who ran, from when to when, what it used, how it ended. */
#include "analysis/analyses.h"
#include "analysis/frameworks.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "process", "id", UNIT_ID, "unique in this report" },
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "host", "host", UNIT_TEXT, "host name" },
	{ "pid", "pid", UNIT_ID, "as the kernel knows it" },
	{ "parent", "parent", UNIT_ID, "id of the process that made it; missing where that is not in this table" },
	{ "rank", "rank", UNIT_ID, "in a distributed training, as its launcher says" },
	{ "ranks", "of", UNIT_COUNT, "how many ranks there are" },
	{ "local_rank", "local rank", UNIT_ID, "among the ranks of its machine" },
	{ "name", "name", UNIT_TEXT, "of the program" },
	{ "command", "command", UNIT_TREE, "arguments" },
	{ "frameworks", "frameworks", UNIT_TREE,
	  "recognised by libraries loaded and packages imported; state: works, imported (another one works), or "
	  "not known" },
	{ "begin_ns", "begin", UNIT_TIME,
	  "its start; before 0: some 0.5 ms until it had connected to LTTng, or it ran before it was recorded" },
	{ "phase", "phase", UNIT_TEXT, "in which it began, of the process that trains" },
	{ "end_ns", "end", UNIT_TIME, "its end; missing while it runs" },
	{ "exit", "exit", UNIT_TREE, "status, signal, exec, or unknown" },
	{ "threads_peak", "threads", UNIT_COUNT, "most at once, dltrace's and LTTng's own left out" },
	{ "cpu_ns", "CPU", UNIT_NS, "user and system time" },
	{ "system_ns", "in kernel", UNIT_NS, "the part of it in the kernel" },
	{ "heap_peak_bytes", "heap peak", UNIT_BYTES, "largest live heap, inherited bytes included" },
	{ "heap_end_bytes", "heap end", UNIT_BYTES, "live heap at its last reading" },
	{ "rss_peak_bytes", "RSS peak", UNIT_BYTES, "largest anonymous resident set that was sampled" },
	{ "rss_most_bytes", "RSS, all, peak", UNIT_BYTES,
	  "the kernel's own largest resident set (VmHWM), with what is mapped from files and shared, dltrace's own "
	  "memory too" },
	{ "major_faults", "major faults", UNIT_COUNT, "pages read from disk" },
	{ "minor_faults", "minor faults", UNIT_COUNT, "pages made or mapped" },
	{ "waits", "waits", UNIT_COUNT, "context switches by waiting" },
	{ "preemptions", "preemptions", UNIT_COUNT, "context switches by preemption" },
	{ "read_bytes", "read", UNIT_BYTES, "by read and its kin" },
	{ "write_bytes", "written", UNIT_BYTES, "by write and its kin" },
	{ "files", "files read", UNIT_COUNT,
	  "different ones that it opened to read, no parts of programs; of more than 2,048 an estimate" },
	{ "file_opens", "files opened", UNIT_COUNT, "how often it opened these" },
	{ "file_bytes", "size of files", UNIT_BYTES, "their sizes, each time that one was opened" },
	{ "children", "children", UNIT_COUNT, "processes that it made" },
	{ "children_counted", "only counted", UNIT_COUNT, "those among them that are not traced" },
};

static json_t *framework_list(const struct process *p)
{
	struct framework found[FRAMEWORKS_MAX];
	size_t n = process_frameworks(p, found);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:s?}",
			"name", found[i].rule->name,
			"version", json_name(found[i].version),
			"role", found[i].rule->role,
			"state", found[i].state ? framework_state_name(found[i].state) : NULL));
	return list;
}

static void set_sampled(struct table *t, const struct process *p)
{
	const struct dlt_ev_sample_process *s = &p->sample;

	if (!p->now.sampled)
		return;
	table_set_uint(t, "cpu_ns", s->user + s->system);
	table_set_uint(t, "system_ns", s->system);
	if (p->heap_cover == 0) {
		table_set_uint(t, "heap_peak_bytes", s->heap_peak);
		table_set_int(t, "heap_end_bytes", p->now.heap);
	}
	if (p->curves[CURVE_ANON].count)
		table_set_int(t, "rss_peak_bytes", curve_max(&p->curves[CURVE_ANON]));
	if (s->rss_most)
		table_set_uint(t, "rss_most_bytes", s->rss_most);
	table_set_uint(t, "major_faults", s->major_faults);
	table_set_uint(t, "minor_faults", s->minor_faults);
	table_set_uint(t, "waits", s->voluntary);
	table_set_uint(t, "preemptions", s->involuntary);
	table_set_uint(t, "read_bytes", s->read_bytes);
	table_set_uint(t, "write_bytes", s->write_bytes);
}

static void set_files(struct table *t, const struct input *in)
{
	if (!in->opens)
		return;
	table_set_uint(t, "files", (uint64_t)in->files.count << in->files.levels[BEATS_OF_FILES]);
	table_set_uint(t, "file_opens", in->opens);
	table_set_uint(t, "file_bytes", in->bytes);
}

static void set_rank(struct table *t, const char *column, int32_t rank)
{
	if (rank >= 0)
		table_set_int(t, column, rank);
}

static void add(const struct process *p, struct table *t)
{
	uint64_t children = 0;
	json_t *exit = exit_object(p);

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_uint(t, "trace", p->trace->index);
	set_text(t, "host", p->host);
	if (p->pid)
		table_set_uint(t, "pid", p->pid);
	if (p->parent && process_shown(p->parent))
		table_set_int(t, "parent", p->parent->report_id);
	set_rank(t, "rank", p->rank);
	set_rank(t, "ranks", p->ranks);
	set_rank(t, "local_rank", p->local_rank);
	table_set_text(t, "name", process_name(p));
	table_set_tree(t, "command", command_list(p->command));
	table_set_tree(t, "frameworks", framework_list(p));
	set_time(t, "begin_ns", p->begin);
	set_text(t, "phase", phase_name_at(phases_around(p), p->begin));
	set_time(t, "end_ns", p->end);
	if (exit)
		table_set_tree(t, "exit", exit);
	if (p->curves[CURVE_THREADS].count)
		table_set_int(t, "threads_peak", curve_max(&p->curves[CURVE_THREADS]));
	set_sampled(t, p);
	set_files(t, &p->input);
	for (int i = 0; i < 5; i++)
		children += p->children[i];
	table_set_uint(t, "children", children);
	table_set_uint(t, "children_counted", p->untraced_children);
}

void run_processes(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "processes", "Processes", COLUMNS(columns)), add);
}

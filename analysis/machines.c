/* SPDX-License-Identifier: MIT */
/* The table `machines`: where it ran. */
#include "analysis/analyses.h"

static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "host", "host", UNIT_TEXT, "host name" },
	{ "cpus", "CPUs", UNIT_COUNT, "online" },
	{ "memory_bytes", "memory", UNIT_BYTES, "MemTotal" },
	{ "cgroup", "cgroup", UNIT_TREE, "limits of the recording's control group" },
	{ "gpus", "GPUs", UNIT_TREE, "those that NVML answered for" },
};

static json_t *cgroup(const struct machine *m)
{
	json_t *o = json_object();

	json_object_set_new(o, "memory_limit_bytes",
			    m->cgroup_limit ? json_integer((json_int_t)m->cgroup_limit) : json_null());
	json_object_set_new(o, "cpu_limit_cores",
			    m->cgroup_cpu ? json_real((double)m->cgroup_cpu / 1000) : json_null());
	return o;
}

static json_t *gpus(const struct trace *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->gpu_count; i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:I}",
			"gpu", (int)t->gpus[i].index, "name", json_name(t->gpus[i].name),
			"memory_bytes", (json_int_t)t->gpus[i].memory));
	return list;
}

static void add(struct table *table, const struct trace *t, const struct machine *m)
{
	table_add_row(table);
	table_set_uint(table, "trace", t->index);
	set_text(table, "host", m->host);
	if (m->cpus)
		table_set_uint(table, "cpus", m->cpus);
	if (m->memory)
		table_set_uint(table, "memory_bytes", m->memory);
	table_set_tree(table, "cgroup", cgroup(m));
	table_set_tree(table, "gpus", gpus(t));
}

void run_machines(const struct model *m, struct report *r)
{
	struct table *table = report_add_table(r, "machines", "Machines", COLUMNS(columns));

	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];
		const struct machine unknown = { .host = t->host };

		for (size_t j = 0; j < t->machine_count; j++)
			add(table, t, &t->machines[j]);
		if (!t->machine_count && t->started)
			add(table, t, &unknown);
	}
}

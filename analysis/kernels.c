/* SPDX-License-Identifier: MIT */
/* The tables `kernels` (what was launched, by kernel) and `graphs` (what launches of graphs execute). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/demangle.h"
#include "analysis/model/gpu.h"
#include "analysis/model/memory.h"
#include "analysis/phases.h"

static const struct column kernel_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "library", "library", UNIT_TEXT, "that holds the host function" },
	{ "kernel", "kernel", UNIT_TEXT, "its name, demangled" },
	{ "mangled", "mangled", UNIT_TEXT, "its name as the library says it" },
	{ "launches", "launches", UNIT_COUNT, "executed launches that were events; those of graphs are in graphs" },
	{ "captured", "captured", UNIT_COUNT, "launches captured into graphs, not executed by these calls" },
	{ "shapes", "shapes", UNIT_COUNT, "different grids, blocks or shared memory" },
	{ "grid", "grid", UNIT_TEXT, "in blocks, of the most frequent shape" },
	{ "block", "block", UNIT_TEXT, "in threads, of the most frequent shape" },
	{ "shared_bytes", "shared", UNIT_BYTES, "dynamic shared memory of the most frequent shape" },
	{ "total_ns", "in calls", UNIT_NS, "time of the launching calls" },
	{ "mean_ns", "a call", UNIT_NS, "total by launches and captures" },
	{ "gpu_runs", "runs", UNIT_COUNT, "that CUPTI told of, of this name" },
	{ "gpu_total_ns", "on the GPU", UNIT_NS, "time that it ran there" },
	{ "gpu_mean_ns", "a run", UNIT_NS, "that by runs" },
};

static const struct column phase_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "its own, or that of the process that it works for" },
	{ "library", "library", UNIT_TEXT, "in which it is" },
	{ "kernel", "kernel", UNIT_TEXT, "its name, as in kernels" },
	{ "launches", "launches", UNIT_COUNT, "executed" },
	{ "captured", "captured", UNIT_COUNT, "captured into graphs, not executed by these calls" },
	{ "total_ns", "in calls", UNIT_NS, "time of the launching calls" },
	{ "mean_ns", "a call", UNIT_NS, "total by launches and captures" },
};

static const struct column graph_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "graph", "graph", UNIT_ID, "id by process, the same for one made later at its address with the same "
	  "work; missing: kernels launched one by one" },
	{ "launches", "launches", UNIT_COUNT, "executed" },
	{ "captured", "captured", UNIT_COUNT, "captured into other graphs, not executed by these calls" },
	{ "kernels", "kernels", UNIT_COUNT, "that one launch executes" },
	{ "copies", "copies", UNIT_COUNT, "that one launch executes" },
	{ "sets", "sets", UNIT_COUNT, "that one launch executes" },
	{ "copy_bytes", "copied", UNIT_BYTES, "that one launch copies" },
	{ "set_bytes", "set", UNIT_BYTES, "that one launch sets" },
	{ "unsure", "unsure", UNIT_COUNT, "parts that run less or more often than that, see limits" },
	{ "conditional", "conditional", UNIT_COUNT, "of these: nodes whose bodies run as often as the GPU decides" },
	{ "body_kernels", "in bodies", UNIT_COUNT, "kernels in these bodies, each counted once; not among `kernels`" },
	{ "executed", "executed", UNIT_COUNT, "kernels, by all these launches" },
	{ "moved_bytes", "moved", UNIT_BYTES, "copied and set, by all these launches" },
	{ "total_ns", "in calls", UNIT_NS, "time of the launching calls" },
};

/* ---- kernels ---- */

/* One row: all shapes of all handles of one kernel. */
struct row {
	const struct object *kernel, *shape;	/* shape: the most frequent one */
	uint64_t of_shape, launches, captured, time, shapes;
	struct slice phases[PHASES_MAX];	/* calls: executed; nested: captured */
};

static bool is_same(const struct object *a, const struct object *b)
{
	if (a == b)
		return true;
	if (*a->name && !strcmp(a->name, b->name))
		return a->library == b->library;
	return !*a->name && !*b->name && a->library == b->library && a->offset == b->offset &&
	       (a->library || a->handle == b->handle);
}

static struct row *row_of(struct row *rows, size_t *count, const struct object *kernel)
{
	for (size_t i = 0; i < *count; i++)
		if (is_same(rows[i].kernel, kernel))
			return &rows[i];
	rows[*count].kernel = kernel;
	return &rows[(*count)++];
}

static void set_size(struct table *t, const char *column, const uint64_t *xyz)
{
	char text[80];

	snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64 "x%" PRIu64, xyz[0], xyz[1], xyz[2]);
	table_set_text(t, column, text);
}

/* What CUPTI told of the same name, whichever library launched it. */
static void set_gpu(struct table *t, const struct process *p, const char *mangled)
{
	uint64_t runs = 0, time = 0;

	for (size_t i = 0; p->gpu && *mangled && i < p->gpu->item_count; i++) {
		const struct gpu_item *item = p->gpu->items[i];

		if (strcmp(item->function.name, mangled) != 0)
			continue;
		runs += item->profile->events.calls;
		time += item->profile->events.total;
	}
	if (!runs)
		return;
	table_set_uint(t, "gpu_runs", runs);
	table_set_uint(t, "gpu_total_ns", time);
	table_set_real(t, "gpu_mean_ns", (double)time / (double)runs);
}

/* Who it is. */
static void set_kernel(struct table *t, const struct process *p, const struct row *r)
{
	const struct library *library = process_library(p, r->kernel->library);
	char name[1024];

	if (library)
		table_set_text(t, "library", base_name(library->path));
	if (*r->kernel->name)
		demangle(r->kernel->name, name, sizeof(name));
	else if (library)
		snprintf(name, sizeof(name), "+0x%" PRIx64, r->kernel->offset);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, r->kernel->handle);
	table_set_text(t, "kernel", name);
}

static void add_kernel(struct table *t, const struct process *p, const struct row *r)
{
	uint64_t calls = r->launches + r->captured;

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	set_kernel(t, p, r);
	set_text(t, "mangled", r->kernel->name);
	table_set_uint(t, "launches", r->launches);
	table_set_uint(t, "captured", r->captured);
	table_set_uint(t, "shapes", r->shapes);
	set_size(t, "grid", r->shape->values + SHAPE_GRID);
	set_size(t, "block", r->shape->values + SHAPE_BLOCK);
	table_set_uint(t, "shared_bytes", r->shape->values[SHAPE_SHARED]);
	table_set_uint(t, "total_ns", r->time);
	table_set_real(t, "mean_ns", (double)r->time / (double)calls);
	set_gpu(t, p, r->kernel->name);
}

static void add_phases(struct row *r, const struct process *p, const struct launches *s)
{
	const struct phases *ph = phases_around(p);
	struct slice sums[PHASES_MAX];

	phases_slices(ph, &s->slices, sums);
	for (size_t i = 0; i < ph->count; i++) {
		r->phases[i].calls += sums[i].calls;
		r->phases[i].nested += sums[i].nested;
		r->phases[i].outer += sums[i].outer;
	}
}

/* Owned by the caller. */
static struct row *rows_of(const struct process *p, size_t *count)
{
	const struct launched *l = &p->launched;
	struct row *rows = xcalloc(l->count, sizeof(*rows));

	for (size_t i = 0; i < l->count; i++) {
		const struct launches *s = &l->list[i];
		const struct object *shape = process_find_object(p, DLT_OBJECT_SHAPE, s->id), *kernel;
		struct row *r;

		kernel = shape ? process_find_object(p, DLT_OBJECT_KERNEL,
						     (uint32_t)shape->values[SHAPE_KERNEL]) : NULL;
		if (!kernel)
			continue;
		r = row_of(rows, count, kernel);
		add_phases(r, p, s);
		r->launches += s->count;
		r->captured += s->captured;
		r->time += s->time;
		r->shapes++;
		if (s->count + s->captured > r->of_shape) {
			r->of_shape = s->count + s->captured;
			r->shape = shape;
		}
	}
	return rows;
}

static void add_kernels(const struct process *p, struct table *t)
{
	size_t count = 0;
	struct row *rows = rows_of(p, &count);

	for (size_t i = 0; i < count; i++)
		add_kernel(t, p, &rows[i]);
	free(rows);
}

static void add_phase_kernel(struct table *t, const struct process *p, const struct row *r, size_t phase)
{
	const struct slice *s = &r->phases[phase];

	if (!s->calls && !s->nested)
		return;
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_text(t, "phase", phases_around(p)->list[phase].name);
	set_kernel(t, p, r);
	table_set_uint(t, "launches", s->calls);
	table_set_uint(t, "captured", s->nested);
	table_set_uint(t, "total_ns", s->outer);
	table_set_real(t, "mean_ns", (double)s->outer / (double)(s->calls + s->nested));
}

static void add_phase_kernels(const struct process *p, struct table *t)
{
	size_t count = 0;
	struct row *rows = rows_of(p, &count);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < phases_around(p)->count; k++)
			add_phase_kernel(t, p, &rows[i], k);
	free(rows);
}

void run_kernels(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "kernels", "Kernels", COLUMNS(kernel_columns));

	each_process(m, t, add_kernels);
	table_sort_falling(t, "total_ns");
}

void run_phase_kernels(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "phase_kernels", "Kernels by phase", COLUMNS(phase_columns));

	each_process(m, t, add_phase_kernels);
	table_sort_falling(t, "total_ns");
}

/* ---- graphs ---- */

static void add_graph(struct table *t, const struct process *p, const struct launches *s,
		      const struct object *graph)
{
	uint64_t kernels = graph ? graph->values[GRAPH_KERNELS] : 1;

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	if (graph)
		table_set_uint(t, "graph", s->id);
	table_set_uint(t, "launches", s->count);
	table_set_uint(t, "captured", s->captured);
	table_set_uint(t, "kernels", kernels);
	if (graph) {
		table_set_uint(t, "copies", graph->values[GRAPH_COPIES]);
		table_set_uint(t, "sets", graph->values[GRAPH_SETS]);
		table_set_uint(t, "copy_bytes", graph->values[GRAPH_COPY_BYTES]);
		table_set_uint(t, "set_bytes", graph->values[GRAPH_SET_BYTES]);
		table_set_uint(t, "unsure", graph->values[GRAPH_UNSURE]);
		table_set_uint(t, "conditional", graph->values[GRAPH_CONDITIONAL]);
		table_set_uint(t, "body_kernels", graph->values[GRAPH_BODY_KERNELS]);
		table_set_uint(t, "moved_bytes",
			       (graph->values[GRAPH_COPY_BYTES] + graph->values[GRAPH_SET_BYTES]) * s->count);
	}
	table_set_uint(t, "executed", kernels * s->count);
	table_set_uint(t, "total_ns", s->time);
}

/* Only for processes with graphs, and there with what they launch one by one to compare. */
static void add_graphs(const struct process *p, struct table *t)
{
	struct launches direct = { 0 };
	bool graphs = false;

	for (size_t i = 0; i < p->launched.count; i++) {
		const struct launches *s = &p->launched.list[i];
		const struct object *graph = process_find_object(p, DLT_OBJECT_GRAPH, s->id);

		if (graph)
			add_graph(t, p, s, graph);
		graphs |= graph || s->captured;
		if (!process_find_object(p, DLT_OBJECT_SHAPE, s->id))
			continue;
		direct.count += s->count;
		direct.captured += s->captured;
		direct.time += s->time;
	}
	if (graphs)
		add_graph(t, p, &direct, NULL);
}

void run_graphs(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "graphs", "CUDA graphs", COLUMNS(graph_columns)), add_graphs);
}

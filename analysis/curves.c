/* SPDX-License-Identifier: MIT */
/* Series over time (the study's figures 1 and 2): of the run, of machines, of each process. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/analyses.h"
#include "analysis/model/gpu.h"
#include "analysis/gpu_memory.h"
#include "analysis/iterations.h"
#include "analysis/phases.h"
#include "memory_kinds.h"

#define DEVICE_ROOM 16	/* "GPU 4294967295" */

struct curve_kind {
	const char *name, *title, *unit;
	double scale;		/* a value times this is in `unit` */
};

static const struct curve_kind process_kinds[PROCESS_CURVES] = {
	[CURVE_THREADS] = { "threads", "threads of the program", "count", 1 },
	[CURVE_CPU] = { "cpu_cores", "CPU, cores", "cores", 1.0 / CPU_UNIT },
	[CURVE_ANON] = { "rss_bytes", "anonymous resident memory (a fork shares it with its parent)",
			 "bytes", 1 },
	[CURVE_FILE] = { "rss_file_bytes", "resident file pages", "bytes", 1 },
	[CURVE_SHMEM] = { "rss_shmem_bytes", "resident shared memory, LTTng's own left out", "bytes", 1 },
	[CURVE_PSS] = { "pss_bytes", "proportional set size", "bytes", 1 },
	[CURVE_HEAP] = { "heap_bytes", "live heap", "bytes", 1 },
	[CURVE_MAPPED] = { "mapped_bytes", "live mappings of its own, apart from the heap", "bytes", 1 },
	[CURVE_GPU] = { "gpu_reserved_bytes",
			"device memory held (with a pooling allocator: reserved, not used)", "bytes", 1 },
	[CURVE_PINNED] = { "pinned_bytes", "page-locked host memory", "bytes", 1 },
};

static const struct curve_kind run_kinds[RUN_CURVES] = {
	[RUN_THREADS] = { "threads", "threads, all processes of the run", "count", 1 },
	[RUN_CPU] = { "cpu_cores", "CPU of the run, cores", "cores", 1.0 / CPU_UNIT },
	[RUN_MEMORY] = { "rss_bytes",
			 "memory of the run: anonymous and shared, pages that forks share counted once",
			 "bytes", 1 },
	[RUN_HEAP] = { "heap_bytes", "live heap of the run, what forks inherit counted once",
			"bytes", 1 },
	[RUN_MAPPED] = { "mapped_bytes", "live mappings of the run", "bytes", 1 },
	[RUN_GPU] = { "gpu_reserved_bytes", "device memory held by the run", "bytes", 1 },
	[RUN_PINNED] = { "pinned_bytes", "page-locked host memory of the run", "bytes", 1 },
};

/* Of a process; the sum of those on the GPU is gpu_reserved_bytes. */
static const struct curve_kind memory_kinds[DLT_MEMORIES] = {
	[DLT_MEMORY_DEVICE] = { "gpu_device_bytes", "GPU memory asked of cudaMalloc and its kin", "bytes", 1 },
	[DLT_MEMORY_POOL] = { "gpu_async_bytes", "GPU memory asked of CUDA's pools", "bytes", 1 },
	[DLT_MEMORY_PHYSICAL] = { "gpu_physical_bytes", "GPU memory made by cuMemCreate", "bytes", 1 },
	[DLT_MEMORY_ARRAY] = { "gpu_array_bytes", "GPU memory in arrays, before padding", "bytes", 1 },
	[DLT_MEMORY_MANAGED] = { "gpu_managed_bytes", "managed memory, on the GPU or the host", "bytes", 1 },
	[DLT_MEMORY_REGISTERED] = { "registered_bytes", "memory of the heap that is page-locked", "bytes", 1 },
	[DLT_MEMORY_ADDRESS] = { "gpu_address_bytes", "addresses reserved for the GPU, no memory", "bytes", 1 },
	[DLT_MEMORY_OPENCL] = { "opencl_bytes", "buffers of OpenCL, on its device, which may be the CPU", "bytes", 1 },
	[DLT_MEMORY_MAPPED] = { "gpu_mapped_bytes", "addresses with physical memory behind them", "bytes", 1 },
};

static const struct curve_kind library_memory = {
	"gpu_library_bytes", "GPU memory reserved by one library, all its kinds", "bytes", 1
};
static const struct curve_kind nvml_used = { "gpu_nvml_bytes", "GPU memory of the process as NVML says it",
					     "bytes", 1 };
static const struct curve_kind iteration = { "iteration_ns", "how long an iteration took, where it began", "ns", 1 };
static const struct curve_kind cpu_percent = { "cpu_percent", "CPU, % of the machine", "percent", 1 };
static const struct curve_kind cpu_limit = { "cpu_limit_percent", "CPU, % of the cgroup's limit",
					     "percent", 1 };
static const struct curve_kind run_ram = { "run_ram_percent", "memory of the run, % of the machine's",
					   "percent", 1 };
static const struct curve_kind ram = { "ram_percent", "memory in use on the machine, % of all",
				       "percent", 1 };
static const struct curve_kind machine_cpu = { "machine_cpu_percent",
					       "CPU of the machine, by everybody, %", "percent", 1 };
static const struct curve_kind runnable = { "runnable", "tasks on the run queues", "count", 1 };
static const struct curve_kind cgroup = { "cgroup_bytes", "memory of the recording's cgroup",
					  "bytes", 1 };
static const struct curve_kind gpu_used = { "gpu_used_bytes", "GPU memory in use, by everybody",
					    "bytes", 1 };
static const struct curve_kind gpu_busy = { "gpu_percent", "GPU utilisation", "percent", 1 };
static const struct curve_kind gpu_power = { "gpu_watts", "GPU power", "watts", 1e-3 };
static const struct curve_kind cpu_power = { "cpu_watts", "power of the CPU packages", "watts", 1e-3 };

/* Adds a curve as a series; scale comes on top of the kind's own. */
static struct series *add(struct report *r, const struct curve_kind *kind, const struct curve *c,
			  double scale, size_t trace, int64_t process, const char *host)
{
	struct curve_value points[3];
	struct series *s;

	if (!c->count)
		return NULL;
	s = report_add_series(r, kind->name, kind->title, kind->unit, (uint32_t)trace, process, host);
	s->mean = curve_mean(c, INT64_MIN, INT64_MAX, NULL) * kind->scale * scale;
	for (size_t i = 0; i < c->count; i++) {
		size_t n = curve_points(&c->buckets[i], points);

		for (size_t j = 0; j < n; j++)
			series_add(s, points[j].t,
				   (double)points[j].value * kind->scale * scale);
	}
	return s;
}

/* One of several that are alike but for the device. */
static void add_of_device(struct report *r, const struct curve_kind *kind, const struct curve *c, size_t trace,
			  int64_t process, const char *host, const char *device)
{
	struct series *s = add(r, kind, c, 1, trace, process, host);

	if (s)
		series_of_device(s, device);
}

static void device_name(char *name, size_t size, uint32_t index)
{
	snprintf(name, size, "GPU %" PRIu32, index);
}

/* Where the i-th or a later one ends, and none that is in the curve goes on there; INT64_MAX: there is no more. */
static int64_t next_gap(const struct iterations *it, size_t *i)
{
	for (; *i < it->listed; ++*i) {
		const struct iteration *one = &it->list[*i], *next = *i + 1 < it->listed ? one + 1 : NULL;

		if (!iteration_in_curve(one) || (next && iteration_in_curve(next) && next->begin <= one->end))
			continue;
		++*i;
		return one->end;
	}
	return INT64_MAX;
}

/* With a gap where there is none, and after the last. */
static void add_durations(struct series *s, const struct iterations *it)
{
	struct curve_value points[3];
	size_t i = 0;
	int64_t gap = next_gap(it, &i);

	for (size_t k = 0; k < it->curve.count; k++) {
		size_t n = curve_points(&it->curve.buckets[k], points);

		for (size_t j = 0; j < n; j++) {
			for (; gap < points[j].t; gap = next_gap(it, &i))
				series_add(s, gap, NAN);
			series_add(s, points[j].t, (double)points[j].value);
		}
	}
	/* Of a long run gaps are not known. */
	gap = it->listed ? gap : it->end;
	if (gap >= s->points[s->point_count - 1].t)
		series_add(s, gap, NAN);
}

/* Each counts once, however long it was: the mean is theirs, not that of a level over time. */
static void add_iterations(struct report *r, const struct process *of, int64_t process)
{
	const struct iterations *it = process_iterations(of);
	struct series *s;

	if (!it->curve.count)
		return;
	s = report_add_series(r, iteration.name, iteration.title, iteration.unit, of->trace->index, process,
			      of->host);
	s->mean = it->mean;
	s->of = process < 0 ? of->report_id : -1;
	add_durations(s, it);
}

/* GPU curves of a process that never touched one are left out. */
static bool empty(enum curve_id id, const struct curve *c)
{
	return (id == CURVE_MAPPED || id == CURVE_GPU || id == CURVE_PINNED || id == CURVE_SHMEM) &&
	       !curve_max(c);
}

/* By kind; what is on the GPU by library too. */
static void add_memory(struct report *r, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;

	for (int i = 0; i < DLT_MEMORIES; i++)
		if (memory_kinds[i].name && curve_max(&g->curves[i]))
			add(r, &memory_kinds[i], &g->curves[i], 1, p->trace->index, p->report_id, p->host);
	for (size_t i = 0; i < g->library_count; i++) {
		struct series *s = add(r, &library_memory, &g->libraries[i].curve, 1, p->trace->index,
				       p->report_id, p->host);
		const char *name = gpu_row_library_name(p, g->libraries[i].library);

		if (s)
			series_of_library(s, *name ? name : "unknown");
	}
	add(r, &nvml_used, &g->nvml_curve, 1, p->trace->index, p->report_id, p->host);
}

static const struct curve_kind gpu_work = { "gpu_busy_percent",
					    "time in which the GPU had work of the process, %", "percent",
					    1e-3 };

/* One a device; as the run's too if no other process has a GPU. */
static void add_gpu_work(struct report *r, const struct process *p, bool alone)
{
	for (size_t i = 0; p->gpu && i < p->gpu->device_count; i++) {
		const struct gpu_device *d = &p->gpu->devices[i];
		char name[DEVICE_ROOM];

		device_name(name, sizeof(name), d->index);
		add_of_device(r, &gpu_work, &d->curve, p->trace->index, p->report_id, p->host, name);
		if (alone)
			add_of_device(r, &gpu_work, &d->curve, p->trace->index, -1, p->host, name);
	}
}

static size_t with_gpu_work(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_count; i++)
		n += process_shown(t->processes[i]) && t->processes[i]->gpu &&
		     t->processes[i]->gpu->device_count;
	return n;
}

static void add_process(struct report *r, const struct process *p)
{
	const struct machine *m = trace_machine(p->trace, p->host);
	size_t trace = p->trace->index;

	for (int i = 0; i < PROCESS_CURVES; i++) {
		if ((i == CURVE_HEAP && p->heap_cover) || empty((enum curve_id)i, &p->curves[i]))
			continue;
		add(r, &process_kinds[i], &p->curves[i], 1, trace, p->report_id, p->host);
		if (i == CURVE_CPU && m && m->cpus)
			add(r, &cpu_percent, &p->curves[i], 100.0 / CPU_UNIT / m->cpus, trace,
			    p->report_id, p->host);
	}
	add_memory(r, p);
	add_iterations(r, p, p->report_id);
}

static void add_run(struct report *r, const struct trace *t)
{
	uint64_t cpus = 0, limit = 0, memory = 0;

	for (size_t i = 0; i < t->machine_count; i++) {
		cpus += t->machines[i].cpus;
		limit += t->machines[i].cgroup_cpu;
		memory += t->machines[i].memory;
	}
	for (int i = 0; i < RUN_CURVES; i++)
		if (i == RUN_THREADS || i == RUN_CPU || i == RUN_MEMORY || i == RUN_HEAP ||
		    curve_max(&t->curves[i]))
			add(r, &run_kinds[i], &t->curves[i], 1, t->index, -1, t->host);
	if (cpus)
		add(r, &cpu_percent, &t->curves[RUN_CPU], 100.0 / CPU_UNIT / (double)cpus, t->index,
		    -1, t->host);
	if (limit)
		add(r, &cpu_limit, &t->curves[RUN_CPU], 100.0 * 1000 / CPU_UNIT / (double)limit,
		    t->index, -1, t->host);
	if (memory)
		add(r, &run_ram, &t->curves[RUN_MEMORY], 100.0 / (double)memory, t->index, -1,
		    t->host);
}

static void add_machine(struct report *r, const struct trace *t, const struct machine *m)
{
	if (m->memory)
		add(r, &ram, &m->curves[MACHINE_USED], 100.0 / (double)m->memory, t->index, -1,
		    m->host);
	if (m->cpus)
		add(r, &machine_cpu, &m->curves[MACHINE_CPU], 100.0 / CPU_UNIT / m->cpus, t->index,
		    -1, m->host);
	add(r, &runnable, &m->curves[MACHINE_RUNNABLE], 1, t->index, -1, m->host);
	add(r, &cgroup, &m->curves[MACHINE_CGROUP], 1, t->index, -1, m->host);
}

static void add_gpu(struct report *r, const struct trace *t, const struct gpu *g)
{
	char name[DEVICE_ROOM];

	device_name(name, sizeof(name), g->index);
	add_of_device(r, &gpu_used, &g->used, t->index, -1, t->host, name);
	add_of_device(r, &gpu_busy, &g->utilisation, t->index, -1, t->host, name);
	add_of_device(r, &gpu_power, &g->power, t->index, -1, t->host, name);
}

static void add_trace(struct report *r, const struct trace *t)
{
	bool only = with_gpu_work(t) == 1;
	const struct process *busiest = trace_busiest(t);

	add_run(r, t);
	for (size_t i = 0; i < t->machine_count; i++)
		add_machine(r, t, &t->machines[i]);
	for (size_t i = 0; i < t->gpu_count; i++)
		add_gpu(r, t, &t->gpus[i]);
	if (busiest)
		add_iterations(r, busiest, -1);
	for (size_t i = 0; i < t->energy_count; i++)
		add_of_device(r, &cpu_power, &t->energies[i].power, t->index, -1, t->host, t->energies[i].domain);
	for (size_t i = 0; i < t->process_count; i++)
		if (process_shown(t->processes[i])) {
			add_process(r, t->processes[i]);
			add_gpu_work(r, t->processes[i], only);
		}
}

void run_curves(const struct model *m, struct report *r)
{
	for (size_t i = 0; i < m->trace_count; i++)
		add_trace(r, m->traces[i]);
}

/* SPDX-License-Identifier: MIT */
/* The table `phase_memory`: how much memory of each sort a process had in each of its phases. */
#include "analysis/analyses.h"
#include "analysis/gpu_memory.h"
#include "analysis/phases.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "phase", "phase", UNIT_TEXT, "its own, or that of the process that it works for" },
	{ "memory", "memory", UNIT_TEXT,
	  "anonymous, shared: of the process, as the kernel counts; heap; mappings: of its own mmap; "
	  "gpu: reserved on GPUs; pinned: of the host; and by kind and by library, as in gpu_memory" },
	{ "library", "library", UNIT_TEXT, "who asked for it; missing: anybody" },
	{ "begin_bytes", "at first", UNIT_BYTES, "when the phase began; missing: not known" },
	{ "peak_bytes", "peak", UNIT_BYTES, "most that was read in it" },
	{ "peak_t_ns", "at", UNIT_TIME, "when that was" },
	{ "end_bytes", "in the end", UNIT_BYTES, "when the phase ended" },
	{ "border_ns", "borders off by", UNIT_NS,
	  "what was read within so much of a border may be counted on its other side" },
};

static bool lives_in(const struct process *p, const struct phase *one)
{
	return (p->begin == UNKNOWN || p->begin < one->end) && (p->end == UNKNOWN || p->end > one->begin);
}

static void add_curve(const struct process *p, struct table *t, const struct curve *c, const char *memory,
		      const char *library)
{
	const struct phases *ph = phases_around(p);

	for (size_t i = 0; i < ph->count && curve_max(c) > 0; i++) {
		struct phase_level level = phase_level(ph, i, c);

		if (level.peak.t == UNKNOWN || !lives_in(p, &ph->list[i]))
			continue;
		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_text(t, "phase", ph->list[i].name);
		table_set_text(t, "memory", memory);
		set_text(t, "library", library);
		if (level.begin != UNKNOWN)
			table_set_int(t, "begin_bytes", level.begin);
		table_set_int(t, "peak_bytes", level.peak.value);
		table_set_int(t, "peak_t_ns", level.peak.t);
		table_set_int(t, "end_bytes", level.end);
		table_set_int(t, "border_ns", (int64_t)(1ULL << c->shift));
	}
}

static void add(const struct process *p, struct table *t)
{
	static const struct { enum curve_id curve; const char *memory; } own[] = {
		{ CURVE_ANON, "anonymous" }, { CURVE_SHMEM, "shared" }, { CURVE_HEAP, "heap" },
		{ CURVE_MAPPED, "mappings" }, { CURVE_GPU, "gpu" }, { CURVE_PINNED, "pinned" },
	};
	const struct gpu_memory *g = &p->gpu_memory;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].curve != CURVE_HEAP || p->heap_cover == 0)
			add_curve(p, t, &p->curves[own[i].curve], own[i].memory, "");
	for (unsigned kind = 0; kind < DLT_MEMORIES; kind++)
		if (kind != DLT_MEMORY_GPU && kind != DLT_MEMORY_PINNED)
			add_curve(p, t, &g->curves[kind], gpu_row_kind_name(kind << 24), "");
	for (size_t i = 0; i < g->library_count; i++)
		add_curve(p, t, &g->libraries[i].curve, "gpu", gpu_row_library_name(p, g->libraries[i].library));
}

void run_phase_memory(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "phase_memory", "Memory by phase", COLUMNS(columns)), add);
}

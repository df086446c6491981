/* SPDX-License-Identifier: MIT */
/* The tables `gpu_memory`, by kind, device and library, and `gpu`, by device; their series. */
#include "analysis/analyses.h"
#include "analysis/errors.h"
#include "analysis/gpu_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "device", "device", UNIT_ID, "the GPU, as CUDA numbers it for this process" },
	{ "kind", "kind", UNIT_TEXT, "device, async, physical, array: on the GPU; managed; pinned, registered: "
	  "on the host; address, mapped: addresses only; foreign, imported: another process's; stray: nobody "
	  "was seen to allocate it" },
	{ "library", "library", UNIT_TEXT, "who asked for it" },
	{ "physical", "physical", UNIT_ID, "1: takes room on the GPU" },
	{ "live_bytes", "live", UNIT_BYTES, "reserved in the end: asked for and not given back" },
	{ "peak_bytes", "peak", UNIT_BYTES, "most that was live at once" },
	{ "allocated_bytes", "allocated", UNIT_BYTES, "all that was asked for" },
	{ "freed_bytes", "freed", UNIT_BYTES, "all that was given back" },
	{ "allocations", "allocations", UNIT_COUNT, "successful ones" },
	{ "frees", "frees", UNIT_COUNT, "successful ones" },
	{ "failed", "failed", UNIT_COUNT, "allocations that were refused" },
	{ "largest_bytes", "largest", UNIT_BYTES, "largest successful allocation" },
	{ "exact", "exact", UNIT_ID, "1: counted by the process itself; 0: from events" },
};

static const struct column gpu_columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "device", "device", UNIT_ID, "the GPU, as CUDA numbers it; null: all of them" },
	{ "name", "name", UNIT_TEXT, "that the program gave it by NVTX" },
	{ "live_bytes", "live", UNIT_BYTES, "physical memory held in the end" },
	{ "peak_bytes", "peak", UNIT_BYTES, "most that was held at once" },
	{ "free_bytes", "free", UNIT_BYTES, "free memory as the application last asked for it" },
	{ "total_bytes", "total", UNIT_BYTES, "of the GPU, in the same answer" },
	{ "nvml_bytes", "NVML", UNIT_BYTES, "largest figure of NVML for the process, all GPUs" },
	{ "ledger_bytes", "ledger then", UNIT_BYTES, "physical memory held at that reading, all GPUs" },
	{ "unaccounted_bytes", "unaccounted", UNIT_BYTES, "NVML's figure less that: contexts, modules, "
	  "workspaces, what CUDA's pools keep, managed pages" },
};

const char *gpu_row_kind_name(uint32_t key)
{
	return dlt_memory_kind(key >> 24)->name;
}

const char *gpu_row_library_name(const struct process *p, uint32_t key)
{
	const struct library *l = process_library(p, (uint16_t)key);

	if ((uint16_t)key == DLT_BOX_OTHERS)
		return "other libraries";
	return l ? base_name(l->path) : "";
}

static void add_row(struct table *t, const struct process *p, const struct gpu_row *r)
{
	const struct gpu_counters *c = gpu_row_counters(r);
	int64_t live = gpu_row_live(r);

	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	table_set_uint(t, "device", gpu_row_device(r));
	table_set_text(t, "kind", gpu_row_kind_name(r->key));
	set_text(t, "library", gpu_row_library_name(p, r->key));
	table_set_uint(t, "physical", dlt_memory_kind(gpu_row_kind(r))->physical);
	table_set_int(t, "live_bytes", live);
	table_set_int(t, "peak_bytes", c->peak > live ? c->peak : live);
	table_set_uint(t, "allocated_bytes", c->allocated);
	table_set_int(t, "freed_bytes", (int64_t)c->allocated - live);
	table_set_uint(t, "allocations", c->allocations);
	table_set_uint(t, "frees", c->frees);
	table_set_uint(t, "failed", c->failed);
	table_set_uint(t, "largest_bytes", c->largest);
	table_set_uint(t, "exact", gpu_row_is_counted(r));
}

static void add(const struct process *p, struct table *t)
{
	const struct gpu_memory *g = &p->gpu_memory;

	for (size_t i = 0; i < g->count; i++)
		if (gpu_row_kind(&g->rows[i]) != DLT_MEMORY_GPU)
			add_row(t, p, &g->rows[i]);
}

/* ---- by device ----------------------------------------------------------------------------- */

static void set_nvml(struct table *t, const struct gpu_memory *g)
{
	if (!g->nvml)
		return;
	table_set_uint(t, "nvml_bytes", g->nvml);
	table_set_int(t, "ledger_bytes", g->nvml_live);
	table_set_int(t, "unaccounted_bytes", (int64_t)g->nvml - g->nvml_live);
}

/* Rows "gpu" are the process's own sums; without them, the peak is that of the events' curve. */
static void add_devices(const struct process *p, struct table *t)
{
	const struct gpu_memory *g = &p->gpu_memory;
	size_t devices = 0;
	int64_t live;

	for (size_t i = 0; i < g->count; i++) {
		const struct gpu_row *r = &g->rows[i];

		if (gpu_row_kind(r) != DLT_MEMORY_GPU)
			continue;
		devices++;
		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_uint(t, "device", gpu_row_device(r));
		set_text(t, "name", process_device_name(p, gpu_row_device(r)));
		live = gpu_memory_physical(g, gpu_row_device(r));
		table_set_int(t, "live_bytes", live);
		table_set_int(t, "peak_bytes", r->counters.peak > live ? r->counters.peak : live);
		if (r->counters.told_total) {
			table_set_uint(t, "free_bytes", r->counters.told_free);
			table_set_uint(t, "total_bytes", r->counters.told_total);
		}
	}
	if (devices == 1) {
		set_nvml(t, g);
	} else if (devices || g->nvml || curve_max(&p->curves[CURVE_GPU])) {
		table_add_row(t);
		table_set_int(t, "process", p->report_id);
		table_set_int(t, "live_bytes", p->now.gpu);
		table_set_int(t, "peak_bytes", curve_max(&p->curves[CURVE_GPU]));
		set_nvml(t, g);
	}
}

void run_gpu_memory(const struct model *m, struct report *r)
{
	struct table *t = report_add_table(r, "gpu_memory", "GPU memory", COLUMNS(columns));

	each_process(m, t, add);
	table_sort_falling(t, "peak_bytes");
	each_process(m, report_add_table(r, "gpu", "GPU memory by device", COLUMNS(gpu_columns)),
		     add_devices);
}

/* ---- refused allocations ------------------------------------------------------------------- */

static void __attribute__((format(printf, 3, 4))) append(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, size - length, format, args);
	va_end(args);
}

static const char *or_unknown(const char *name)
{
	return *name ? name : "an unknown caller";
}

static void append_holders(const struct process *p, const struct gpu_failure *f, char *text, size_t size)
{
	char bytes[32];

	for (int i = 0; i < GPU_HOLDERS && f->holders[i].live > 0; i++)
		append(text, size, "%s %s by %s (%s)", i ? "," : ":",
		       bytes_text(bytes, sizeof(bytes), (double)f->holders[i].live),
		       or_unknown(gpu_row_library_name(p, f->holders[i].key)),
		       gpu_row_kind_name(f->holders[i].key));
}

const char *gpu_failure_text(const struct process *p, const struct gpu_failure *f, char *text, size_t size)
{
	const struct function *fn = process_function(p, f->function);
	char bytes[32], total[32];

	snprintf(text, size, "%s of %s (%s memory, GPU %u), asked by %s, was refused",
		 *fn->name ? fn->name : "an allocation", bytes_text(bytes, sizeof(bytes), (double)f->size),
		 gpu_row_kind_name(f->key), f->key >> 16 & 255, or_unknown(gpu_row_library_name(p, f->key)));
	if (f->code)
		append(text, size, " with %s", error_text(fn->layer, f->code).text);
	append(text, size, "; the process had %s reserved on the GPU then",
	       bytes_text(bytes, sizeof(bytes), (double)f->live));
	append_holders(p, f, text, size);
	if (f->told_total)
		append(text, size, "; CUDA said afterwards that %s of %s were free%s",
		       bytes_text(bytes, sizeof(bytes), (double)f->told_free),
		       bytes_text(total, sizeof(total), (double)f->told_total),
		       f->told_free < f->size ? "" : ": in pieces too small, or given back meanwhile");
	return text;
}

json_t *gpu_failure_holders(const struct process *p, const struct gpu_failure *f)
{
	json_t *list = json_array();

	for (int i = 0; i < GPU_HOLDERS && f->holders[i].live > 0; i++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:i, s:I}", "kind",
						      gpu_row_kind_name(f->holders[i].key), "library",
						      json_name(gpu_row_library_name(p, f->holders[i].key)), "device",
						      (int)(f->holders[i].key >> 16 & 255), "live_bytes",
						      (json_int_t)f->holders[i].live));
	return list;
}

bool gpu_failure_of(const struct process *p, uint16_t function)
{
	const struct gpu_memory *g = &p->gpu_memory;

	for (size_t i = 0; i < GPU_REFUSING && g->refused[i]; i++)
		if (g->refused[i] == function)
			return true;
	return false;
}

/* SPDX-License-Identifier: MIT */
/* What limits a report's figures of GPUs. */
#include <inttypes.h>
#include <string.h>

#include "analysis/gpu_gaps.h"
#include "analysis/launch_limits.h"
#include "analysis/limits.h"
#include "analysis/model/gpu.h"

/* What the ledger of GPU memory could not tell. */
void limits_gpu_memory(struct table *table, const struct process *p)
{
	const struct gpu_memory *g = &p->gpu_memory;
	uint64_t frees = 0, unheld = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (gpu_row_kind(&g->rows[i]) != DLT_MEMORY_STRAY)
			continue;
		frees += gpu_row_counters(&g->rows[i])->frees;
		unheld += g->rows[i].counters.failed;
	}
	if (frees)
		limit(table, p->trace, p, "uncovered", (double)frees,
		      "%s frees of GPU memory that nobody was seen to allocate: by a library "
		      "whose calls are not covered", COUNT_TEXT(frees));
	if (unheld)
		limit(table, p->trace, p, "precision", (double)unheld,
		      "%s allocations of GPU memory found no room in the ledger and are missing "
		      "from it", COUNT_TEXT(unheld));
}

static void note_launches(const struct process *p, const char *kind, double launches, const char *text, void *data)
{
	limit(data, p->trace, p, kind, launches, "%s", text);
}

void limits_launches(struct table *table, const struct process *p)
{
	launch_limits_each(p, note_launches, table);
}

static void note_gap(const struct process *p, double ns, const char *text, void *data)
{
	limit(data, p->trace, p, "gpu", ns, "%s", text);
}

void limits_gpu_gaps(struct table *table, const struct process *p)
{
	gpu_gaps_each(p, note_gap, table);
}

void limits_gpu_work(struct table *table, const struct process *p)
{
	const struct gpu_work *w = p->gpu;

	if (!w)
		return;
	if (w->lost)
		limit(table, p->trace, p, "lost", (double)w->lost,
		      "%s records of the GPU's work found no room", COUNT_TEXT(w->lost));
	if (w->impossible)
		limit(table, p->trace, p, "corrupt", (double)w->impossible,
		      "pieces of the GPU's work left out, since their times cannot be (an end after they were told "
		      "of): %s", COUNT_TEXT(w->impossible));
	if (*w->account)
		limit(table, p->trace, p, "gpu", 0, "of the GPU's work, CUPTI told %s", w->account);
	if (w->opencl)
		limit(table, p->trace, p, "gpu", 0, "of OpenCL's work on devices, its events told %s", w->opencl);
	if (w->clock_error && w->version)
		limit(table, p->trace, p, "precision", w->clock_error,
		      "times on the GPU are off the host's by at most %" PRIu32 " ns (CUPTI %" PRIu32
		      ")", w->clock_error, w->version);
	else if (w->clock_error)
		limit(table, p->trace, p, "precision", w->clock_error,
		      "times on the device are off the host's by at most %" PRIu32 " ns", w->clock_error);
}

/* Profiling is a property of the application's queues, which are left as they are unless it is asked for. */
void limits_opencl(struct table *table, const struct process *p)
{
	bool works = false;

	for (size_t i = 0; (!p->gpu || !p->gpu->opencl) && i < p->profile_count; i++) {
		const struct function *f = process_function(p, profile_function(p->profile_list[i]));

		works |= !strcmp(f->layer, "opencl") && (!strcmp(f->kind, "launch") || !strcmp(f->kind, "copy"));
	}
	if (works)
		limit(table, p->trace, p, "precision", 0,
		      "OpenCL's calls only start kernels and copies: how long these took on the device was "
		      "not measured (--gpu=activity)");
}

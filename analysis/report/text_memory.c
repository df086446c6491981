/* SPDX-License-Identifier: MIT */
/* The section of the text report about GPU memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

#define MEMORY_ROWS 20

static const struct text_column memory_columns[] = {
	{ "device", "GPU", UNIT_ID, 2 },
	{ "kind", "kind", UNIT_TEXT, 0 },
	{ "library", "asked by", UNIT_TEXT, 0 },
	{ "allocations", "allocations", UNIT_COUNT, 1 },
	{ "allocated_bytes", "allocated", UNIT_BYTES, 3 },
	{ "peak_bytes", "peak", UNIT_BYTES, 0 },
	{ "live_bytes", "live at end", UNIT_BYTES, 0 },
	{ "failed", "refused", UNIT_COUNT, 1 },
};

#define MEMORY_COLUMNS (sizeof(memory_columns) / sizeof(memory_columns[0]))

static const char *bytes(char *buf, const struct text *t, const struct table *gpu, size_t row,
			 const char *column)
{
	return format_value(buf, UNIT_BYTES, cell_real(table_get(gpu, row, column)), t->o->unicode);
}

/* What the driver says of a process beside what it asked for. */
static void put_unaccounted(const struct text *t, const struct table *gpu, size_t row)
{
	char nvml[FORMAT_SIZE], ledger[FORMAT_SIZE], rest[FORMAT_SIZE], *process, *line;
	size_t size;
	FILE *f;

	if (table_get(gpu, row, "nvml_bytes")->type == CELL_NULL)
		return;
	process = text_process(t, table_get(gpu, row, "process"));
	f = text_open(&line, &size);
	fprintf(f, "%s by NVML: %s at most, %s of it asked for, %s unaccounted (contexts, modules, workspaces)",
		process, bytes(nvml, t, gpu, row, "nvml_bytes"), bytes(ledger, t, gpu, row, "ledger_bytes"),
		bytes(rest, t, gpu, row, "unaccounted_bytes"));
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text_close(f, &line));
	free(line);
	free(process);
}

void text_gpu_memory(const struct text *t)
{
	const struct table *m = report_table(t->r, "gpu_memory"), *gpu = report_table(t->r, "gpu");

	if (!text_rows(m) && !text_rows(gpu))
		return;
	text_heading(t, "GPU memory", "reserved: asked of CUDA and not given back");
	if (text_rows(m))
		text_by_process(t, "gpu_memory", "peak_bytes", memory_columns, MEMORY_COLUMNS, MEMORY_ROWS);
	for (size_t row = 0; row < text_rows(gpu); row++)
		put_unaccounted(t, gpu, row);
}

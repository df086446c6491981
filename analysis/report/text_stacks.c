/* SPDX-License-Identifier: MIT */
/* The section of the text report about who asked for memory: stacks that lead through the same line are one row. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

#define ASKERS_SHOWN 15
#define FRAMES_SHOWN 3		/* of compiled code */

/* Stacks of one process and memory with the same line, and the same one below it. */
struct asker_row {
	const struct cell *process;	/* all borrowed from the table */
	const char *memory, *where, *by;
	double device;
	double peak, live, allocated, allocations;
};

/* What asks for it there: the innermost Python if that is not the program's own, else the innermost function. */
static const char *way(const struct table *m, size_t row)
{
	const char *python = cell_text(table_get(m, row, "python")), *where = cell_text(table_get(m, row, "where"));
	const char *by = strcmp(python, where) ? python : cell_text(table_get(m, row, "function"));

	return *python && strcmp(by, where) ? by : "";
}

/* The line; of compiled code, where one function says little, the innermost ones. Borrowed. */
static const char *where(const struct table *m, size_t row)
{
	const char *stack = cell_text(table_get(m, row, "stack")), *at = stack + strlen(stack);
	unsigned frames = 0;

	if (*cell_text(table_get(m, row, "python")))
		return cell_text(table_get(m, row, "where"));
	while (at > stack && (at[-1] != ';' || ++frames < FRAMES_SHOWN))
		at--;
	return at;
}

static int compare_names(const void *a, const void *b)
{
	const struct asker_row *x = a, *y = b;
	int order;

	if (cell_uint(x->process) != cell_uint(y->process))
		return cell_uint(x->process) < cell_uint(y->process) ? -1 : 1;
	if ((order = strcmp(x->memory, y->memory)))
		return order;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if ((order = strcmp(x->where, y->where)))
		return order;
	return strcmp(x->by, y->by);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct asker_row *x = a, *y = b;

	if (x->peak != y->peak)
		return x->peak > y->peak ? -1 : 1;
	if (x->allocated != y->allocated)
		return x->allocated > y->allocated ? -1 : 1;
	return compare_names(a, b);
}

static struct asker_row row_of(const struct table *m, size_t row)
{
	return (struct asker_row){
		.process = table_get(m, row, "process"),
		.memory = cell_text(table_get(m, row, "memory")),
		.where = where(m, row),
		.by = way(m, row),
		.device = cell_real(table_get(m, row, "device")),
		.peak = cell_real(table_get(m, row, "peak_bytes")),
		.live = cell_real(table_get(m, row, "live_bytes")),
		.allocated = cell_real(table_get(m, row, "allocated_bytes")),
		.allocations = cell_real(table_get(m, row, "allocations")),
	};
}

/* Rows by falling size; how many there are. The caller's. */
static struct asker_row *sum_rows(const struct table *m, size_t *count)
{
	struct asker_row *rows = need(calloc(m->row_count, sizeof(*rows)));
	size_t kept = 0;

	for (size_t i = 0; i < m->row_count; i++)
		rows[i] = row_of(m, i);
	qsort(rows, m->row_count, sizeof(*rows), compare_names);
	for (size_t i = 0; i < m->row_count; i++) {
		if (!kept || compare_names(&rows[kept - 1], &rows[i])) {
			rows[kept++] = rows[i];
			continue;
		}
		rows[kept - 1].peak += rows[i].peak;
		rows[kept - 1].live += rows[i].live;
		rows[kept - 1].allocated += rows[i].allocated;
		rows[kept - 1].allocations += rows[i].allocations;
	}
	qsort(rows, kept, sizeof(*rows), compare_bytes);
	*count = kept;
	return rows;
}

static void put_row(const struct text *t, struct grid *g, const struct asker_row *r)
{
	grid_row(g);
	text_whose(t, g, r->process);
	grid_text(g, r->memory, STYLE_PLAIN);
	grid_number(g, UNIT_BYTES, r->peak);
	grid_number(g, UNIT_BYTES, r->live);
	grid_number(g, UNIT_BYTES, r->allocated);
	grid_number(g, UNIT_COUNT, r->allocations);
	grid_text(g, *r->where ? r->where : "unknown", *r->where ? STYLE_PLAIN : STYLE_DIM);
	grid_text(g, r->by, STYLE_DIM);
}

/* How much of the most that was live has stacks, and when that was. */
static void put_peaks(const struct text *t, const struct table *peaks)
{
	for (size_t row = 0; row < text_rows(peaks); row++) {
		char bytes[FORMAT_SIZE], at[FORMAT_SIZE], least[FORMAT_SIZE], *line;
		char *process = text_process(t, table_get(peaks, row, "process"));
		const char *memory = cell_text(table_get(peaks, row, "memory"));
		size_t size;
		FILE *f = text_open(&line, &size);

		fprintf(f, "%s, %s: most at %s, %s", process, memory,
			format_value(at, UNIT_NS, cell_real(table_get(peaks, row, "peak_ns")), t->o->unicode),
			format_value(bytes, UNIT_BYTES, cell_real(table_get(peaks, row, "peak_bytes")), t->o->unicode));
		if (table_get(peaks, row, "least_bytes")->type != CELL_NULL)
			fprintf(f, " in blocks of at least %s", format_value(least, UNIT_BYTES,
				cell_real(table_get(peaks, row, "least_bytes")), t->o->unicode));
		text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text_close(f, &line));
		free(line);
		free(process);
	}
}

void text_memory_stacks(const struct text *t)
{
	const struct table *m = report_table(t->r, "memory_stacks");
	struct asker_row *rows;
	struct grid *g;
	size_t count;

	if (!text_rows(m))
		return;
	rows = sum_rows(m, &count);
	text_heading(t, "Who asked for memory", "at peak: held when the most of its kind was live");
	g = grid_new(t->o);
	text_whose_column(t, g);
	grid_column(g, "memory", 0, 4);
	grid_column(g, "at peak", GRID_RIGHT, 0);
	grid_column(g, "live at end", GRID_RIGHT, 1);
	grid_column(g, "allocated", GRID_RIGHT, 3);
	grid_column(g, "times", GRID_RIGHT, 5);
	grid_column(g, "where", GRID_NAME | GRID_STRETCH | GRID_MIDDLE, 0);
	grid_column(g, "by way of", GRID_STRETCH | GRID_MIDDLE, 2);
	for (size_t i = 0; i < count && i < ASKERS_SHOWN; i++)
		put_row(t, g, &rows[i]);
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, count, ASKERS_SHOWN, "memory_stacks");
	put_peaks(t, report_table(t->r, "memory_stack_sums"));
	free(rows);
}

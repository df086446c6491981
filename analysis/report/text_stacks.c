/* SPDX-License-Identifier: MIT */
/* The section of the text report about who asked for memory: a line of the program, and below it by way of what. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

#define LINES_SHOWN 10
#define WAYS_SHOWN 3		/* below each */
#define WAYS_SHARE 0.1		/* of its line's bytes at the peak, at least */
#define PEAKS_SHOWN 3
#define FRAMES_SHOWN 3		/* of compiled code */
#define TEMPORARY_LEAST 100	/* blocks; fewer are not much */
#define TEMPORARY_SHARE 4	/* ... nor less than one in so many */

/* Stacks of one process and memory that lead through the same line, and the same one below it. */
struct asker_row {
	const struct cell *process;	/* all borrowed from the table */
	const char *memory, *where, *by;
	double device;
	double peak, live, allocated, allocations;
	double temporary, temporary_bytes;
};

struct asker_rows {
	struct asker_row *rows;
	size_t count;
};

typedef int compare_rows(const void *, const void *);

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

/* Of one line? */
static int compare_lines(const void *a, const void *b)
{
	const struct asker_row *x = a, *y = b;
	int order;

	if (cell_uint(x->process) != cell_uint(y->process))
		return cell_uint(x->process) < cell_uint(y->process) ? -1 : 1;
	if ((order = strcmp(x->memory, y->memory)))
		return order;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return strcmp(x->where, y->where);
}

static int compare_ways(const void *a, const void *b)
{
	const struct asker_row *x = a, *y = b;
	int order = compare_lines(a, b);

	return order ? order : strcmp(x->by, y->by);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct asker_row *x = a, *y = b;

	if (x->peak != y->peak)
		return x->peak > y->peak ? -1 : 1;
	if (x->allocated != y->allocated)
		return x->allocated > y->allocated ? -1 : 1;
	return compare_ways(a, b);
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
		.temporary = cell_real(table_get(m, row, "temporary_allocations")),
		.temporary_bytes = cell_real(table_get(m, row, "temporary_bytes")),
	};
}

/* All stacks, those of one way side by side. */
static struct asker_rows rows_of(const struct table *m)
{
	struct asker_rows all = { need(calloc(m->row_count, sizeof(*all.rows))), m->row_count };

	for (size_t i = 0; i < all.count; i++)
		all.rows[i] = row_of(m, i);
	qsort(all.rows, all.count, sizeof(*all.rows), compare_ways);
	return all;
}

/* Neighbours that compare equal become one row; the rows by falling size. */
static struct asker_rows sums_of(const struct asker_rows *all, compare_rows *compare)
{
	struct asker_rows sums = { need(calloc(all->count, sizeof(*sums.rows))), 0 };

	for (size_t i = 0; i < all->count; i++) {
		const struct asker_row *from = &all->rows[i];
		struct asker_row *sum;

		if (!i || compare(from - 1, from)) {
			sums.rows[sums.count++] = *from;
			continue;
		}
		sum = &sums.rows[sums.count - 1];
		sum->peak += from->peak;
		sum->live += from->live;
		sum->allocated += from->allocated;
		sum->allocations += from->allocations;
		sum->temporary += from->temporary;
		sum->temporary_bytes += from->temporary_bytes;
	}
	qsort(sums.rows, sums.count, sizeof(*sums.rows), compare_bytes);
	return sums;
}

static void put_numbers(struct grid *g, const struct asker_row *r)
{
	grid_number(g, UNIT_BYTES, r->peak);
	grid_number(g, UNIT_BYTES, r->live);
	grid_number(g, UNIT_BYTES, r->allocated);
	grid_number(g, UNIT_COUNT, r->allocations);
}

static void put_no_numbers(struct grid *g)
{
	for (int numbers = 4; numbers; numbers--)
		grid_text(g, "", STYLE_PLAIN);
}

static void put_line(const struct text *t, struct grid *g, const struct asker_row *line)
{
	grid_row(g);
	text_whose(t, g, line->process);
	grid_text(g, line->memory, STYLE_PLAIN);
	put_numbers(g, line);
	grid_text(g, *line->where ? line->where : "unknown", *line->where ? STYLE_PLAIN : STYLE_DIM);
}

/* The numbers are not said again where it is the only way. */
static void put_way(const struct text *t, struct grid *g, const struct asker_row *way, const struct asker_row *line)
{
	char *indented;
	size_t size;
	FILE *f = text_open(&indented, &size);

	fprintf(f, "  %s", way->by);
	grid_row(g);
	for (int empty = text_several(t) ? 3 : 2; empty; empty--)	/* whose, and of what memory: as above */
		grid_text(g, "", STYLE_PLAIN);
	if (way->allocations < line->allocations)
		put_numbers(g, way);
	else
		put_no_numbers(g);
	grid_text(g, text_close(f, &indented), STYLE_DIM);
	free(indented);
}

/* The largest ways of a line. */
static void put_ways(const struct text *t, struct grid *g, const struct asker_row *line, const struct asker_rows *ways)
{
	unsigned shown = 0;

	for (size_t i = 0; i < ways->count && shown < WAYS_SHOWN; i++) {
		const struct asker_row *way = &ways->rows[i];

		if (compare_lines(line, way) || !*way->by || way->peak < WAYS_SHARE * line->peak)
			continue;
		put_way(t, g, way, line);
		shown++;
	}
}

static void put_lines(const struct text *t, const struct asker_rows *lines, const struct asker_rows *ways)
{
	struct grid *g = grid_new(t->o);

	text_whose_column(t, g);
	grid_column(g, "memory", 0, 4);
	grid_column(g, "at peak", GRID_RIGHT, 0);
	grid_column(g, "live at end", GRID_RIGHT, 1);
	grid_column(g, "allocated", GRID_RIGHT, 2);
	grid_column(g, "times", GRID_RIGHT, 3);
	grid_column(g, "where", GRID_NAME | GRID_STRETCH | GRID_MIDDLE, 0);
	for (size_t i = 0; i < lines->count && i < LINES_SHOWN; i++) {
		put_line(t, g, &lines->rows[i]);
		put_ways(t, g, &lines->rows[i], ways);
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, lines->count, LINES_SHOWN, "memory_stacks");
}

/* How much of the most that was live has stacks, and when that was. */
static void put_peak(const struct text *t, const struct table *peaks, size_t row)
{
	char bytes[FORMAT_SIZE], at[FORMAT_SIZE], least[FORMAT_SIZE], *line;
	char *process = text_process(t, table_get(peaks, row, "process"));
	size_t size;
	FILE *f = text_open(&line, &size);

	fprintf(f, "%s, %s: most at %s, %s", process, cell_text(table_get(peaks, row, "memory")),
		format_value(at, UNIT_NS, cell_real(table_get(peaks, row, "peak_ns")), t->o->unicode),
		format_value(bytes, UNIT_BYTES, cell_real(table_get(peaks, row, "peak_bytes")), t->o->unicode));
	if (table_get(peaks, row, "least_bytes")->type != CELL_NULL)
		fprintf(f, " in blocks of at least %s", format_value(least, UNIT_BYTES,
			cell_real(table_get(peaks, row, "least_bytes")), t->o->unicode));
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text_close(f, &line));
	free(line);
	free(process);
}

static void put_peaks(const struct text *t, const struct table *peaks)
{
	size_t rows = text_rows(peaks);

	for (size_t row = 0; row < rows && row < PEAKS_SHOWN; row++)
		put_peak(t, peaks, row);
	text_more(t, rows, PEAKS_SHOWN, "memory_stack_sums");
}

/* The line of this process with most of it. */
static const struct asker_row *most_temporary(const struct asker_rows *lines, uint64_t process)
{
	const struct asker_row *most = NULL;

	for (size_t i = 0; i < lines->count; i++)
		if (cell_uint(lines->rows[i].process) == process &&
		    (!most || lines->rows[i].temporary_bytes > most->temporary_bytes))
			most = &lines->rows[i];
	return most;
}

/* Is it worth a line? */
static bool is_much(double temporary, double all)
{
	return temporary * TEMPORARY_SHARE >= all;
}

static void put_temporary(const struct text *t, const struct table *sums, size_t row, const struct asker_row *most)
{
	double blocks = cell_real(table_get(sums, row, "temporary_allocations"));
	double all = cell_real(table_get(sums, row, "allocations"));
	double bytes = cell_real(table_get(sums, row, "temporary_bytes"));
	char count[3][FORMAT_SIZE], size[2][FORMAT_SIZE], *line, *process;
	size_t length;
	FILE *f;

	if (!most || blocks < TEMPORARY_LEAST ||
	    (!is_much(blocks, all) && !is_much(bytes, cell_real(table_get(sums, row, "allocated_bytes")))))
		return;
	process = text_process(t, table_get(sums, row, "process"));
	f = text_open(&line, &length);
	fprintf(f, "%s, heap: of %s blocks %s (%s) were temporary: their thread gave them back before it asked for "
		"another one; most by %s (%s, %s)", process, format_value(count[0], UNIT_COUNT, all, t->o->unicode),
		format_value(count[1], UNIT_COUNT, blocks, t->o->unicode),
		format_value(size[0], UNIT_BYTES, bytes, t->o->unicode), *most->where ? most->where : "unknown",
		format_value(count[2], UNIT_COUNT, most->temporary, t->o->unicode),
		format_value(size[1], UNIT_BYTES, most->temporary_bytes, t->o->unicode));
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text_close(f, &line));
	free(line);
	free(process);
}

static void put_all_temporary(const struct text *t, const struct table *sums, const struct asker_rows *lines)
{
	for (size_t row = 0; row < text_rows(sums); row++)
		put_temporary(t, sums, row, most_temporary(lines, cell_uint(table_get(sums, row, "process"))));
}

void text_memory_stacks(const struct text *t)
{
	const struct table *m = report_table(t->r, "memory_stacks");
	struct asker_rows all, lines, ways;

	if (!text_rows(m))
		return;
	all = rows_of(m);
	lines = sums_of(&all, compare_lines);
	ways = sums_of(&all, compare_ways);
	text_heading(t, "Who asked for memory", "at peak: when most was live; indented: by way of what");
	put_lines(t, &lines, &ways);
	put_peaks(t, report_table(t->r, "memory_stack_sums"));
	put_all_temporary(t, report_table(t->r, "memory_stack_sums"), &lines);
	free(ways.rows);
	free(lines.rows);
	free(all.rows);
}

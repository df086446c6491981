/* SPDX-License-Identifier: MIT */
/* Rows of the breakdown, and of who asked for memory, as stacks. */
#include "analysis/report/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/memory.h"

#define TIME_DEPTH 5

typedef void (*each_stack)(const struct stack *s, void *data);

/* Several traces in one graph are told apart by a number in front, as in the table `traces`. */
static char *process_frame(const struct report *r, const struct cell *process)
{
	char *name = text_clean(cell_text(report_process(r, process, "name")), true), *text;
	bool several = report_table(r, "traces") && report_table(r, "traces")->row_count > 1;
	size_t size;
	FILE *f = text_open(&text, &size);

	if (several)
		fprintf(f, "trace %.0f: ", cell_real(report_process(r, process, "trace")));
	fprintf(f, "%s (pid %.0f)", *name ? name : "unknown",
		cell_real(report_process(r, process, "pid")));
	free(name);
	return text_close(f, &text);
}

/* Which row of a table is of which process. */
struct place {
	uint64_t process;
	size_t row;
};

static int by_process(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows of processes that are shown, by process, those of one in the table's order; the caller's. */
static struct place *places_of(const struct report *r, const struct table *t, size_t *count)
{
	struct place *places = need(calloc(t ? t->row_count + 1 : 1, sizeof(*places)));

	*count = 0;
	for (size_t row = 0; t && row < t->row_count; row++) {
		const struct cell *process = table_get(t, row, "process");

		if (report_process(r, process, "process")->type != CELL_NULL)
			places[(*count)++] = (struct place){ cell_uint(process), row };
	}
	qsort(places, *count, sizeof(*places), by_process);
	return places;
}

/* Up to where places are of the same process as the one at `begin`. */
static size_t end_of_process(const struct place *places, size_t begin, size_t count)
{
	size_t end = begin;

	while (end < count && places[end].process == places[begin].process)
		end++;
	return end;
}

/* ---- time ---------------------------------------------------------------------------------- */

static char *stack_frame(const struct table *breakdown, size_t row, const char *column,
		   const char *otherwise)
{
	const char *text = cell_text(table_get(breakdown, row, column));

	return text_clean(*text ? text : otherwise, true);
}

static void each_call(const struct table *breakdown, size_t row, char *process, each_stack each, void *data)
{
	char *frames[TIME_DEPTH] = { process };
	struct stack s = {
		.whole = process, .frames = frames, .depth = TIME_DEPTH,
		.weight = cell_uint(table_get(breakdown, row, "outer_ns")),
	};

	if (!s.weight)
		return;
	frames[1] = stack_frame(breakdown, row, "framework", "no framework");
	frames[2] = stack_frame(breakdown, row, "layer", "unknown layer");
	frames[3] = stack_frame(breakdown, row, "library", "unknown library");
	frames[4] = stack_frame(breakdown, row, "function", "unknown function");
	each(&s, data);
	for (int i = 1; i < TIME_DEPTH; i++)
		free(frames[i]);
}

void stacks_of_time(const struct report *r, each_stack each, void *data)
{
	const struct table *breakdown = report_table(r, "breakdown");
	size_t count;
	struct place *places = places_of(r, breakdown, &count);

	for (size_t i = 0; i < count; ) {
		size_t end = end_of_process(places, i, count);
		char *process = process_frame(r, table_get(breakdown, places[i].row, "process"));

		for (; i < end; i++)
			each_call(breakdown, places[i].row, process, each, data);
		free(process);
	}
	free(places);
}

/* ---- memory -------------------------------------------------------------------------------- */

static char *whole_of(const char *process, const char *memory)
{
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	fprintf(f, "%s: %s", process, memory);
	return text_close(f, &text);
}

/* The frames of a folded stack behind those two. */
static void each_asker(const struct table *m, size_t row, char *process, char *memory, each_stack each, void *data)
{
	char *text = text_clean(cell_text(table_get(m, row, "stack")), true), *whole = whole_of(process, memory);
	size_t most = 4;
	char **frames;
	struct stack s = { .whole = whole, .weight = cell_uint(table_get(m, row, "peak_bytes")), .depth = 2 };

	for (const char *c = text; *c; c++)
		most += *c == ';';
	frames = need(calloc(most, sizeof(*frames)));
	frames[0] = process;
	frames[1] = memory;
	if (!*text)
		frames[s.depth++] = "unknown";
	for (char *rest = text, *frame; (frame = strsep(&rest, ";"));)
		if (*frame)
			frames[s.depth++] = frame;
	s.frames = frames;
	each(&s, data);
	free(frames);
	free(text);
	free(whole);
}

static const char *memory_of(const struct table *m, const struct place *p)
{
	return cell_text(table_get(m, p->row, "memory"));
}

/* Is none before it of the same memory? */
static bool is_first(const struct table *m, const struct place *places, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(memory_of(m, &places[i]), memory_of(m, &places[at])))
			return false;
	return true;
}

/* Rows of one process, those of one memory together. */
static void each_of_process(const struct table *m, const struct place *places, size_t count, char *name,
			    each_stack each, void *data)
{
	for (size_t first = 0; first < count; first++) {
		char *shown;

		if (!is_first(m, places, first))
			continue;
		shown = text_clean(memory_of(m, &places[first]), true);
		for (size_t i = first; i < count; i++)
			if (!strcmp(memory_of(m, &places[i]), memory_of(m, &places[first])) &&
			    cell_real(table_get(m, places[i].row, "peak_bytes")) > 0)
				each_asker(m, places[i].row, name, shown, each, data);
		free(shown);
	}
}

void stacks_of_memory(const struct report *r, each_stack each, void *data)
{
	const struct table *m = report_table(r, "memory_stacks");
	size_t count;
	struct place *places = places_of(r, m, &count);

	for (size_t i = 0, end; i < count; i = end) {
		char *name = process_frame(r, table_get(m, places[i].row, "process"));

		end = end_of_process(places, i, count);
		each_of_process(m, places + i, end - i, name, each, data);
		free(name);
	}
	free(places);
}

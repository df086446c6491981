/* SPDX-License-Identifier: MIT */
/* Rows of the breakdown, and of who asked for memory, as stacks. */
#include "analysis/report/stacks.h"

#include <stdio.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/memory.h"

#define TIME_DEPTH 5

typedef void (*each_stack)(const struct stack *s, void *data);

/* Several traces in one graph are told apart by a number in front, as in the table `traces`. */
static char *process_frame(const struct report *r, const struct table *processes, size_t row)
{
	char *name = text_clean(cell_text(table_get(processes, row, "name")), true), *text;
	bool several = report_table(r, "traces") && report_table(r, "traces")->row_count > 1;
	size_t size;
	FILE *f = text_open(&text, &size);

	if (several)
		fprintf(f, "trace %.0f: ", cell_real(table_get(processes, row, "trace")));
	fprintf(f, "%s (pid %.0f)", *name ? name : "unknown",
		cell_real(table_get(processes, row, "pid")));
	free(name);
	return text_close(f, &text);
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
	const struct table *processes = report_table(r, "processes");
	const struct table *breakdown = report_table(r, "breakdown");
	size_t rows = processes && breakdown ? processes->row_count : 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t id = cell_uint(table_get(processes, i, "process"));
		char *process = process_frame(r, processes, i);

		for (size_t row = 0; row < breakdown->row_count; row++)
			if (cell_uint(table_get(breakdown, row, "process")) == id)
				each_call(breakdown, row, process, each, data);
		free(process);
	}
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

static bool is_of(const struct table *m, size_t row, uint64_t process, const char *memory)
{
	return cell_uint(table_get(m, row, "process")) == process &&
	       (!memory || !strcmp(cell_text(table_get(m, row, "memory")), memory));
}

/* Is it the first row of its process and memory? */
static bool is_first(const struct table *m, size_t row, uint64_t process, const char *memory)
{
	for (size_t i = 0; i < row; i++)
		if (is_of(m, i, process, memory))
			return false;
	return true;
}

static void each_of_process(const struct table *m, uint64_t process, char *name, each_stack each, void *data)
{
	for (size_t first = 0; first < m->row_count; first++) {
		const char *memory = cell_text(table_get(m, first, "memory"));
		char *shown;

		if (!is_of(m, first, process, NULL) || !is_first(m, first, process, memory))
			continue;
		shown = text_clean(memory, true);
		for (size_t row = first; row < m->row_count; row++)
			if (is_of(m, row, process, memory) && cell_real(table_get(m, row, "peak_bytes")) > 0)
				each_asker(m, row, name, shown, each, data);
		free(shown);
	}
}

void stacks_of_memory(const struct report *r, each_stack each, void *data)
{
	const struct table *processes = report_table(r, "processes");
	const struct table *m = report_table(r, "memory_stacks");
	size_t rows = processes && m && m->row_count ? processes->row_count : 0;

	for (size_t i = 0; i < rows; i++) {
		char *name = process_frame(r, processes, i);

		each_of_process(m, cell_uint(table_get(processes, i, "process")), name, each, data);
		free(name);
	}
}

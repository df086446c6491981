/* SPDX-License-Identifier: MIT */
/* A section of the text report: threads, those of a kind in one line. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

/* Threads of a trace that differ only in a number are one line: "pt_autograd_#". */
struct thread_kind {
	char *kind;		/* owned */
	const char *name;	/* that all of them have, or NULL; borrowed */
	double trace, count, known, cpu, longest;	/* known: of how many of them the CPU time is */
};

static char *kind_of(const char *name, const char *routine)
{
	char *kind = strdup(*name ? name : *routine ? text_base_name(routine) : "(no name)");
	char *to = kind;

	for (const char *p = kind; kind && *p && *name; p++) {
		if (!isdigit((unsigned char)*p))
			*to++ = *p;
		else if (to == kind || to[-1] != '#')
			*to++ = '#';
	}
	if (kind && *name)
		*to = '\0';
	return kind;
}

static int by_cpu(const void *a, const void *b)
{
	const struct thread_kind *x = a, *y = b;

	if (x->trace != y->trace)
		return (x->trace > y->trace) - (x->trace < y->trace);
	if (x->cpu != y->cpu)
		return (x->cpu < y->cpu) - (x->cpu > y->cpu);
	return (x->count < y->count) - (x->count > y->count);
}

#define KINDS_MAX 256	/* what is beyond counts as the last one */

static size_t sum_kinds(const struct text *t, const struct table *threads, struct thread_kind *kinds)
{
	size_t count = 0;

	for (size_t row = 0; row < threads->row_count; row++) {
		const char *name = cell_text(table_get(threads, row, "name"));
		char *kind = kind_of(name, cell_text(table_get(threads, row, "routine")));
		const struct cell *cell = table_get(threads, row, "cpu_ns");
		double cpu = cell_real(cell), trace = text_trace(t->r, table_get(threads, row, "process"));
		size_t i = 0;

		while (kind && i < count && (kinds[i].trace != trace || strcmp(kinds[i].kind, kind)))
			i++;
		if (i == count && count < KINDS_MAX) {
			kinds[count++] = (struct thread_kind){ kind, name, trace, 0, 0, 0, 0 };
			kind = NULL;
		}
		free(kind);
		i = i < count ? i : count - 1;
		if (kinds[i].name && strcmp(kinds[i].name, name))
			kinds[i].name = NULL;
		kinds[i].count++;
		kinds[i].known += cell->type != CELL_NULL;
		kinds[i].cpu += cpu;
		kinds[i].longest = fmax(kinds[i].longest, cpu);
	}
	return count;
}

static void put_kind(const struct text *t, struct grid *g, const struct thread_kind *k)
{
	struct cell cpu = { .type = k->known > 0 ? CELL_REAL : CELL_NULL, .r = k->cpu }, longest = cpu;

	longest.r = k->longest;
	grid_row(g);
	text_trace_cell(t, g, k->trace);
	grid_text(g, k->name && *k->name ? k->name : k->kind, STYLE_PLAIN);
	grid_number(g, UNIT_COUNT, k->count);
	grid_cell(g, UNIT_NS, &cpu);
	grid_cell(g, UNIT_NS, &longest);
}

static void put_threads(const struct text *t, const struct thread_kind *kinds, size_t count)
{
	size_t shown = 0, of_trace = 0, most = text_several(t) ? TEXT_ROWS_OF_TRACE : TEXT_ROWS;
	struct grid *g = grid_new(t->o);

	text_trace_column(t, g);
	grid_column(g, "name", GRID_STRETCH | GRID_MIDDLE, 0);
	grid_column(g, "threads", GRID_RIGHT, 0);
	grid_column(g, "CPU time", GRID_RIGHT, 0);
	grid_column(g, "busiest", GRID_RIGHT, 0);
	for (size_t i = 0; i < count; i++) {
		of_trace = i && kinds[i].trace == kinds[i - 1].trace ? of_trace + 1 : 0;
		if (of_trace >= most)
			continue;
		put_kind(t, g, &kinds[i]);
		shown++;
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, count, shown, "threads");
}

static double cpu_of_processes(const struct text *t, double trace)
{
	const struct table *p = report_table(t->r, "processes");
	double sum = 0;

	for (size_t row = 0; row < text_rows(p); row++)
		if (cell_real(table_get(p, row, "trace")) == trace)
			sum += cell_real(table_get(p, row, "cpu_ns"));
	return sum;
}

#define MISSING_LEAST 10e6	/* ns; and that part of all: less is not worth a line */
#define MISSING_PART 0.05

/* Of a process that was killed more is known than of its threads. */
static void say_missing(const struct text *t, double trace, const struct thread_kind *kinds, size_t count)
{
	char buf[FORMAT_SIZE], of[FORMAT_SIZE], whose[32] = "", text[256];
	double all = cpu_of_processes(t, trace), told = 0;

	for (size_t i = 0; i < count; i++)
		told += kinds[i].trace == trace ? kinds[i].cpu : 0;
	/* Where none was read, that is seen. */
	if (!(told > 0) || all - told < fmax(MISSING_LEAST, all * MISSING_PART))
		return;
	if (text_several(t))
		snprintf(whose, sizeof(whose), "trace %.0f: ", trace);
	snprintf(text, sizeof(text), "%s%s of the %s that all processes used are of no thread: of one whose "
		 "process was killed or lives on the last reading counts, up to half a second before.", whose,
		 format_ns(buf, all - told, t->o->unicode), format_ns(of, all, t->o->unicode));
	fputs("  ", t->out);
	text_wrapped(t, text, 2);
}

/* Of a part of the time some threads are not shown; of very many kinds the last one is of several traces. */
static void say_all_missing(const struct text *t, const struct thread_kind *kinds, size_t count)
{
	const struct table *traces = report_table(t->r, "traces");

	for (size_t row = 0; row < text_rows(traces) && count < KINDS_MAX; row++)
		if (table_get(traces, row, "from_ns")->type == CELL_NULL)
			say_missing(t, cell_real(table_get(traces, row, "trace")), kinds, count);
}

void text_threads(const struct text *t)
{
	const struct table *threads = report_table(t->r, "threads");
	struct thread_kind *kinds = need(calloc(KINDS_MAX, sizeof(*kinds)));
	size_t count = text_rows(threads) ? sum_kinds(t, threads, kinds) : 0;
	char buf[FORMAT_SIZE], remark[FORMAT_SIZE + 16];

	if (count) {
		qsort(kinds, count, sizeof(*kinds), by_cpu);
		snprintf(remark, sizeof(remark), "%s in all", format_whole(buf, (double)text_rows(threads)));
		text_heading(t, "Threads", text_several(t) ? NULL : remark);
		put_threads(t, kinds, count);
		say_all_missing(t, kinds, count);
	}
	for (size_t i = 0; i < count; i++)
		free(kinds[i].kind);
	free(kinds);
}

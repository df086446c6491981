/* SPDX-License-Identifier: MIT */
/* The sections of the text report that are tables. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

/* ---- time by function ---- */

#define NESTED_SEEN 0.005	/* of a function's time: what is less does not show */

static const char *const group_columns[] = { "trace", "framework", "layer" };

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return !strcmp(cell_text(a), cell_text(b)) && cell_real(a) == cell_real(b);
}

static bool same_group(const struct table *s, size_t a, size_t b)
{
	for (size_t i = 0; i < sizeof(group_columns) / sizeof(group_columns[0]); i++)
		if (!same_cell(table_get(s, a, group_columns[i]), table_get(s, b, group_columns[i])))
			return false;
	return true;
}

/* What the layers of functions.tbl are called by people. */
const char *text_layer(const char *layer)
{
	static const struct { const char *layer, *title; } titles[] = {
		{ "runtime", "CUDA runtime" }, { "driver", "CUDA driver" }, { "gpu", "GPU" },
		{ "nccl", "NCCL" }, { "mpi", "MPI" }, { "gloo", "Gloo" }, { "network", "network sockets" },
		{ "blas", "BLAS" }, { "dnn", "oneDNN" }, { "openmp", "OpenMP" }, { "opencl", "OpenCL" },
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i].layer, layer))
			return titles[i].title;
	return layer;
}

/* Are there calls inside of others? Their time is the outer ones', and not in the total. */
static bool any_nested(const struct table *s, size_t begin, size_t end)
{
	for (size_t row = begin; row < end; row++)
		if (cell_real(table_get(s, row, "calls")) * cell_real(table_get(s, row, "mean_ns")) >
		    cell_real(table_get(s, row, "total_ns")) * (1 + NESTED_SEEN))
			return true;
	return false;
}

static void group_heading(const struct text *t, const struct table *s, size_t row, double total)
{
	const char *framework = cell_text(table_get(s, row, "framework"));
	const char *layer = text_layer(cell_text(table_get(s, row, "layer")));
	char *title = NULL, *remark = NULL;
	char buf[FORMAT_SIZE];
	int n;

	n = asprintf(&title, "Time in %s%s%s%s", *layer ? layer : "calls", *framework ? " (" : "",
		     framework, *framework ? ")" : "");
	if (n >= 0 && text_several(t))
		n = asprintf(&remark, "trace %.0f%s%s", cell_real(table_get(s, row, "trace")),
			     text_dot(t), format_ns(buf, total, t->o->unicode));
	else if (n >= 0)
		n = asprintf(&remark, "%s %s", format_ns(buf, total, t->o->unicode),
			     strcmp(cell_text(table_get(s, row, "layer")), "gpu") ?
			     "in all threads" : "on all streams, side by side too");
	if (n >= 0)
		text_heading(t, title, remark);
	free(title);
	free(remark);
}

static const struct {
	const char *column, *title;
	enum unit unit;
	int optional;
	bool if_any;		/* only where a row of the group has some */
} share_numbers[] = {
	{ "share", "share", UNIT_FRACTION, 0, false },
	{ "calls", "calls", UNIT_COUNT, 0, false },
	{ "total_ns", "total", UNIT_NS, 0, false },
	{ "mean_ns", "mean", UNIT_NS, 2, false },
	{ "p99_ns", "p99", UNIT_NS, 3, false },
	{ "bytes", "bytes", UNIT_BYTES, 5, true },
	{ "failed", "failed", UNIT_COUNT, 4, true },
};

#define SHARE_NUMBERS (sizeof(share_numbers) / sizeof(share_numbers[0]))

static double largest_of(const struct table *s, size_t begin, size_t end, const char *column)
{
	double largest = 0;

	for (size_t row = begin; row < end; row++)
		largest = fmax(largest, cell_real(table_get(s, row, column)));
	return largest;
}

static void put_shares(const struct text *t, const struct table *s, size_t begin, size_t end, bool nested)
{
	bool kernels = !strcmp(cell_text(table_get(s, begin, "layer")), "gpu");
	/* Kernels' names are long. */
	int bar = kernels ? 10 : t->o->width >= 120 ? 32 : t->o->width >= 100 ? 24 : 10;
	double largest = largest_of(s, begin, end, "share");
	struct grid *g = grid_new(t->o);
	bool shown[SHARE_NUMBERS];

	grid_column(g, "function", GRID_STRETCH | GRID_MIDDLE | GRID_NAME, 0);
	grid_column(g, "", 0, 1);
	for (size_t i = 0; i < SHARE_NUMBERS; i++) {
		shown[i] = !share_numbers[i].if_any ||
			   largest_of(s, begin, end, share_numbers[i].column) > 0;
		if (shown[i])
			grid_column(g, nested && !strcmp(share_numbers[i].column, "total_ns") ? "outermost" :
				    share_numbers[i].title, GRID_RIGHT, share_numbers[i].optional);
	}
	for (size_t row = begin; row < end; row++) {
		const char *function = cell_text(table_get(s, row, "function"));
		enum style style = strcmp(function, "other") ? STYLE_PLAIN : STYLE_DIM;
		double share = cell_real(table_get(s, row, "share"));

		grid_row(g);
		if (kernels)
			text_kernel_name(t, g, function, style);
		else
			grid_text(g, function, style);
		grid_bar(g, largest > 0 ? share / largest : 0, bar, STYLE_BAR);
		for (size_t i = 0; i < SHARE_NUMBERS; i++)
			if (shown[i])
				grid_cell(g, share_numbers[i].unit,
					  table_get(s, row, share_numbers[i].column));
	}
	grid_print(g, t->out, 2);
	grid_free(g);
}

static size_t put_share_group(const struct text *t, const struct table *s, size_t begin)
{
	double total = 0;
	size_t end = begin;
	bool nested;

	for (; end < s->row_count && same_group(s, begin, end); end++)
		total += cell_real(table_get(s, end, "total_ns"));
	nested = any_nested(s, begin, end);
	group_heading(t, s, begin, total);
	put_shares(t, s, begin, end, nested);
	if (nested)
		fputs("  outermost: without calls that ran inside of others; calls and mean are of all\n", t->out);
	return end;
}

void text_functions(const struct text *t)
{
	const struct table *s = report_table(t->r, "shares");

	for (size_t row = 0; row < text_rows(s); )
		row = put_share_group(t, s, row);
}

/* ---- time by layer and library: self time, so that nothing is counted twice ---- */

struct part {
	const char *layer, *library;	/* borrowed from the table */
	double trace, self, calls, share;
};

static int by_self(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->trace != y->trace)
		return (x->trace > y->trace) - (x->trace < y->trace);
	return (x->self < y->self) - (x->self > y->self);
}

/* Rows of one process stand together. */
static double trace_of_row(const struct text *t, const struct table *of, size_t row, double last)
{
	const struct cell *process = table_get(of, row, "process");

	if (row && cell_uint(process) == cell_uint(table_get(of, row - 1, "process")))
		return last;
	return text_trace(t->r, process);
}

static struct part *sum_parts(const struct text *t, const struct table *b, size_t *count)
{
	struct part *parts = need(calloc(b->row_count + 1, sizeof(*parts)));
	double trace = 0;

	*count = 0;
	for (size_t row = 0; row < b->row_count; row++) {
		const char *layer = cell_text(table_get(b, row, "layer"));
		const char *library = text_base_name(cell_text(table_get(b, row, "library")));
		size_t i = 0;

		trace = trace_of_row(t, b, row, trace);
		/* The GPU's own time runs beside the calls, whoever asked for it. */
		if (!strcmp(layer, "gpu"))
			continue;
		while (i < *count && (parts[i].trace != trace || strcmp(parts[i].layer, layer) ||
				      strcmp(parts[i].library, library)))
			i++;
		if (i == *count)
			parts[(*count)++] = (struct part){ layer, library, trace, 0, 0, 0 };
		parts[i].self += cell_real(table_get(b, row, "self_ns"));
		parts[i].calls += cell_real(table_get(b, row, "calls"));
	}
	return parts;
}

/* Of all of the trace's. */
static void set_shares(struct part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double total = 0;

		for (size_t k = 0; k < count; k++)
			total += parts[k].trace == parts[i].trace ? parts[k].self : 0;
		parts[i].share = total > 0 ? parts[i].self / total : 0;
	}
}

#define PARTS_SHOWN 10
#define OF_A_TRACE 4	/* where there are several */

static void put_library(const struct text *t, struct grid *g, const struct part *part)
{
	grid_row(g);
	text_trace_cell(t, g, part->trace);
	grid_text(g, *part->library ? part->library : "(unknown)", STYLE_PLAIN);
	grid_text(g, text_layer(part->layer), STYLE_PLAIN);
	grid_number(g, UNIT_FRACTION, part->share);
	grid_number(g, UNIT_COUNT, part->calls);
	grid_number(g, UNIT_NS, part->self);
}

void text_libraries(const struct text *t)
{
	const struct table *b = report_table(t->r, "breakdown");
	size_t count, shown = 0, of_trace = 0, most = text_several(t) ? OF_A_TRACE : PARTS_SHOWN;
	struct part *parts;
	struct grid *g;

	if (!text_rows(b))
		return;
	parts = sum_parts(t, b, &count);
	set_shares(parts, count);
	qsort(parts, count, sizeof(*parts), by_self);
	g = grid_new(t->o);
	text_trace_column(t, g);
	grid_column(g, "library", GRID_STRETCH | GRID_MIDDLE, 0);
	grid_column(g, "layer", GRID_STRETCH, 0);
	grid_column(g, "share", GRID_RIGHT, 0);
	grid_column(g, "calls", GRID_RIGHT, 1);
	grid_column(g, "time", GRID_RIGHT, 0);
	for (size_t i = 0; i < count; i++) {
		of_trace = i && parts[i].trace == parts[i - 1].trace ? of_trace + 1 : 0;
		if (of_trace >= most || parts[i].self <= 0)
			continue;
		put_library(t, g, &parts[i]);
		shown++;
	}
	if (shown) {
		text_heading(t, "Time by calling library", "nested calls counted once, where they ran");
		grid_print(g, t->out, 2);
	}
	grid_free(g);
	free(parts);
}

/* ---- processes, threads, heap ---- */

#define ROWS_SHOWN 12

void text_more(const struct text *t, size_t rows, size_t shown, const char *table)
{
	char buf[FORMAT_SIZE];

	if (rows <= shown)
		return;
	style_begin(t->out, t->o, STYLE_DIM);
	fprintf(t->out, "  and %s more (--table %s)", format_whole(buf, (double)(rows - shown)),
		table);
	style_end(t->out, t->o, STYLE_DIM);
	fputc('\n', t->out);
}

bool text_any(const struct table *t, const char *column)
{
	for (size_t row = 0; row < text_rows(t); row++)
		if (table_get(t, row, column)->type != CELL_NULL)
			return true;
	return false;
}

static void put_process(const struct text *t, struct grid *g, const struct table *p, size_t row)
{
	const struct cell *begin = table_get(p, row, "begin_ns"), *end = table_get(p, row, "end_ns");
	const struct cell *exit_cell = table_get(p, row, "exit");
	char *ending = text_exit(exit_cell), *command = text_command(table_get(p, row, "command"));
	bool bad = ending && strcmp(ending, "exit 0");

	grid_row(g);
	text_trace_cell(t, g, cell_real(table_get(p, row, "trace")));
	grid_cell(g, UNIT_ID, table_get(p, row, "pid"));
	grid_cell(g, UNIT_TEXT, table_get(p, row, "name"));
	if (text_any(p, "rank"))
		grid_cell(g, UNIT_ID, table_get(p, row, "rank"));
	if (begin->type != CELL_NULL && end->type != CELL_NULL)
		grid_number(g, UNIT_NS, cell_real(end) - cell_real(begin));
	else
		grid_text(g, "", STYLE_PLAIN);
	grid_text(g, ending ? ending : "?", bad ? STYLE_PROBLEM : STYLE_PLAIN);
	grid_cell(g, UNIT_COUNT, table_get(p, row, "threads_peak"));
	grid_cell(g, UNIT_BYTES, table_get(p, row, "rss_peak_bytes"));
	grid_cell(g, UNIT_BYTES, table_get(p, row, "heap_peak_bytes"));
	grid_text(g, command, STYLE_DIM);
	free(ending);
	free(command);
}

void text_processes(const struct text *t)
{
	const struct table *p = report_table(t->r, "processes");
	struct grid *g;

	if (!text_rows(p))
		return;
	text_heading(t, "Processes", NULL);
	g = grid_new(t->o);
	text_trace_column(t, g);
	grid_column(g, "pid", GRID_RIGHT, 0);
	grid_column(g, "name", GRID_STRETCH, 0);
	if (text_any(p, "rank"))
		grid_column(g, "rank", GRID_RIGHT, 0);
	grid_column(g, "lived", GRID_RIGHT, 1);
	grid_column(g, "end", 0, 0);
	grid_column(g, "threads", GRID_RIGHT, 3);
	grid_column(g, "memory peak", GRID_RIGHT, 0);
	grid_column(g, "heap peak", GRID_RIGHT, 2);
	grid_column(g, "command", GRID_STRETCH, 4);
	for (size_t row = 0; row < text_rows(p) && row < ROWS_SHOWN; row++)
		put_process(t, g, p, row);
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, text_rows(p), ROWS_SHOWN, "processes");
}

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
	double trace = 0;

	for (size_t row = 0; row < threads->row_count; row++) {
		const char *name = cell_text(table_get(threads, row, "name"));
		char *kind = kind_of(name, cell_text(table_get(threads, row, "routine")));
		const struct cell *cell = table_get(threads, row, "cpu_ns");
		double cpu = cell_real(cell);
		size_t i = 0;

		trace = trace_of_row(t, threads, row, trace);
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
	size_t shown = 0, of_trace = 0, most = text_several(t) ? OF_A_TRACE : ROWS_SHOWN;
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

char *text_process(const struct text *t, const struct cell *id)
{
	const struct table *p = report_table(t->r, "processes");
	char *text = NULL;

	for (size_t row = 0; row < text_rows(p) && !text; row++)
		if (cell_uint(table_get(p, row, "process")) == cell_uint(id) &&
		    asprintf(&text, "%s (%.0f)", cell_text(table_get(p, row, "name")),
			     cell_real(table_get(p, row, "pid"))) < 0)
			text = NULL;
	return text ? text : strdup("?");
}

void text_trace_column(const struct text *t, struct grid *g)
{
	if (text_several(t))
		grid_column(g, "trace", GRID_RIGHT, 0);
}

void text_trace_cell(const struct text *t, struct grid *g, double trace)
{
	if (text_several(t))
		grid_number(g, UNIT_ID, trace);
}

void text_whose_column(const struct text *t, struct grid *g)
{
	text_trace_column(t, g);
	grid_column(g, "process", GRID_STRETCH | GRID_DISTINCT, 0);
}

void text_whose(const struct text *t, struct grid *g, const struct cell *id)
{
	text_trace_cell(t, g, text_trace(t->r, id));
	text_process_name(t, g, id);
}

void text_process_name(const struct text *t, struct grid *g, const struct cell *id)
{
	char *text = text_process(t, id);

	grid_text(g, text, STYLE_PLAIN);
	free(text);
}

void text_heap(const struct text *t)
{
	static const struct { const char *column, *title; enum unit unit; int optional; } shown[] = {
		{ "allocations", "allocations", UNIT_COUNT, 0 },
		{ "frees", "frees", UNIT_COUNT, 1 },
		{ "allocated_bytes", "allocated", UNIT_BYTES, 2 },
		{ "peak_bytes", "peak", UNIT_BYTES, 0 },
		{ "peak_error_bytes", "error", UNIT_BYTES, 3 },
		{ "live_bytes", "live at end", UNIT_BYTES, 0 },
	};
	const size_t count = sizeof(shown) / sizeof(shown[0]);
	const struct table *h = report_table(t->r, "heap");
	struct grid *g;

	if (!text_rows(h))
		return;
	text_heading(t, "Heap", "usable bytes, counted at every call");
	g = grid_new(t->o);
	text_whose_column(t, g);
	for (size_t i = 0; i < count; i++)
		grid_column(g, shown[i].title, GRID_RIGHT, shown[i].optional);
	for (size_t row = 0; row < text_rows(h) && row < ROWS_SHOWN; row++) {
		grid_row(g);
		text_whose(t, g, table_get(h, row, "process"));
		for (size_t i = 0; i < count; i++)
			grid_cell(g, shown[i].unit, table_get(h, row, shown[i].column));
	}
	grid_print(g, t->out, 2);
	grid_free(g);
	text_more(t, text_rows(h), ROWS_SHOWN, "heap");
}

/* SPDX-License-Identifier: MIT */
/* What a refresh looks like, in lines: for a terminal, and as plain text. */
#include "analysis/live/live.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

#define PLAIN_ROWS	20	/* of a table, where no screen limits them */
#define CALLS_SHOWN	5
#define SPARK		24	/* columns of a sparkline */

/* ---- lines ---- */

/* text: clean; cut at the width, without the blanks at its end. */
static void add_line(struct live_lines *l, const struct live_view *v, enum style style, const char *text)
{
	char *copy = need(strdup(text));

	copy[text_fit(copy, v->width)] = '\0';
	for (size_t n = strlen(copy); n && copy[n - 1] == ' '; n--)
		copy[n - 1] = '\0';
	l->list = xgrow(l->list, l->count, &l->capacity, sizeof(*l->list));
	l->list[l->count++] = (struct live_line){ .text = copy, .style = style };
}

static void __attribute__((format(printf, 4, 5)))
line(struct live_lines *l, const struct live_view *v, enum style style, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		need(NULL);
	va_end(args);
	add_line(l, v, style, text);
	free(text);
}

void live_lines_release(struct live_lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->list[i].text);
	free(l->list);
	*l = (struct live_lines){ .count = 0 };
}

/* ---- cells ---- */

/* Right-aligned, or cut and filled; width below 0: left. */
static void put(FILE *f, const char *clean, int width)
{
	int room = width < 0 ? -width : width;
	size_t bytes = text_fit(clean, room);
	char *cut = need(strndup(clean, bytes));
	int fill = room - text_width(cut);

	fprintf(f, "%*s%s%*s ", width > 0 ? fill : 0, "", cut, width < 0 ? fill : 0, "");
	free(cut);
}

static void put_bytes(FILE *f, double bytes, bool known, int width)
{
	char buf[FORMAT_SIZE];

	put(f, known ? format_bytes(buf, bytes) : "-", width);
}

static void put_count(FILE *f, double n, int width)
{
	char buf[FORMAT_SIZE];

	put(f, n ? format_whole(buf, n) : "-", width);
}

static void put_percent(FILE *f, double fraction, int width)
{
	char buf[FORMAT_SIZE];

	snprintf(buf, sizeof(buf), "%.1f", fraction * 100);
	put(f, buf, width);
}

static char *spark(const double *values, size_t count, bool unicode)
{
	static const char *const marks[2][8] = {
		{ "_", ".", "-", "=", "+", "*", "%", "#" }, { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
	};
	double max = 0;
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);
	size_t shown = count < SPARK ? count : SPARK;

	for (size_t i = count - shown; i < count; i++)
		max = values[i] > max ? values[i] : max;
	for (size_t i = count - shown; i < count; i++) {
		int level = max > 0 ? (int)(values[i] / max * 7.999) : 0;

		fputs(marks[unicode][level < 0 ? 0 : level > 7 ? 7 : level], f);
	}
	return text_close(f, &text);
}

/* ---- the head ---- */

static void clock_text(char *text, size_t size, uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	snprintf(text, size, "%u:%02u:%02u", (unsigned)(s / 3600), (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}

static void draw_title(struct live_lines *l, const struct live_watch *w, const struct live_view *v)
{
	char *command = text_clean(*w->command ? w->command : "(command not known)", v->unicode);
	char *host = text_clean(w->host, v->unicode);
	char elapsed[32] = "", events[FORMAT_SIZE], tail[400];
	int room;

	if (w->began && w->now > w->began)
		clock_text(elapsed, sizeof(elapsed), w->now - w->began);
	snprintf(tail, sizeof(tail), "  %s%s%.15s%s%.60s%s", elapsed, *elapsed ? "  " : "", w->level,
		 *w->level ? "  " : "", host, v->paused ? "  PAUSED" : "");
	room = v->width - text_width(tail);
	if (room > 10)
		command[text_fit(command, room)] = '\0';
	line(l, v, STYLE_BOLD, "%s%s", command, tail);
	line(l, v, STYLE_PLAIN, "%zu process%s, %zu ended   %s events/s   lost: told at the end%s%s", w->alive,
	     w->alive == 1 ? "" : "es", w->ended, format_whole(events, w->events_rate),
	     w->foreign ? "   some are of another version of dltrace" : "",
	     w->refused ? "   some may not be read (permission denied)" : "");
	free(command);
	free(host);
}

static const struct live_process *iterating(const struct live_watch *w, uint64_t *period)
{
	const struct live_process *best = NULL;

	for (size_t i = 0; i < w->count; i++) {
		uint64_t found = w->list[i]->ended ? 0 : period_find(&w->list[i]->period);

		if (found && (!best || w->list[i]->cores > best->cores)) {
			best = w->list[i];
			*period = found;
		}
	}
	return best;
}

static void draw_machine(struct live_lines *l, const struct live_watch *w, const struct live_view *v)
{
	const struct live_machine *m = &w->machine;
	char used[FORMAT_SIZE], all[FORMAT_SIZE], heap[FORMAT_SIZE], gpu[FORMAT_SIZE], time[FORMAT_SIZE];
	uint64_t taken = m->memory > m->available ? m->memory - m->available : 0, period = 0;
	const struct live_process *p = iterating(w, &period);
	char *curve = spark(w->heap_history, w->history, v->unicode);

	line(l, v, STYLE_PLAIN, "machine: CPU %.1f %% of %u cores, RAM %s of %s (%.0f %%)", m->cpu * 100, m->cpus,
	     format_bytes(used, (double)taken), format_bytes(all, (double)m->memory),
	     m->memory ? (double)taken * 100 / (double)m->memory : 0);
	line(l, v, STYLE_BAR, "heap  %s %s", curve, format_bytes(heap, (double)w->heap));
	free(curve);
	if (w->gpu) {
		curve = spark(w->gpu_history, w->history, v->unicode);
		line(l, v, STYLE_BAR, "GPU   %s %s", curve, format_bytes(gpu, (double)w->gpu));
		free(curve);
	}
	if (p)
		line(l, v, STYLE_GOOD, "iteration %s (process %d, by its heap)",
		     format_ns(time, (double)period, v->unicode), (int)p->pid);
	else
		line(l, v, STYLE_DIM, "iteration: not found (those of %s and more are, by the heap)",
		     format_ns(time, (double)PERIOD_LEAST, v->unicode));
}

/* ---- processes ---- */

static double key_of(const struct live_process *p, enum live_order order)
{
	switch (order) {
	case ORDER_CPU:
		return p->cores;
	case ORDER_RSS:
		return (double)p->rss;
	case ORDER_HEAP:
		return p->heap_known ? (double)p->heap : 0;
	case ORDER_GPU:
		return (double)p->gpu;
	case ORDER_THREADS:
		return p->threads;
	default:
		return 0;
	}
}

/* In the order that is asked for; equal ones by the tree. The caller's. */
static const struct live_process **ordered(const struct live_watch *w, const struct live_view *v)
{
	const struct live_process **list = xcalloc(w->count + 1, sizeof(*list));

	for (size_t i = 0; i < w->count; i++) {
		size_t at = i;

		while (at && v->order != ORDER_TREE && key_of(list[at - 1], v->order) < key_of(w->list[i], v->order)) {
			list[at] = list[at - 1];
			at--;
		}
		list[at] = w->list[i];
	}
	return list;
}

void live_move(const struct live_watch *w, struct live_view *v, int step)
{
	const struct live_process **list = ordered(w, v);
	size_t at = 0;

	while (at < w->count && list[at]->pid != v->cursor)
		at++;
	if (at == w->count)
		at = 0;
	else if (step > 0 && at + 1 < w->count)
		at++;
	else if (step < 0 && at)
		at--;
	v->cursor = w->count ? list[at]->pid : 0;
	free(list);
}

struct columns {
	bool rank, gpu, rates;
};

static struct columns columns_of(const struct live_watch *w, const struct live_view *v)
{
	struct columns c = { .rates = v->width >= 100 };

	for (size_t i = 0; i < w->count; i++) {
		c.rank |= w->list[i]->rank >= 0;
		c.gpu |= w->list[i]->gpu != 0;
	}
	return c;
}

static void draw_process_titles(struct live_lines *l, const struct live_view *v, const struct columns *c)
{
	static const char *const orders[] = { "tree", "CPU", "RSS", "heap", "GPU memory", "threads" };
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	put(f, "PID", 7);
	if (c->rank)
		put(f, "RANK", 4);
	put(f, "THR", 4);
	put(f, "CPU %", 6);
	put(f, "RSS", 9);
	put(f, "HEAP", 9);
	put(f, "PEAK", 9);
	if (c->gpu)
		put(f, "GPU", 9);
	if (c->rates) {
		put(f, "ALLOC/S", 10);
		put(f, "EVENTS/S", 9);
	}
	fprintf(f, "PROCESS (by %s)", orders[v->order]);
	text_close(f, &text);
	line(l, v, STYLE_BOLD, "%s", text);
	free(text);
}

static const char *end_of(const struct live_process *p, char *text, size_t size)
{
	if (p->broken)
		return ": its black box is broken";
	if (p->state == DLT_BOX_EXITING)
		snprintf(text, size, ": exit %d", p->exit_code);
	else if (p->state == DLT_BOX_SIGNAL)
		snprintf(text, size, ": signal %d", p->exit_code);
	else if (p->state == DLT_BOX_EXEC)
		return ": runs another program";
	else
		return ": killed";
	return text;
}

static void put_name(FILE *f, const struct live_process *p, const struct live_view *v)
{
	int depth = v->order == ORDER_TREE && p->depth < 8 ? p->depth : 0;
	char *name = text_clean(*p->name ? p->name : "?", v->unicode);
	char end[32];

	fprintf(f, "%*s%s%s%s%s", depth ? 2 * (depth - 1) : 0, "", !depth ? "" : v->unicode ? "└ " : "` ",
		p->pid == v->picked ? "*" : "", name, *p->framework ? "  " : "");
	fputs(p->framework, f);
	if (p->ended)
		fprintf(f, "  (ended%s)", end_of(p, end, sizeof(end)));
	free(name);
}

static void draw_process(struct live_lines *l, const struct live_view *v, const struct columns *c,
			 const struct live_process *p)
{
	char number[32], *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	snprintf(number, sizeof(number), "%d", (int)p->pid);
	put(f, number, 7);
	if (c->rank) {
		snprintf(number, sizeof(number), "%d", p->rank);
		put(f, p->rank >= 0 ? number : "-", 4);
	}
	put_count(f, p->threads, 4);
	put_percent(f, p->cores, 6);
	put_bytes(f, (double)p->rss, true, 9);
	put_bytes(f, (double)p->heap, p->heap_known, 9);
	put_bytes(f, (double)p->peak, p->heap_known, 9);
	if (c->gpu)
		put_bytes(f, (double)p->gpu, true, 9);
	if (c->rates) {
		put_count(f, p->allocations_rate, 10);
		put_count(f, p->events_rate, 9);
	}
	put_name(f, p, v);
	text_close(f, &text);
	add_line(l, v, p->ended ? STYLE_DIM : STYLE_PLAIN, text);
	l->list[l->count - 1].cursor = v->keys && p->pid == v->cursor;
	free(text);
}

/* Rows from the first one so that the cursor's is among them. */
static void draw_processes(struct live_lines *l, const struct live_watch *w, const struct live_view *v, size_t rows)
{
	const struct live_process **list = ordered(w, v);
	struct columns c = columns_of(w, v);
	size_t first = 0, at = 0;

	while (at < w->count && list[at]->pid != v->cursor)
		at++;
	if (at < w->count && at >= rows)
		first = at - rows + 1;
	draw_process_titles(l, v, &c);
	for (size_t i = first; i < w->count && i < first + rows; i++)
		draw_process(l, v, &c, list[i]);
	if (w->count > first + rows)
		line(l, v, STYLE_DIM, "        and %zu more", w->count - first - rows);
	free(list);
}

/* ---- functions ---- */

/* What the other columns leave of the line. */
static int name_width(const struct live_view *v)
{
	int width = v->width - 58;

	return width < 16 ? 16 : width > 36 ? 36 : width;
}

struct function_row {
	unsigned function;
	uint64_t calls, time, recent_calls, recent_time;	/* recent: since the last refresh */
};

static void gather(struct function_row *rows, const struct live_watch *w, pid_t picked)
{
	for (unsigned f = 0; f < DLT_FNS; f++)
		rows[f] = (struct function_row){
			f, picked ? 0 : w->past[f].calls, picked ? 0 : w->past[f].time, 0, 0,
		};
	for (size_t i = 0; i < w->count; i++) {
		const struct live_process *p = w->list[i];

		for (unsigned f = 1; p->now && (!picked || p->pid == picked) && f < DLT_FNS; f++) {
			rows[f].calls += p->now[f].calls;
			rows[f].time += p->now[f].time;
			rows[f].recent_calls += p->now[f].calls - p->before[f].calls;
			rows[f].recent_time += p->now[f].time - p->before[f].time;
		}
	}
}

static enum live_function_order function_order;

static uint64_t function_key(const struct function_row *r)
{
	return function_order == FUNCTIONS_RATE ? r->recent_calls :
	       function_order == FUNCTIONS_TOTAL ? r->time : r->recent_time;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function_row *x = a, *y = b;

	if (function_key(x) != function_key(y))
		return function_key(x) < function_key(y) ? 1 : -1;
	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

/* The denominator of a share: its layer's time, now or in all. */
static uint64_t layer_time(const struct function_row *rows, const char *layer, bool recent)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < DLT_FNS; i++)
		if (rows[i].function && !strcmp(dlt_functions[rows[i].function].layer, layer))
			sum += recent ? rows[i].recent_time : rows[i].time;
	return sum;
}

static void draw_function(struct live_lines *l, const struct live_view *v, const struct function_row *rows,
			  const struct function_row *r, double seconds)
{
	const struct dlt_function *fn = &dlt_functions[r->function];
	uint64_t recent = layer_time(rows, fn->layer, true), all = layer_time(rows, fn->layer, false);
	char buf[FORMAT_SIZE], *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	put(f, fn->name, -name_width(v));
	put(f, text_layer(fn->layer), -12);
	put_count(f, seconds > 0 ? (double)r->recent_calls / seconds : 0, 9);
	put_percent(f, recent ? (double)r->recent_time / (double)recent : 0, 6);
	put_count(f, (double)r->calls, 10);
	put_percent(f, all ? (double)r->time / (double)all : 0, 6);
	put(f, format_ns(buf, (double)r->time, v->unicode), 8);
	text_close(f, &text);
	add_line(l, v, STYLE_PLAIN, text);
	free(text);
}

static void draw_functions(struct live_lines *l, const struct live_watch *w, const struct live_view *v, size_t most)
{
	static const char *const orders[] = { "share now", "calls/s", "time" };
	struct function_row *rows = xcalloc(DLT_FNS, sizeof(*rows));
	double seconds = w->before ? (double)(w->now - w->before) / 1e9 : 0;
	size_t shown = 0;
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	put(f, "FUNCTION", -name_width(v));
	put(f, "LAYER", -12);
	put(f, "CALLS/S", 9);
	put(f, "NOW %", 6);
	put(f, "CALLS", 10);
	put(f, "ALL %", 6);
	put(f, "TIME", 8);
	if (v->width >= name_width(v) + 58 + 30)
		fprintf(f, "(%% of the layer; by %s)", orders[v->function_order]);
	text_close(f, &text);
	add_line(l, v, STYLE_BOLD, text);
	free(text);
	gather(rows, w, v->picked);
	function_order = v->function_order;
	qsort(rows + 1, DLT_FNS - 1, sizeof(*rows), compare_functions);
	for (size_t i = 1; i < DLT_FNS && shown < most; i++) {
		if (!rows[i].calls)
			continue;
		draw_function(l, v, rows, &rows[i], seconds);
		shown++;
	}
	if (!shown)
		line(l, v, STYLE_DIM, "no call of CUDA, BLAS, oneDNN, OpenMP or communication so far");
	free(rows);
}

/* ---- threads, calls in flight, help ---- */

static void draw_threads(struct live_lines *l, struct live_watch *w, struct live_view *v, size_t most)
{
	struct live_process *p = NULL;
	char time[FORMAT_SIZE];

	for (size_t i = 0; i < w->count; i++)
		if (w->list[i]->pid == (v->picked ? v->picked : v->cursor))
			p = w->list[i];
	if (!p && w->count)
		p = w->list[0];
	if (!p)
		return;
	if (!v->paused)
		live_threads_read(&v->threads, p, w->now);
	line(l, v, STYLE_BOLD, "    TID S  CPU %%  THREAD           IN          (threads of %d)", (int)p->pid);
	for (size_t i = 0; i < v->threads.count && i < most; i++) {
		const struct live_thread *t = &v->threads.list[i];
		char *name = text_clean(t->name, v->unicode), *padded = NULL;

		if (asprintf(&padded, "%7u %c %6.1f  %s%*s %s %s", t->tid,
			     t->state > ' ' && t->state < 127 ? t->state : '?',
			     t->cores * 100, name, text_width(name) < 16 ? 16 - text_width(name) : 0, "",
			     t->function ? dlt_functions[t->function].name : "",
			     t->function ? format_ns(time, (double)t->lasts, v->unicode) : "") < 0)
			need(NULL);
		add_line(l, v, STYLE_PLAIN, padded);
		free(padded);
		free(name);
	}
	if (v->threads.count > most)
		line(l, v, STYLE_DIM, "        and %zu more", v->threads.count - most);
}

static void draw_calls(struct live_lines *l, const struct live_watch *w, const struct live_view *v)
{
	char time[FORMAT_SIZE], least[FORMAT_SIZE];

	if (!w->call_count)
		return;
	line(l, v, STYLE_WARNING, "in a call for over %s:", format_ns(least, (double)w->threshold, v->unicode));
	for (size_t i = 0; i < w->call_count && i < CALLS_SHOWN; i++)
		line(l, v, STYLE_WARNING, "  process %d, thread %u: %s, for %s", (int)w->calls[i].pid,
		     w->calls[i].tid, dlt_functions[w->calls[i].function].name,
		     format_ns(time, (double)w->calls[i].lasts, v->unicode));
	if (w->call_count > CALLS_SHOWN)
		line(l, v, STYLE_WARNING, "  and %zu more", w->call_count - CALLS_SHOWN);
}

static void draw_help(struct live_lines *l, const struct live_view *v)
{
	static const char *const help[] = {
		"q        leave; the recording goes on", "up down  choose a process",
		"Enter    only that process's functions and threads; again: all",
		"t f      threads of a process, or functions", "s S      sort processes, functions by the next column",
		"p Space  pause the screen", "h ?      this help",
		"", "CPU %    of one core; RSS with files and shared memory",
		"HEAP     live, counted at every call; GPU reserved by calls that were seen",
		"NOW %    of the time in outermost calls of that layer since the last refresh",
		"ALL %    the same since the beginning, of processes that have ended too",
		"in a call   who has not come back: a hang, or a wait",
	};

	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		add_line(l, v, STYLE_PLAIN, help[i]);
}

/* ---- the whole ---- */

void live_draw(struct live_lines *l, struct live_watch *w, struct live_view *v)
{
	size_t calls = w->call_count ? (w->call_count < CALLS_SHOWN ? w->call_count : CALLS_SHOWN + 1) + 1 : 0;
	size_t rest, processes;

	live_lines_release(l);
	draw_title(l, w, v);
	draw_machine(l, w, v);
	add_line(l, v, STYLE_PLAIN, "");
	/* titles, an empty line, the keys */
	rest = v->height ? (size_t)v->height : SIZE_MAX;
	rest = rest > l->count + calls + 5 ? rest - l->count - calls - 5 : 1;
	processes = v->height ? (w->count < (rest + 1) / 2 ? w->count : (rest + 1) / 2) : PLAIN_ROWS;
	draw_processes(l, w, v, processes ? processes : 1);
	add_line(l, v, STYLE_PLAIN, "");
	rest = v->height ? (rest > processes ? rest - processes : 1) : PLAIN_ROWS;
	if (v->pane == PANE_HELP)
		draw_help(l, v);
	else if (v->pane == PANE_THREADS)
		draw_threads(l, w, v, rest);
	else
		draw_functions(l, w, v, rest);
	while (v->keys && v->height && l->count + calls + 1 < (size_t)v->height)
		add_line(l, v, STYLE_PLAIN, "");
	draw_calls(l, w, v);
	if (v->keys)
		line(l, v, STYLE_DIM, "q quit  h help  arrows Enter pick  t threads  f functions  s S sort  p pause");
}

/* SPDX-License-Identifier: MIT */
/* The section of the text report that shows curves in a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/curve_view.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

struct shown_curve {
	const char *name, *title;
	bool even_if_zero;
	const char *unless;	/* left out where this one is there: it has the same shape */
};

/* Curves of the run, in this order. */
static const struct shown_curve shown_curves[] = {
	{ "threads", "threads", true, NULL },
	{ "cpu_percent", "CPU", true, NULL },
	{ "cpu_cores", "CPU cores", true, "cpu_percent" },
	{ "cpu_limit_percent", "CPU of limit", false, NULL },
	{ "rss_bytes", "memory", true, NULL },
	{ "run_ram_percent", "RAM", true, "rss_bytes" },
	{ "ram_percent", "RAM, all", false, NULL },
	{ "heap_bytes", "heap", true, NULL },
	{ "mapped_bytes", "mapped", false, NULL },
	{ "gpu_reserved_bytes", "GPU reserved", false, NULL },
	{ "pinned_bytes", "pinned", false, NULL },
	{ "gpu_percent", "GPU", true, NULL },
	{ "gpu_busy_percent", "GPU busy", true, NULL },
	{ "gpu_used_bytes", "GPU memory", true, NULL },
	{ "gpu_watts", "GPU, W", false, NULL },
	{ "cpu_watts", "CPU, W", false, NULL },
	{ "iteration_ns", "an iteration", false, NULL },
};

#define SHOWN (sizeof(shown_curves) / sizeof(shown_curves[0]))

#define CURVE_TITLE	14	/* columns */
#define CURVE_NUMBER	9
#define SPARK_MIN	10
#define SPARK_MAX	120

/* How a trace's curves share the width. */
struct spread {
	int columns;		/* of the sparkline */
	bool min, mean;		/* there is room for these beside the maximum */
};

/* Of a narrow line the numbers take too much: then the least goes, and then the mean. */
static struct spread spread_of(const struct text *t)
{
	int room = t->o->width - CURVE_TITLE - 4, number = CURVE_NUMBER + 1;
	struct spread s = {
		.min = room - 3 * number >= SPARK_MIN, .mean = room - 2 * number >= SPARK_MIN,
	};

	s.columns = room - (1 + s.mean + s.min) * number;
	s.columns = s.columns > SPARK_MAX ? SPARK_MAX : s.columns;
	return s;
}

/* Of a run or machine; machines and GPUs may have several of a name. */
static bool is_shown(const struct report *r, const struct series *s, size_t trace,
		     const struct shown_curve *c)
{
	return s->trace == trace && s->process < 0 && !strcmp(s->name, c->name) &&
	       !(c->unless && report_series(r, s->trace, -1, c->unless));
}

/*
 * "GPU 3 memory", "dram, W", "RAM, node7": of several devices or machines each by its name, which stands for the
 * title's "GPU", "CPU" or "all".
 */
static char *curve_name(const struct report *r, const struct shown_curve *c, const struct series *s)
{
	bool several = series_alike(r, s) > 1;
	char *name;
	int n;

	if (several && *s->device)
		n = asprintf(&name, "%s%s", s->device, c->title + strlen("GPU"));
	else if (several)
		n = asprintf(&name, "%.*s, %.*s", (int)strcspn(c->title, ","), c->title, (int)strcspn(s->host, "."),
			     s->host);
	else
		n = asprintf(&name, "%s", c->title);
	return need(n < 0 ? NULL : name);
}

static void put_curve_name(const struct text *t, const struct shown_curve *c, const struct series *s)
{
	char *title = curve_name(t->r, c, s), *clean = text_clean(title, t->o->unicode);

	fputs("  ", t->out);
	put_cut(t->out, t->o, clean, CURVE_TITLE, GRID_MIDDLE);
	fprintf(t->out, "%*s  ", CURVE_TITLE - (text_width(clean) < CURVE_TITLE ? text_width(clean) : CURVE_TITLE), "");
	free(clean);
	free(title);
}

static void put_curve(const struct text *t, const struct shown_curve *c, const struct series *s,
		      int64_t begin, int64_t end, const struct spread *spread)
{
	enum unit unit = format_unit(s->unit);
	struct summary sum;
	char buf[FORMAT_SIZE], *spark;

	if (!series_summary(s, &sum) || (!c->even_if_zero && sum.max <= 0))
		return;
	spark = sparkline(s, begin, end, sum.max, spread->columns, t->o->unicode);
	put_curve_name(t, c, s);
	style_begin(t->out, t->o, STYLE_BAR);
	fputs(spark, t->out);
	style_end(t->out, t->o, STYLE_BAR);
	free(spark);
	if (spread->min)
		fprintf(t->out, " %*s", CURVE_NUMBER, format_value(buf, unit, sum.min, t->o->unicode));
	if (unit == UNIT_COUNT && sum.mean >= 0.05)	/* a mean of threads has a fraction */
		snprintf(buf, sizeof(buf), sum.mean < 999.95 ? "%.1f" : "%.0f", sum.mean);
	else if (unit == UNIT_NS)	/* each lasts until the next: their mean is another one */
		*buf = '\0';
	else
		format_value(buf, unit, sum.mean, t->o->unicode);
	if (spread->mean)
		fprintf(t->out, " %*s", CURVE_NUMBER, buf);
	fprintf(t->out, " %*s\n", CURVE_NUMBER, format_value(buf, unit, sum.max, t->o->unicode));
}

/* "min mean max" above, the times below. */
static void put_curve_title(const struct text *t, size_t trace, const struct spread *spread)
{
	const struct table *traces = report_table(t->r, "traces");
	int room = CURVE_TITLE + 4 + spread->columns, left;
	char *title, *clean;

	if (text_rows(traces) < 2 ? asprintf(&title, "Over time") < 0 :
	    asprintf(&title, "Over time, trace %zu: %s", trace, cell_text(table_get(traces, trace, "name"))) < 0)
		return;
	clean = text_clean(title, t->o->unicode);
	fputc('\n', t->out);
	style_begin(t->out, t->o, STYLE_BOLD);
	put_cut(t->out, t->o, clean, room, GRID_MIDDLE);
	style_end(t->out, t->o, STYLE_BOLD);
	left = room - text_width(clean);
	free(clean);
	free(title);
	style_begin(t->out, t->o, STYLE_DIM);
	fprintf(t->out, "%*s", left > 0 ? left : 0, "");
	if (spread->min)
		fprintf(t->out, " %*s", CURVE_NUMBER, "min");
	if (spread->mean)
		fprintf(t->out, " %*s", CURVE_NUMBER, "mean");
	fprintf(t->out, " %*s", CURVE_NUMBER, "max");
	style_end(t->out, t->o, STYLE_DIM);
	fputc('\n', t->out);
}

static void put_curve_axis(const struct text *t, int64_t begin, int64_t end, int columns)
{
	char buf[FORMAT_SIZE], from[FORMAT_SIZE] = "0 s";
	int room;

	style_begin(t->out, t->o, STYLE_DIM);
	if (begin > 0)
		format_ns(from, (double)begin, t->o->unicode);
	format_ns(buf, (double)end, t->o->unicode);
	room = columns - text_width(from) - text_width(buf);
	fprintf(t->out, "  %*s  %s%*s%s", CURVE_TITLE, "", from, room > 1 ? room : 1, "", buf);
	style_end(t->out, t->o, STYLE_DIM);
	fputc('\n', t->out);
}

/* Whether there is any curve to show; the time: of a part that, else until the last point at least. */
static bool find_time(const struct report *r, size_t trace, int64_t *begin, int64_t *end)
{
	const struct table *traces = report_table(r, "traces");
	const struct cell *from = table_get(traces, trace, "from_ns");
	bool part = from->type != CELL_NULL;
	struct summary sum;
	bool any = false;

	*begin = part ? (int64_t)cell_real(from) : 0;
	*end = (int64_t)cell_real(table_get(traces, trace, part ? "to_ns" : "duration_ns"));
	for (size_t i = 0; i < SHOWN; i++) {
		for (size_t k = 0; k < r->series_count; k++) {
			if (!is_shown(r, r->series[k], trace, &shown_curves[i]) ||
			    !series_summary(r->series[k], &sum))
				continue;
			any = true;
			*end = part || *end > sum.end ? *end : sum.end;
		}
	}
	return any;
}

/* Have other processes a curve of their own, too? */
static bool have_others(const struct report *r, const struct series *s)
{
	for (size_t i = 0; i < r->series_count; i++) {
		const struct series *one = r->series[i];

		if (one->trace == s->trace && one->process >= 0 && one->process != s->of && !strcmp(one->name, s->name))
			return true;
	}
	return false;
}

/* "an iteration: of python3 (1234)" */
static void put_of_which(const struct text *t, const struct shown_curve *c, const struct series *s)
{
	const struct cell process = { .type = CELL_INT, .i = s->of };
	char *name;

	if (report_process(t->r, &process, "process")->type == CELL_NULL)
		return;
	name = text_process(t, &process);
	style_begin(t->out, t->o, STYLE_DIM);
	fprintf(t->out, "  %s: of %s\n", c->title, name);
	style_end(t->out, t->o, STYLE_DIM);
	free(name);
}

static void put_trace_curves(const struct text *t, size_t trace)
{
	const struct spread spread = spread_of(t);
	int64_t begin, end;

	if (!find_time(t->r, trace, &begin, &end) || end < begin)
		return;
	put_curve_title(t, trace, &spread);
	for (size_t i = 0; i < SHOWN; i++)
		for (size_t k = 0; k < t->r->series_count; k++)
			if (is_shown(t->r, t->r->series[k], trace, &shown_curves[i]))
				put_curve(t, &shown_curves[i], t->r->series[k], begin, end, &spread);
	text_ticks(t, trace, begin, end, CURVE_TITLE, spread.columns);
	put_curve_axis(t, begin, end, spread.columns);
	for (size_t i = 0; i < t->r->series_count; i++)
		for (size_t k = 0; k < SHOWN; k++)
			if (is_shown(t->r, t->r->series[i], trace, &shown_curves[k]) && t->r->series[i]->of >= 0 &&
			    have_others(t->r, t->r->series[i]))
				put_of_which(t, &shown_curves[k], t->r->series[i]);
}

void text_curves(const struct text *t)
{
	for (size_t i = 0; i < text_rows(report_table(t->r, "traces")); i++)
		put_trace_curves(t, i);
}

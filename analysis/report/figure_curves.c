/* SPDX-License-Identifier: MIT */
/*
 * Curves over time, in panels above each other with one time axis. One trace: a colour a curve;
 * several: a colour a trace, all from time 0 on common scales.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/canvas.h"
#include "analysis/report/curve_view.h"
#include "analysis/report/figure.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"

#define LEFT		34.0	/* room for the y axis */
#define RIGHT		8.0
#define PANEL_HEIGHT	62.0
#define PANEL_GAP	9.0
#define BOTTOM		24.0
#define PLOT_WIDTH	(FIGURE_WIDTH - LEFT - RIGHT)
#define LINES_MAX	16
#define HEADROOM	1.02	/* so that a curve does not run along the edge */

struct line {
	const struct series *series;	/* borrowed */
	char *label;			/* owned; NULL: in no legend */
	int color;
};

struct panel {
	const char *title;		/* of the y axis, without unit */
	struct line lines[LINES_MAX];
	size_t line_count;
};

static void panel_add(struct panel *p, const struct series *s, int color, const char *label)
{
	if (!s || p->line_count == LINES_MAX)
		return;
	p->lines[p->line_count++] = (struct line){
		s, label ? need(strdup(label)) : NULL, color,
	};
}

static void panel_release(struct panel *p)
{
	for (size_t i = 0; i < p->line_count; i++)
		free(p->lines[i].label);
}

static double panel_max(const struct panel *p, double *end)
{
	double max = 0;

	for (size_t i = 0; i < p->line_count; i++) {
		struct summary sum;

		if (!series_summary(p->lines[i].series, &sum))
			continue;
		max = fmax(max, sum.max);
		*end = fmax(*end, (double)sum.end);
	}
	return max;
}

static struct axis value_axis(const struct panel *p)
{
	double end = 0, max = panel_max(p, &end);
	enum unit unit = p->line_count ? format_unit(p->lines[0].series->unit) : UNIT_COUNT;

	return unit == UNIT_BYTES ? axis_bytes(max * HEADROOM, 5) :
	       unit == UNIT_PERCENT ? axis_percent(max, 5) : axis_count(max * HEADROOM, 5);
}

/* ---- one curve ---- */

struct plot {
	double y;			/* bottom of the panel */
	struct axis x, v;
};

static double plot_x(const struct plot *p, double t)
{
	return LEFT + fmin(fmax(t / p->x.hi, 0), 1) * PLOT_WIDTH;
}

static double plot_y(const struct plot *p, double v)
{
	return p->y - fmin(fmax(v / p->v.hi, 0), 1) * PANEL_HEIGHT;
}

/* Of all points that share a quarter of a point of width: first, least, largest, last. */
#define THIN 0.25

static void thin_column(cairo_t *c, const struct plot *p, const struct point *points, size_t count)
{
	size_t least = 0, largest = 0, a, b;

	for (size_t i = 1; i < count; i++) {
		least = points[i].value < points[least].value ? i : least;
		largest = points[i].value > points[largest].value ? i : largest;
	}
	a = least < largest ? least : largest;
	b = least < largest ? largest : least;
	cairo_line_to(c, plot_x(p, (double)points[0].t), plot_y(p, points[0].value));
	if (a > 0)
		cairo_line_to(c, plot_x(p, (double)points[a].t), plot_y(p, points[a].value));
	if (b > a && b > 0)
		cairo_line_to(c, plot_x(p, (double)points[b].t), plot_y(p, points[b].value));
	if (count - 1 > b)
		cairo_line_to(c, plot_x(p, (double)points[count - 1].t),
			      plot_y(p, points[count - 1].value));
}

/* Points [begin, end) are all finite; counts go in steps, the rest in straight lines. */
static void trace_path(cairo_t *c, const struct plot *p, const struct series *s, size_t begin,
		       size_t end, bool steps)
{
	for (size_t i = begin; i < end; ) {
		double x = plot_x(p, (double)s->points[i].t), before;
		size_t n = i + 1;

		while (n < end && plot_x(p, (double)s->points[n].t) < x + THIN)
			n++;
		if (steps && i > begin && cairo_has_current_point(c)) {
			cairo_get_current_point(c, &before, &before);
			cairo_line_to(c, x, before);
		}
		thin_column(c, p, s->points + i, n - i);
		i = n;
	}
}

static void draw_run(cairo_t *c, const struct plot *p, const struct series *s, size_t begin,
		     size_t end, int color, bool fill)
{
	bool steps = format_unit(s->unit) == UNIT_COUNT && strcmp(s->unit, "cores");
	double x0 = plot_x(p, (double)s->points[begin].t);
	double x1 = plot_x(p, (double)s->points[end - 1].t);

	if (x1 - x0 < THIN) {	/* one point, or all at one moment */
		canvas_color(c, color, 1);
		cairo_new_path(c);
		cairo_arc(c, x0, plot_y(p, s->points[end - 1].value), 1.4, 0, 2 * M_PI);
		cairo_fill(c);
	}
	if (fill) {
		canvas_color(c, color, 0.12);
		cairo_new_path(c);
		cairo_move_to(c, x0, p->y);
		trace_path(c, p, s, begin, end, steps);
		cairo_line_to(c, x1, p->y);
		cairo_fill(c);
	}
	canvas_color(c, color, 1);
	cairo_set_line_width(c, 0.8);
	cairo_new_path(c);
	trace_path(c, p, s, begin, end, steps);
	cairo_stroke(c);
}

/* A gap (a value that is not finite) interrupts the line. */
static void draw_series(cairo_t *c, const struct plot *p, const struct line *l, bool fill)
{
	const struct series *s = l->series;

	for (size_t i = 0; i < s->point_count; ) {
		size_t end = i;

		while (end < s->point_count && isfinite(s->points[end].value))
			end++;
		if (end > i)
			draw_run(c, p, s, i, end, l->color, fill);
		i = end + 1;
	}
}

/* ---- one panel ---- */

static void draw_grid(cairo_t *c, const struct plot *p)
{
	char buf[32];

	for (double v = 0; v <= p->v.hi * (1 + 1e-9); v += p->v.step) {
		double y = plot_y(p, v);

		canvas_color(c, CANVAS_PALE, 1);
		cairo_set_line_width(c, 0.4);
		cairo_move_to(c, LEFT, y);
		cairo_line_to(c, LEFT + PLOT_WIDTH, y);
		cairo_stroke(c);
		canvas_color(c, CANVAS_INK, 1);
		canvas_text(c, LEFT - 3.5, y + 2.3, CANVAS_TICK, ALIGN_RIGHT,
			    axis_label(&p->v, v, buf));
	}
}

static void draw_time_axis(cairo_t *c, const struct plot *p, bool labels)
{
	char buf[64];

	canvas_color(c, CANVAS_INK, 1);
	cairo_set_line_width(c, 0.6);
	cairo_move_to(c, LEFT, p->y - PANEL_HEIGHT);
	cairo_line_to(c, LEFT, p->y);
	cairo_line_to(c, LEFT + PLOT_WIDTH, p->y);
	cairo_stroke(c);
	for (double t = 0; t <= p->x.hi * (1 + 1e-9); t += p->x.step) {
		cairo_move_to(c, plot_x(p, t), p->y);
		cairo_rel_line_to(c, 0, 2.5);
		cairo_stroke(c);
		if (labels)
			canvas_text(c, plot_x(p, t), p->y + 10, CANVAS_TICK, ALIGN_CENTER,
				    axis_label(&p->x, t, buf));
	}
	if (labels) {
		snprintf(buf, sizeof(buf), "Time (%s)", p->x.unit);
		canvas_text(c, LEFT + PLOT_WIDTH / 2, p->y + 20, CANVAS_LABEL, ALIGN_CENTER, buf);
	}
}

#define TICKS_MAX	400	/* more steps than that are no ticks but a bar */
#define NUMBERS_MAX	40	/* more epochs than that have no numbers */

/* Rows of `marks` that begin an epoch or a step. */
static size_t count_ticks(const struct table *marks, const char *kind)
{
	size_t count = 0;

	for (size_t row = 0; marks && row < marks->row_count; row++)
		count += !strcmp(cell_text(table_get(marks, row, "kind")), kind);
	return count;
}

static void draw_tick(cairo_t *c, const struct plot *p, double t, double height, int color)
{
	canvas_color(c, color, 1);
	cairo_set_line_width(c, 0.5);
	cairo_move_to(c, plot_x(p, t), p->y - PANEL_HEIGHT);
	cairo_rel_line_to(c, 0, height);
	cairo_stroke(c);
}

/* Of one trace: a line through the panel for each epoch, a short tick for each step. */
static void draw_ticks(cairo_t *c, const struct plot *p, const struct table *marks, bool numbers)
{
	bool steps = count_ticks(marks, "step") <= TICKS_MAX;
	char buf[32];

	numbers &= count_ticks(marks, "epoch") <= NUMBERS_MAX;
	for (size_t row = 0; marks && row < marks->row_count; row++) {
		double t = cell_real(table_get(marks, row, "t_ns"));
		const struct cell *number = table_get(marks, row, "number");

		if (number->type == CELL_NULL || cell_real(number) < 0)
			continue;
		if (!strcmp(cell_text(table_get(marks, row, "kind")), "step")) {
			if (steps)
				draw_tick(c, p, t, 3, CANVAS_GREY);
			continue;
		}
		draw_tick(c, p, t, PANEL_HEIGHT, CANVAS_GREY);
		snprintf(buf, sizeof(buf), "%.0f", cell_real(number));
		if (numbers)
			canvas_text(c, plot_x(p, t) + 1.5, p->y - PANEL_HEIGHT + 8, CANVAS_TICK,
				    ALIGN_LEFT, buf);
	}
}

static void draw_panel(cairo_t *c, const struct panel *panel, const struct plot *p, bool labels)
{
	char title[64];
	bool any = false;
	struct summary sum;

	draw_grid(c, p);
	for (size_t i = panel->line_count; i-- > 0; ) {	/* the first one on top */
		any |= series_summary(panel->lines[i].series, &sum);
		draw_series(c, p, &panel->lines[i], panel->line_count == 1);
	}
	draw_time_axis(c, p, labels);
	canvas_color(c, CANVAS_INK, 1);
	snprintf(title, sizeof(title), *p->v.unit ? "%s (%s)" : "%s", panel->title, p->v.unit);
	canvas_text_upwards(c, 8, p->y - PANEL_HEIGHT / 2, CANVAS_LABEL, title);
	if (!any) {
		canvas_color(c, CANVAS_GREY, 1);
		canvas_text(c, LEFT + PLOT_WIDTH / 2, p->y - PANEL_HEIGHT / 2 + 2, CANVAS_LABEL,
			    ALIGN_CENTER, "no data");
	}
}

/* Labels of all lines, each label once. */
static size_t collect_legend(const struct panel *panels, size_t count, struct legend_entry *entries,
			     size_t most)
{
	size_t n = 0;

	for (size_t p = 0; p < count; p++) {
		for (size_t i = 0; i < panels[p].line_count; i++) {
			const struct line *l = &panels[p].lines[i];
			size_t e = 0;

			while (l->label && e < n && strcmp(entries[e].text, l->label))
				e++;
			if (l->label && e == n && n < most)
				entries[n++] = (struct legend_entry){ l->label, l->color };
		}
	}
	return n;
}

/* `marks`: the trace's, or NULL where there are several. */
static double draw_panels(cairo_t *c, const char *title, const struct panel *panels, size_t count,
			  const struct table *marks)
{
	struct legend_entry entries[LINES_MAX];
	size_t legend = collect_legend(panels, count, entries, LINES_MAX);
	double y = 11, end = 0;
	char *cut = canvas_cut(c, CANVAS_TITLE * 1.1, FIGURE_WIDTH - RIGHT - 4, title);

	canvas_color(c, CANVAS_INK, 1);
	canvas_bold(c, 4, y, CANVAS_TITLE, cut);
	free(cut);
	y += 6 + canvas_legend(c, LEFT, y + 4, PLOT_WIDTH, entries, legend);
	y += legend ? 2 : 0;
	for (size_t i = 0; i < count; i++)
		panel_max(&panels[i], &end);
	for (size_t i = 0; i < count; i++) {
		struct plot p = { y + PANEL_HEIGHT, axis_time(end, 6), value_axis(&panels[i]) };

		draw_panel(c, &panels[i], &p, i + 1 == count);
		draw_ticks(c, &p, marks, i == 0);
		y += PANEL_HEIGHT + (i + 1 < count ? PANEL_GAP : BOTTOM);
	}
	return y;
}

/* ---- the figures ---- */

/* Panels of figures 1 and 2 of the study; the first series of a panel that exists is shown. */
static const struct {
	const char *title, *series[3];
	const char *beside, *label, *beside_label;	/* a second curve when there is one trace */
	bool if_any;		/* only where a trace has it */
} curve_panels[] = {
	{ "Threads", { "threads" }, NULL, NULL, NULL, false },
	{ "CPU", { "cpu_percent", "cpu_cores" }, NULL, NULL, NULL, false },
	{ "RAM", { "run_ram_percent", "ram_percent", "rss_bytes" },
	  "ram_percent", "RAM: this run", "RAM: all programs", false },
	{ "GPU", { "gpu_percent" }, NULL, NULL, NULL, true },
	{ "GPU memory", { "gpu_reserved_bytes", "gpu_used_bytes" }, NULL, NULL, NULL, true },
};

#define PANELS (sizeof(curve_panels) / sizeof(curve_panels[0]))

static size_t trace_count(const struct report *r)
{
	const struct table *traces = report_table(r, "traces");

	return traces ? traces->row_count : 0;
}

static const struct series *first_series(const struct report *r, size_t trace, size_t panel)
{
	const struct series *s = NULL;

	for (size_t i = 0; i < 3 && !s && curve_panels[panel].series[i]; i++)
		s = report_series(r, (uint32_t)trace, -1, curve_panels[panel].series[i]);
	return s;
}

static void fill_one(const struct report *r, struct panel *p, size_t panel)
{
	const struct series *s = first_series(r, 0, panel), *beside = NULL;

	if (s && curve_panels[panel].beside && strcmp(s->name, curve_panels[panel].beside) &&
	    !strcmp(s->unit, "percent"))
		beside = report_series(r, 0, -1, curve_panels[panel].beside);
	panel_add(p, s, (int)panel, beside ? curve_panels[panel].label : NULL);
	panel_add(p, beside, 6, curve_panels[panel].beside_label);
}

static bool has_panel(const struct report *r, size_t traces, size_t panel)
{
	struct summary sum;

	for (size_t trace = 0; trace < traces; trace++) {
		const struct series *s = first_series(r, trace, panel);

		if (s && series_summary(s, &sum) && sum.max > 0)
			return true;
	}
	return !curve_panels[panel].if_any;
}

static void fill_several(const struct report *r, struct panel *p, size_t traces, size_t panel)
{
	for (size_t trace = 0; trace < traces; trace++) {
		char *label = figure_trace_label(r, trace);

		panel_add(p, first_series(r, trace, panel), (int)trace, label);
		free(label);
	}
}

double figure_curves(const struct report *r, cairo_t *c)
{
	struct panel panels[PANELS] = { 0 };
	size_t traces = trace_count(r), count = 0;
	char *title = traces == 1 ? figure_trace_label(r, 0) :
				    need(strdup(figure_by_name("curves")->title));
	double height;

	for (size_t i = 0; i < PANELS; i++) {
		if (!has_panel(r, traces, i))
			continue;
		panels[count].title = curve_panels[i].title;
		if (traces > 1)
			fill_several(r, &panels[count], traces, i);
		else
			fill_one(r, &panels[count], i);
		count++;
	}
	height = draw_panels(c, title, panels, count,
			     traces == 1 ? report_table(r, "marks") : NULL);
	for (size_t i = 0; i < count; i++)
		panel_release(&panels[i]);
	free(title);
	return height;
}

/* The processes whose heap was largest, at most so many beside the sum. */
#define HEAP_PROCESSES 4

static void add_processes(const struct report *r, struct panel *p, uint32_t trace)
{
	const struct table *processes = report_table(r, "processes");
	double limit = INFINITY;

	for (int i = 0; i < HEAP_PROCESSES && processes; i++) {
		size_t best = processes->row_count;
		double peak = -1;
		char *label = NULL;

		for (size_t row = 0; row < processes->row_count; row++) {
			double v = cell_real(table_get(processes, row, "heap_peak_bytes"));

			if (cell_uint(table_get(processes, row, "trace")) == trace && v < limit &&
			    v > peak && v > 0) {
				best = row;
				peak = v;
			}
		}
		if (best == processes->row_count)
			return;
		limit = peak;
		if (asprintf(&label, "%s (%.0f)", cell_text(table_get(processes, best, "name")),
			     cell_real(table_get(processes, best, "pid"))) < 0)
			return;
		panel_add(p, report_series(r, trace,
					   (int64_t)cell_uint(table_get(processes, best, "process")),
					   "heap_bytes"), 1 + i, label);
		free(label);
	}
}

double figure_heap(const struct report *r, cairo_t *c)
{
	struct panel panel = { .title = "Live heap" };
	size_t traces = trace_count(r);
	char *title = traces == 1 ? figure_trace_label(r, 0) :
				    need(strdup(figure_by_name("heap")->title));
	double height;

	for (size_t trace = 0; trace < traces; trace++) {
		const struct series *s = report_series(r, (uint32_t)trace, -1, "heap_bytes");
		char *label = traces > 1 ? figure_trace_label(r, trace) :
					   need(strdup("all processes"));

		panel_add(&panel, s, (int)trace, label);
		free(label);
	}
	if (traces == 1)
		add_processes(r, &panel, 0);
	height = draw_panels(c, title, &panel, 1, traces == 1 ? report_table(r, "marks") : NULL);
	panel_release(&panel);
	free(title);
	return height;
}

#define LIBRARIES 5	/* curves of one process; the largest */

/* Libraries by their largest value, falling; equal ones (of several processes) by order. */
static const struct series *next_library(const struct report *r, uint32_t trace, double *limit,
					 size_t *last)
{
	double largest = -1;
	size_t best = r->series_count;

	for (size_t i = 0; i < r->series_count; i++) {
		const struct series *s = r->series[i];
		struct summary sum;

		if (s->trace != trace || strcmp(s->name, "gpu_library_bytes") ||
		    !series_summary(s, &sum) || sum.max <= largest || sum.max > *limit ||
		    (sum.max >= *limit && i <= *last))
			continue;
		best = i;
		largest = sum.max;
	}
	*limit = largest;
	*last = best;
	return best < r->series_count ? r->series[best] : NULL;
}

double figure_gpu_memory(const struct report *r, cairo_t *c)
{
	struct panel panel = { .title = "Reserved" };
	size_t traces = trace_count(r);
	char *title = traces == 1 ? figure_trace_label(r, 0) :
				    need(strdup(figure_by_name("gpu-memory")->title));
	double height, limit = INFINITY;
	const struct series *s;
	size_t last = 0;

	for (size_t trace = 0; trace < traces; trace++) {
		char *label = traces > 1 ? figure_trace_label(r, trace) :
					   need(strdup("all processes"));

		panel_add(&panel, report_series(r, (uint32_t)trace, -1, "gpu_reserved_bytes"),
			  (int)trace, label);
		free(label);
	}
	for (int i = 0; traces == 1 && i < LIBRARIES && (s = next_library(r, 0, &limit, &last)); i++)
		panel_add(&panel, s, 1 + i, s->library);
	height = draw_panels(c, title, &panel, 1, traces == 1 ? report_table(r, "marks") : NULL);
	panel_release(&panel);
	free(title);
	return height;
}

/* SPDX-License-Identifier: MIT */
/*
 * The breakdown in the words that all frameworks share: a group of bars for each kind of work, a
 * bar for each group of runs, their mean with its 95 % interval. Of one trace, its kinds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/axis.h"
#include "analysis/report/figure.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

#define MARGIN		4.0
#define NAMES		46.0	/* "communicate", "synchronise" */
#define NAMES_GAP	4.0
#define BAR_THICK	5.4
#define BAR_FEW		6.6	/* where a kind has as many as this, with numbers */
#define FEW		4
#define KIND_GAP	3.6
#define NUMBER_WIDTH	29.0	/* "61.2 %" behind a bar */
#define PANEL_GAP	12.0
#define PANEL_LEAST	150.0	/* narrower ones go below */
#define SCALE_HEIGHT	21.0	/* numbers and name */
#define REACH		2.0	/* of the axis beyond the longest bar, at most, for intervals */

/* In this order, then what else there is. */
static const char *const kind_order[] = {
	"allocate", "copy", "launch", "synchronise", "initialise", "compute", "communicate", "transfer", "wait",
};

static const struct kind_panel {
	const char *quantity;	/* of the table `comparison`, before a colon and the kind */
	const char *where, *column;	/* of the table `kinds` */
	const char *title;
} kind_panels[] = {
	{ "share", "host", "share", "Share of the time in calls" },
	{ "kind", "host", "self_ns", "Time in calls, all threads" },
	{ "gpu", "gpu", "self_ns", "Time on the GPU" },
};

struct kind_bar {
	const char *kind;	/* borrowed from the report */
	uint64_t group;
	double mean, low, high;	/* an interval that is not known: NAN */
};

struct kind_bars {
	struct kind_bar *bars;	/* owned */
	size_t count;
	const char **kinds;	/* owned */
	size_t kind_count;
};

struct kind_groups {
	uint64_t *ids;		/* owned */
	char **names;		/* owned */
	size_t count;
	char *silent;		/* owned; names of others, none of whose calls are seen */
};

/* ---- reading the tables ---- */

static void add_bar(struct kind_bars *b, const struct kind_bar *bar)
{
	size_t i = 0;

	b->bars = need(realloc(b->bars, (b->count + 1) * sizeof(*b->bars)));
	b->bars[b->count++] = *bar;
	while (i < b->kind_count && strcmp(b->kinds[i], bar->kind))
		i++;
	if (i < b->kind_count)
		return;
	b->kinds = need(realloc(b->kinds, (b->kind_count + 1) * sizeof(*b->kinds)));
	b->kinds[b->kind_count++] = bar->kind;
}

static double known(const struct table *t, size_t row, const char *column)
{
	const struct cell *c = table_get(t, row, column);

	return c->type == CELL_NULL ? NAN : cell_real(c);
}

static void bars_of_comparison(const struct table *t, const struct kind_panel *p,
			       struct kind_bars *b)
{
	size_t n = strlen(p->quantity);

	for (size_t row = 0; row < t->row_count; row++) {
		const char *quantity = cell_text(table_get(t, row, "quantity"));

		if (strncmp(quantity, p->quantity, n) || quantity[n] != ':' ||
		    isnan(known(t, row, "mean")))
			continue;
		add_bar(b, &(struct kind_bar){ quantity + n + 1, cell_uint(table_get(t, row, "group")),
					       known(t, row, "mean"), known(t, row, "low"),
					       known(t, row, "high") });
	}
}

static void bars_of_kinds(const struct table *t, const struct kind_panel *p, struct kind_bars *b)
{
	for (size_t row = 0; row < t->row_count; row++)
		if (!strcmp(cell_text(table_get(t, row, "where")), p->where))
			add_bar(b, &(struct kind_bar){ cell_text(table_get(t, row, "kind")), 0,
						       cell_real(table_get(t, row, p->column)), NAN, NAN });
}

static size_t place_of(const char *kind)
{
	size_t n = sizeof(kind_order) / sizeof(kind_order[0]), i = 0;

	while (i < n && strcmp(kind_order[i], kind))
		i++;
	return i;
}

static struct kind_bars read_bars(const struct report *r, const struct kind_panel *p)
{
	const struct table *comparison = report_table(r, "comparison"), *kinds = report_table(r, "kinds");
	struct kind_bars b = { 0 };

	if (text_rows(comparison))
		bars_of_comparison(comparison, p, &b);
	else if (kinds)
		bars_of_kinds(kinds, p, &b);
	for (size_t i = 1; i < b.kind_count; i++) {	/* in order; others as they come */
		const char *kind = b.kinds[i];
		size_t k = i;

		for (; k > 0 && place_of(b.kinds[k - 1]) > place_of(kind); k--)
			b.kinds[k] = b.kinds[k - 1];
		b.kinds[k] = kind;
	}
	return b;
}

static void release_bars(struct kind_bars *b)
{
	free(b->bars);
	free(b->kinds);
}

static void add_group(struct kind_groups *g, uint64_t id, const char *name, double runs)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->ids[i] == id)
			return;
	g->ids = need(realloc(g->ids, (g->count + 1) * sizeof(*g->ids)));
	g->names = need(realloc(g->names, (g->count + 1) * sizeof(*g->names)));
	g->ids[g->count] = id;
	if ((runs > 1 ? asprintf(&g->names[g->count], "%s (%.0f runs)", name, runs) :
			asprintf(&g->names[g->count], "%s", name)) < 0)
		need(NULL);
	g->count++;
}

static const char *kind_group_name(const struct table *t, size_t row)
{
	const char *name = cell_text(table_get(t, row, "name"));

	return *name ? name : cell_text(table_get(t, row, "framework"));
}

/* Of groups that ran, and are not among those that are drawn. The caller's. */
static char *silent_groups(const struct table *t, const struct kind_groups *g)
{
	char *names;
	size_t size;
	FILE *f = text_open(&names, &size);

	for (size_t row = 0, count = 0; row < text_rows(t); row++) {
		size_t i = 0;

		while (i < g->count && g->ids[i] != cell_uint(table_get(t, row, "group")))
			i++;
		if (i == g->count && !strcmp(cell_text(table_get(t, row, "quantity")), "total") &&
		    cell_real(table_get(t, row, "runs")) > 0)
			fprintf(f, "%s%s", count++ ? "; " : "", kind_group_name(t, row));
	}
	return text_close(f, &names);
}

static struct kind_groups read_groups(const struct report *r)
{
	const struct table *t = report_table(r, "comparison");
	struct kind_groups g = { 0 };

	for (size_t row = 0; row < text_rows(t); row++) {
		const char *quantity = cell_text(table_get(t, row, "quantity"));

		if (strncmp(quantity, "share:", 6) || isnan(known(t, row, "mean")))
			continue;
		add_group(&g, cell_uint(table_get(t, row, "group")), kind_group_name(t, row),
			  cell_real(table_get(t, row, "runs")));
	}
	g.silent = silent_groups(t, &g);
	if (!g.count)
		add_group(&g, 0, "", 1);
	return g;
}

static void release_groups(struct kind_groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->names[i]);
	free(g->names);
	free(g->ids);
	free(g->silent);
}

/* ---- drawing ---- */

struct kind_layout {
	const struct kind_groups *groups;
	double x, bars;		/* where they begin; width of the scale */
	double thick, step;	/* of bars; from kind to kind */
	bool numbers;		/* there is room for them behind the bars */
	bool share;
	struct axis axis;
};

static double longest(const struct kind_bars *b)
{
	double mean = 0, high = 0;

	for (size_t i = 0; i < b->count; i++) {
		mean = fmax(mean, b->bars[i].mean);
		high = fmax(high, fmax(b->bars[i].mean, b->bars[i].high));
	}
	return fmin(high, mean * REACH);
}

static struct kind_layout lay_out_kinds(const struct kind_bars *b, const struct kind_groups *g,
					const struct canvas *c, double x, double width, bool share)
{
	struct kind_layout l = { .groups = g, .x = x + NAMES + NAMES_GAP, .share = share };
	double max = longest(b);
	int ticks;

	l.numbers = g->count <= FEW;
	l.bars = width - NAMES - NAMES_GAP - (l.numbers ? NUMBER_WIDTH : 6);
	l.thick = (l.numbers ? BAR_FEW : BAR_THICK) * c->stretch;
	l.step = fmax((double)g->count * l.thick + KIND_GAP * c->stretch, CANVAS_TICK + 1.5);
	ticks = (int)fmin(fmax(l.bars / 26, 1), 5);
	l.axis = share ? axis_percent(max * 100, ticks) : axis_duration(max, ticks);
	return l;
}

static double bar_at(const struct kind_layout *l, double value)
{
	return l->x + l->bars * fmin(fmax(value / l->axis.hi, 0), 1);
}

/* From low to high; an end beyond the scale has no cap. */
static void draw_interval(struct canvas *c, const struct kind_layout *l, double low, double high,
			  double y)
{
	double cap = l->thick * 0.28;

	canvas_line(c, bar_at(l, low), y, bar_at(l, high), y, CANVAS_INK, 0.6);
	if (low >= 0)
		canvas_line(c, bar_at(l, low), y - cap, bar_at(l, low), y + cap, CANVAS_INK, 0.6);
	if (high <= l->axis.hi)
		canvas_line(c, bar_at(l, high), y - cap, bar_at(l, high), y + cap, CANVAS_INK, 0.6);
}

static void draw_kind_bar(struct canvas *c, const struct kind_layout *l, const struct kind_bar *b,
			  size_t group, double y)
{
	double unit = l->share ? 100 : 1, mean = b->mean * unit;
	double end = bar_at(l, mean);
	char buf[FORMAT_SIZE];

	canvas_bar(c, l->x, y, end - l->x, l->thick * 0.92, (int)group);
	if (isfinite(b->low) && isfinite(b->high)) {
		draw_interval(c, l, b->low * unit, b->high * unit, y + l->thick * 0.46);
		end = fmax(end, bar_at(l, b->high * unit));
	}
	if (l->numbers)
		canvas_text(c, end + 2.5, y + l->thick * 0.46 + 2, CANVAS_TICK * 0.92, ALIGN_LEFT,
			    l->share ? format_percent(buf, mean) : format_ns(buf, mean, true));
}

static void draw_kind_scale(struct canvas *c, const struct kind_layout *l, double top, double bottom,
			    const char *title)
{
	char buf[64];
	double v;

	for (int i = 0; axis_tick(&l->axis, i, &v); i++) {
		canvas_line(c, bar_at(l, v), top, bar_at(l, v), bottom, i ? CANVAS_PALE : CANVAS_INK,
			    i ? 0.4 : 0.6);
		canvas_text(c, bar_at(l, v), bottom + 7.5, CANVAS_TICK, ALIGN_CENTER,
			    axis_label(&l->axis, v, buf));
	}
	snprintf(buf, sizeof(buf), "%s (%s)", title, l->axis.unit);
	canvas_text(c, l->x + l->bars / 2, bottom + 17, CANVAS_LABEL, ALIGN_CENTER, buf);
}

/* Returns the height. */
static double draw_kind_panel(struct canvas *c, const struct kind_bars *b,
			      const struct kind_groups *g, const struct kind_panel *p, double x,
			      double y, double width)
{
	struct kind_layout l = lay_out_kinds(b, g, c, x, width, !strcmp(p->quantity, "share"));
	double top = y, bottom = y + (double)b->kind_count * l.step + 1;

	draw_kind_scale(c, &l, top, bottom, p->title);
	for (size_t k = 0; k < b->kind_count; k++, y += l.step) {
		double used = (double)g->count * l.thick, first = y + (l.step - used) / 2;
		char *name = canvas_cut(c, CANVAS_TICK, NAMES, b->kinds[k]);

		canvas_text(c, x + NAMES, y + l.step / 2 + 2.3, CANVAS_TICK, ALIGN_RIGHT, name);
		free(name);
		for (size_t i = 0; i < b->count; i++)
			for (size_t j = 0; j < g->count; j++)
				if (g->ids[j] == b->bars[i].group && !strcmp(b->bars[i].kind, b->kinds[k]))
					draw_kind_bar(c, &l, &b->bars[i], j, first + (double)j * l.thick);
	}
	return bottom - top + SCALE_HEIGHT;
}

static double draw_kind_legend(struct canvas *c, const struct kind_groups *g, double y)
{
	struct legend_entry *entries = need(calloc(g->count, sizeof(*entries)));
	double height = 0;

	for (size_t i = 0; i < g->count; i++)
		entries[i] = (struct legend_entry){ g->names[i], (int)i, false };
	if (g->count > 1 || *g->silent)
		height = canvas_legend(c, MARGIN + NAMES + NAMES_GAP, y,
				       c->width - 2 * MARGIN - NAMES - NAMES_GAP, entries, g->count,
				       true) + 4;
	free(entries);
	return height + figure_silent(c, MARGIN + NAMES + NAMES_GAP, y + height, g->silent);
}

/* Panels from left to right, as many as there is room for, then below. */
static double draw_kind_panels(const struct report *r, struct canvas *c,
			       const struct kind_groups *g, double y)
{
	double room = c->width - 2 * MARGIN, x = MARGIN, highest = 0;
	size_t beside = (size_t)fmin(fmax((room + PANEL_GAP) / (PANEL_LEAST + PANEL_GAP), 1), 2), n = 0;
	double width = (room - (double)(beside - 1) * PANEL_GAP) / (double)beside;

	for (size_t i = 0; i < sizeof(kind_panels) / sizeof(kind_panels[0]); i++) {
		struct kind_bars b = read_bars(r, &kind_panels[i]);

		if (b.count) {
			x = MARGIN + (double)(n % beside) * (width + PANEL_GAP);
			if (n && n % beside == 0) {
				y += highest + 5;
				highest = 0;
			}
			highest = fmax(highest, draw_kind_panel(c, &b, g, &kind_panels[i], x, y, width));
			n++;
		}
		release_bars(&b);
	}
	return y + highest;
}

static bool any_interval(const struct report *r)
{
	struct kind_bars b = read_bars(r, &kind_panels[0]);
	bool any = false;

	for (size_t i = 0; i < b.count; i++)
		any |= isfinite(b.bars[i].low) && isfinite(b.bars[i].high);
	release_bars(&b);
	return any;
}

double figure_kinds(const struct report *r, struct canvas *c)
{
	char *heading = figure_heading(r, "kinds");
	double y = figure_title(c, heading);
	struct kind_groups g = read_groups(r);

	free(heading);
	if (figure_kinds_any(r)) {
		y += draw_kind_legend(c, &g, y - 2);
		y = draw_kind_panels(r, c, &g, y);
		if (any_interval(r)) {
			canvas_remark(c, c->width - MARGIN, y + 7, CANVAS_TICK, ALIGN_RIGHT,
				      "Lines: 95 % interval of the mean");
			y += 11;
		}
	} else {
		canvas_remark(c, c->width / 2, y + 20, CANVAS_LABEL, ALIGN_CENTER,
			      "no calls were recorded");
		y += 40;
	}
	release_groups(&g);
	return y;
}

bool figure_kinds_any(const struct report *r)
{
	for (size_t i = 0; i < sizeof(kind_panels) / sizeof(kind_panels[0]); i++) {
		struct kind_bars b = read_bars(r, &kind_panels[i]);
		bool any = b.count > 0;

		release_bars(&b);
		if (any)
			return true;
	}
	return false;
}

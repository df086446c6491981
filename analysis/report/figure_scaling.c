/* SPDX-License-Identifier: MIT */
/* Speed-up and communication over the number of ranks: a line for each kind of job, and the ideal one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/axis.h"
#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

#define MARGIN		4.0
#define SCALING_LEFT	26.0	/* numbers of the vertical axis, and its name */
#define SCALING_BELOW	20.0
#define SCALING_HEIGHT	96.0
#define SCALING_GAP	14.0
#define SCALING_DOT	1.6

static const struct scaling_panel {
	const char *column, *title;
	bool share;
} scaling_panels[] = {
	{ "speedup", "Speed-up", false },
	{ "communication", "Communication", true },
};
#define SCALING_PANELS (sizeof(scaling_panels) / sizeof(scaling_panels[0]))

/* Rows of `scaling` that belong together: of the same name, on as many hosts; one rank is on one of them. */
struct scaling_line {
	const char *name;	/* borrowed from the report */
	uint64_t hosts;
	char *label;		/* owned */
};

struct scaling_lines {
	struct scaling_line *list;	/* owned */
	size_t count;
	double ranks;			/* the most */
};

static bool scaling_is_of(const struct table *t, size_t row, const struct scaling_line *l)
{
	uint64_t hosts = cell_uint(table_get(t, row, "hosts"));

	return !strcmp(cell_text(table_get(t, row, "name")), l->name) &&
	       (hosts == l->hosts || cell_uint(table_get(t, row, "ranks")) == 1);
}

static void scaling_add_line(struct scaling_lines *s, const struct table *t, size_t row)
{
	struct scaling_line l = {
		.name = cell_text(table_get(t, row, "name")), .hosts = cell_uint(table_get(t, row, "hosts")),
	};

	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->list[i].name, l.name) && s->list[i].hosts == l.hosts)
			return;
	if ((l.hosts > 1 ? asprintf(&l.label, "%s%son %u hosts", l.name, *l.name ? ", " : "", (unsigned)l.hosts)
			 : asprintf(&l.label, "%s", *l.name ? l.name : "on one host")) < 0)
		need(NULL);
	s->list = need(realloc(s->list, (s->count + 1) * sizeof(*s->list)));
	s->list[s->count++] = l;
}

static struct scaling_lines scaling_read_lines(const struct table *t)
{
	struct scaling_lines s = { .ranks = 1 };

	for (size_t row = 0; row < text_rows(t); row++) {
		double ranks = cell_real(table_get(t, row, "ranks"));

		s.ranks = fmax(s.ranks, ranks);
		if (ranks > 1)
			scaling_add_line(&s, t, row);
	}
	return s;
}

static void scaling_release_lines(struct scaling_lines *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].label);
	free(s->list);
}

/* Mean of the line's jobs with so many ranks; NAN: there are none of which it is known. */
static double scaling_value_at(const struct table *t, const struct scaling_line *l, const struct scaling_panel *p,
		       double ranks)
{
	double sum = 0, count = 0;

	for (size_t row = 0; row < t->row_count; row++) {
		const struct cell *c = table_get(t, row, p->column);

		if (!scaling_is_of(t, row, l) || fabs(cell_real(table_get(t, row, "ranks")) - ranks) > 0.5 ||
		    c->type == CELL_NULL)
			continue;
		sum += cell_real(c) * (p->share ? 100 : 1);
		count++;
	}
	return count > 0 ? sum / count : NAN;
}

/* The next larger number of ranks that a job has; INFINITY: there is none. */
static double scaling_next(const struct table *t, double ranks)
{
	double next = INFINITY;

	for (size_t row = 0; row < t->row_count; row++) {
		double its = cell_real(table_get(t, row, "ranks"));

		next = its > ranks && its < next ? its : next;
	}
	return next;
}

struct scaling_place {
	double x, y, width, height, ranks;
	struct axis axis;
};

static double scaling_across(const struct scaling_place *at, double ranks)
{
	return at->x + at->width * (ranks - 1) / fmax(at->ranks - 1, 1);
}

static double scaling_up(const struct scaling_place *at, double value)
{
	return at->y + at->height * (1 - fmin(value / at->axis.hi, 1));
}

static double scaling_highest(const struct table *t, const struct scaling_lines *s, const struct scaling_panel *p)
{
	double most = p->share ? 1 : 1.2;

	for (size_t i = 0; i < s->count; i++)
		for (double ranks = scaling_next(t, 0); isfinite(ranks); ranks = scaling_next(t, ranks))
			most = fmax(most, scaling_value_at(t, &s->list[i], p, ranks));
	return p->share ? most : fmin(fmax(most * 1.3, 2), fmax(s->ranks, most));
}

static void scaling_draw_frame(struct canvas *c, const struct scaling_place *at, const struct scaling_panel *p)
{
	char buf[64];
	double v, step = ceil(at->ranks / 8);

	for (int i = 0; axis_tick(&at->axis, i, &v); i++) {
		double y = scaling_up(at, v);

		canvas_line(c, at->x, y, at->x + at->width, y, i ? CANVAS_PALE : CANVAS_INK, i ? 0.4 : 0.6);
		canvas_text(c, at->x - 3, y + 2.3, CANVAS_TICK, ALIGN_RIGHT, axis_label(&at->axis, v, buf));
	}
	for (double ranks = 1; ranks <= at->ranks; ranks += step) {
		snprintf(buf, sizeof(buf), "%.0f", ranks);
		canvas_text(c, scaling_across(at, ranks), at->y + at->height + 8, CANVAS_TICK, ALIGN_CENTER,
			    buf);
	}
	canvas_text(c, at->x + at->width / 2, at->y + at->height + 17, CANVAS_LABEL, ALIGN_CENTER, "Ranks");
	snprintf(buf, sizeof(buf), p->share ? "%s (%%)" : "%s", p->title);
	canvas_upwards(c, at->x - SCALING_LEFT + 7, at->y + at->height / 2, CANVAS_LABEL, buf);
}

/* As fast as there are ranks, as far as the panel goes. */
static void scaling_draw_ideal(struct canvas *c, const struct scaling_place *at)
{
	double end = fmin(at->ranks, at->axis.hi);

	canvas_line(c, scaling_across(at, 1), scaling_up(at, 1), scaling_across(at, end), scaling_up(at, end),
		    CANVAS_GREY, 0.8);
}

static void scaling_draw_line(struct canvas *c, const struct scaling_place *at, const struct table *t,
		      const struct scaling_line *l, const struct scaling_panel *p, int color)
{
	double last_x = NAN, last_y = NAN;

	for (double ranks = scaling_next(t, 0); isfinite(ranks); ranks = scaling_next(t, ranks)) {
		double value = scaling_value_at(t, l, p, ranks);
		double x = scaling_across(at, ranks), y = scaling_up(at, value), dot = SCALING_DOT;

		if (isnan(value))
			continue;
		if (isfinite(last_x))
			canvas_line(c, last_x, last_y, x, y, color, 1.1);
		canvas_bar(c, x - dot, y - dot, 2 * dot, 2 * dot, color);
		last_x = x;
		last_y = y;
	}
}

static double scaling_draw_legend(struct canvas *c, const struct scaling_lines *s, double y)
{
	struct legend_entry *entries = need(calloc(s->count + 1, sizeof(*entries)));
	double height;

	for (size_t i = 0; i < s->count; i++)
		entries[i] = (struct legend_entry){ s->list[i].label, (int)i, false };
	entries[s->count] = (struct legend_entry){ "ideal", CANVAS_GREY, false };
	height = canvas_legend(c, MARGIN + SCALING_LEFT, y, c->width - 2 * MARGIN - SCALING_LEFT, entries,
			       s->count + 1, false);
	free(entries);
	return height + 6;
}

double figure_scaling(const struct report *r, struct canvas *c)
{
	const struct table *t = report_table(r, "scaling");
	struct scaling_lines s = scaling_read_lines(t);
	double y = figure_title(c, "Scaling"), height = SCALING_HEIGHT * c->stretch;
	double width = (c->width - 2 * MARGIN - (SCALING_PANELS - 1) * SCALING_GAP) / SCALING_PANELS;

	if (!s.count) {
		canvas_remark(c, c->width / 2, y + 20, CANVAS_LABEL, ALIGN_CENTER,
			      "no job of several ranks was recorded");
		return y + 40;
	}
	y += scaling_draw_legend(c, &s, y - 2);
	for (size_t i = 0; i < SCALING_PANELS; i++) {
		const struct scaling_panel *p = &scaling_panels[i];
		struct scaling_place at = {
			.x = MARGIN + SCALING_LEFT + (double)i * (width + SCALING_GAP), .y = y,
			.width = width - SCALING_LEFT - 4, .height = height, .ranks = s.ranks,
		};

		at.axis = p->share ? axis_percent(scaling_highest(t, &s, p), 5) :
				     axis_real(scaling_highest(t, &s, p), 5, "");
		scaling_draw_frame(c, &at, p);
		if (!p->share)
			scaling_draw_ideal(c, &at);
		for (size_t j = 0; j < s.count; j++)
			scaling_draw_line(c, &at, t, &s.list[j], p, (int)j);
	}
	scaling_release_lines(&s);
	return y + height + SCALING_BELOW + 2;
}

bool figure_scaling_any(const struct report *r)
{
	struct scaling_lines s = scaling_read_lines(report_table(r, "scaling"));
	bool any = s.count > 0;

	scaling_release_lines(&s);
	return any;
}

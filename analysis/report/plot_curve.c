/* SPDX-License-Identifier: MIT */
/* The path of a curve: thinned to what can be seen, in steps or straight lines, with its gaps. */
#include "analysis/report/plot_curve.h"

#include <math.h>
#include <string.h>

#include "analysis/report/format.h"

double area_x(const struct area *a, double t)
{
	return a->x + fmin(fmax((t - a->t.lo) / (a->t.hi - a->t.lo), -1), 2) * a->width;
}

bool area_has(const struct area *a, double t)
{
	return t >= a->t.lo && t <= a->t.hi;
}

static double curve_x(const struct area *a, int64_t t)
{
	return area_x(a, (double)t + a->shift);
}

double area_y(const struct area *a, double v)
{
	return a->y + a->height - fmin(fmax(v / a->v.hi, 0), 1) * a->height;
}

/* Of all points that share a quarter of a point of width: first, least, largest, last. */
#define THIN 0.25

static void line_to(cairo_t *c, const struct area *a, const struct point *p)
{
	cairo_line_to(c, curve_x(a, p->t), area_y(a, p->value));
}

static void thin_column(cairo_t *c, const struct area *a, const struct point *points, size_t count)
{
	size_t least = 0, largest = 0, first, second;

	for (size_t i = 1; i < count; i++) {
		least = points[i].value < points[least].value ? i : least;
		largest = points[i].value > points[largest].value ? i : largest;
	}
	first = least < largest ? least : largest;
	second = least < largest ? largest : least;
	line_to(c, a, &points[0]);
	if (first > 0)
		line_to(c, a, &points[first]);
	if (second > first)
		line_to(c, a, &points[second]);
	if (count - 1 > second)
		line_to(c, a, &points[count - 1]);
}

/* Points [begin, end) are all finite. */
static void trace_path(cairo_t *c, const struct area *a, const struct series *s, size_t begin,
		       size_t end, bool steps)
{
	for (size_t i = begin; i < end; ) {
		double x = curve_x(a, s->points[i].t), before;
		size_t n = i + 1;

		while (n < end && curve_x(a, s->points[n].t) < x + THIN)
			n++;
		if (steps && i > begin && cairo_has_current_point(c)) {
			cairo_get_current_point(c, &before, &before);
			cairo_line_to(c, x, before);
		}
		thin_column(c, a, s->points + i, n - i);
		i = n;
	}
}

/* What changes at its points alone: counts, and GPU memory, which each call that asks for some has a point of. */
static bool in_steps(const struct series *s)
{
	enum unit unit = format_unit(s->unit);

	return (unit == UNIT_COUNT && strcmp(s->unit, "cores") != 0) ||
	       (unit == UNIT_BYTES && strncmp(s->name, "gpu_", 4) == 0);
}

static void draw_run(struct canvas *c, const struct area *a, const struct series *s, size_t begin,
		     size_t end, int color, double width, bool shade)
{
	bool steps = in_steps(s);
	double x0 = curve_x(a, s->points[begin].t);
	double x1 = curve_x(a, s->points[end - 1].t);

	if (x1 - x0 < THIN) {	/* one point, or all at one moment */
		cairo_new_path(c->c);
		cairo_arc(c->c, x0, area_y(a, s->points[end - 1].value), 1.4, 0, 2 * M_PI);
		canvas_shade(c, color, 1);
	}
	if (shade) {
		cairo_move_to(c->c, x0, a->y + a->height);
		trace_path(c->c, a, s, begin, end, steps);
		cairo_line_to(c->c, x1, a->y + a->height);
		canvas_shade(c, color, 0.12);
	}
	trace_path(c->c, a, s, begin, end, steps);
	canvas_stroke(c, color, width);
}

/* Of a part of the time iterations are those of the whole. */
static void clip_to(struct canvas *c, const struct area *a)
{
	cairo_rectangle(c->c, a->x - CURVE_WIDTH, a->y - CURVE_WIDTH, a->width + 2 * CURVE_WIDTH,
			a->height + 2 * CURVE_WIDTH);
	cairo_clip(c->c);
}

/* A gap (a value that is not finite) interrupts the line. */
void plot_curve(struct canvas *c, const struct area *a, const struct series *s, int color,
		double width, bool shade)
{
	bool outside = s->point_count && (!area_has(a, (double)s->points[0].t + a->shift) ||
					  !area_has(a, (double)s->points[s->point_count - 1].t + a->shift));

	cairo_save(c->c);
	if (outside)
		clip_to(c, a);
	for (size_t i = 0; i < s->point_count; ) {
		size_t end = i;

		while (end < s->point_count && isfinite(s->points[end].value))
			end++;
		if (end > i)
			draw_run(c, a, s, i, end, color, width, shade);
		i = end + 1;
	}
	cairo_restore(c->c);
}

/* SPDX-License-Identifier: MIT */
/* Text, colours, axes and legends of the figures. */
#include "analysis/report/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/memory.h"

#define FONT "sans-serif"

void canvas_color(cairo_t *c, int i, double alpha)
{
	/* Okabe and Ito's palette without its yellow, which is not seen on white */
	static const unsigned palette[CANVAS_COLORS] = {
		0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7f7f7f,
	};
	unsigned rgb = i == CANVAS_INK ? 0x222222 : i == CANVAS_GREY ? 0x6f6f6f :
		       i == CANVAS_PALE ? 0xdddddd : palette[i % CANVAS_COLORS];

	cairo_set_source_rgba(c, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0,
			      alpha);
}

static void font(cairo_t *c, double size, bool bold)
{
	cairo_select_font_face(c, FONT, CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(c, size);
}

static double advance(cairo_t *c, const char *clean)
{
	cairo_text_extents_t e;

	cairo_text_extents(c, clean, &e);
	return e.x_advance;
}

static void show(cairo_t *c, double x, double y, enum canvas_align align, const char *text)
{
	char *clean = text_clean(text, true);

	if (align != ALIGN_LEFT)
		x -= advance(c, clean) * (align == ALIGN_CENTER ? 0.5 : 1);
	cairo_move_to(c, x, y);
	cairo_show_text(c, clean);
	free(clean);
}

void canvas_text(cairo_t *c, double x, double y, double size, enum canvas_align align,
		 const char *text)
{
	font(c, size, false);
	show(c, x, y, align, text);
}

void canvas_bold(cairo_t *c, double x, double y, double size, const char *text)
{
	font(c, size, true);
	show(c, x, y, ALIGN_LEFT, text);
}

void canvas_text_upwards(cairo_t *c, double x, double y, double size, const char *text)
{
	cairo_save(c);
	cairo_translate(c, x, y);
	cairo_rotate(c, -M_PI / 2);
	canvas_text(c, 0, 0, size, ALIGN_CENTER, text);
	cairo_restore(c);
}

double canvas_width(cairo_t *c, double size, const char *text)
{
	char *clean = text_clean(text, true);
	double width;

	font(c, size, false);
	width = advance(c, clean);
	free(clean);
	return width;
}

char *canvas_cut(cairo_t *c, double size, double width, const char *text)
{
	char *clean = text_clean(text, true);
	char *cut;
	int columns;

	font(c, size, false);
	if (advance(c, clean) <= width)
		return clean;
	cut = need(malloc(strlen(clean) + sizeof("…")));
	for (columns = text_width(clean) - 1; columns > 0; columns--) {
		size_t n = text_fit(clean, columns);

		memcpy(cut, clean, n);
		strcpy(cut + n, "…");
		if (advance(c, cut) <= width)
			break;
	}
	free(clean);
	return cut;
}

/* ---- axes ---- */

/* The least of 1, 2, 5 times a power of ten that makes at most `ticks` steps up to max. */
static double nice_step(double max, int ticks)
{
	double power = pow(10, floor(log10(max / ticks)));

	for (;; power *= 10)
		for (int i = 0; i < 3; i++) {
			static const double mantissa[] = { 1, 2, 5 };

			if (mantissa[i] * power * ticks >= max * (1 - 1e-9))
				return mantissa[i] * power;
		}
}

static struct axis make_axis(double max, int ticks, double factor, const char *unit)
{
	struct axis a = { .factor = factor, .unit = unit };

	max = isfinite(max) && max > 0 ? max / factor : 1;
	a.step = nice_step(max, ticks);
	a.hi = ceil(max / a.step - 1e-9) * a.step;
	a.decimals = a.step < 1 ? (int)ceil(-log10(a.step) - 1e-9) : 0;
	a.step *= factor;
	a.hi *= factor;
	return a;
}

struct axis axis_count(double max, int ticks)
{
	struct axis a = make_axis(max, ticks, 1, "");

	if (a.step < 1)		/* there are no half threads */
		a = (struct axis){ .hi = ceil(max), .step = 1, .factor = 1, .unit = "" };
	a.hi = fmax(a.hi, 1);
	return a;
}

/* The whole range for what fills much of it, so that figures compare. */
struct axis axis_percent(double max, int ticks)
{
	struct axis a = make_axis(fmax(max, 1e-3), ticks, 1, "%");

	if (max > 40 && max <= 100.5) {
		a.hi = 100;
		a.step = ticks >= 5 ? 20 : ticks >= 4 ? 25 : 50;
		a.decimals = 0;
	}
	return a;
}

struct axis axis_bytes(double max, int ticks)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double factor = 1;
	size_t i = 0;

	while (max / factor >= 1024 && i + 1 < sizeof(units) / sizeof(units[0])) {
		factor *= 1024;
		i++;
	}
	return make_axis(max, ticks, factor, units[i]);
}

/* Unlike the others it ends with the data, not with a tick. */
struct axis axis_time(double ns, int ticks)
{
	static const struct { double below, factor; const char *unit; } units[] = {
		{ 1e3, 1, "ns" }, { 1e6, 1e3, "µs" }, { 1e9, 1e6, "ms" }, { 300e9, 1e9, "s" },
		{ 7200e9, 60e9, "min" }, { INFINITY, 3600e9, "h" },
	};
	struct axis a;
	size_t i = 0;

	ns = isfinite(ns) && ns > 0 ? ns : 1e9;
	while (ns >= units[i].below)
		i++;
	a = make_axis(ns, ticks, units[i].factor, units[i].unit);
	a.hi = ns;
	return a;
}

const char *axis_label(const struct axis *a, double value, char *buf)
{
	snprintf(buf, 32, "%.*f", a->decimals, value / a->factor);
	return buf;
}

/* ---- legends ---- */

#define LEGEND_LINE	10.0
#define LEGEND_SAMPLE	10.0	/* width of the stroke */

double canvas_legend(cairo_t *c, double x, double y, double width,
		     const struct legend_entry *entries, size_t count)
{
	double at = x, top = y;

	for (size_t i = 0; i < count; i++) {
		char *text = canvas_cut(c, CANVAS_TICK, width - LEGEND_SAMPLE - 4, entries[i].text);
		double needed = LEGEND_SAMPLE + 3 + canvas_width(c, CANVAS_TICK, text);

		if (at > x && at + needed > x + width) {
			at = x;
			y += LEGEND_LINE;
		}
		canvas_color(c, entries[i].color, 1);
		cairo_set_line_width(c, 2);
		cairo_move_to(c, at, y + 4.5);
		cairo_rel_line_to(c, LEGEND_SAMPLE, 0);
		cairo_stroke(c);
		canvas_color(c, CANVAS_INK, 1);
		canvas_text(c, at + LEGEND_SAMPLE + 3, y + 7, CANVAS_TICK, ALIGN_LEFT, text);
		at += needed + 9;
		free(text);
	}
	return count ? y - top + LEGEND_LINE : 0;
}

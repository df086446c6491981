/* SPDX-License-Identifier: MIT */
/* Sizes and resolutions as people write them. */
#include "analysis/report/looks.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_LEAST	72.0	/* an inch: less has no room for a curve and its numbers */
#define POINTS_MOST	14400.0	/* what PDF viewers take: 200 inches */
#define PIXELS_LEAST	96.0
#define PIXELS_MOST	32767.0
#define PIXELS_DPI	96.0	/* of a size in pixels, as web pages have it */

static const struct { const char *name; double points; } units[] = {
	{ "mm", 72 / 25.4 }, { "cm", 72 / 2.54 }, { "in", 72 }, { "pt", 1 }, { "px", 0 },
};

/* Points of a unit, 0 for pixels; -1: no unit. *end is behind it. */
static double unit_at(const char *text, const char **end)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strncmp(text, units[i].name, 2))
			continue;
		*end = text + 2;
		return units[i].points;
	}
	return -1;
}

static bool fits(const struct looks *l, double length)
{
	return l->pixels ? length >= PIXELS_LEAST && length <= PIXELS_MOST :
			   length >= POINTS_LEAST && length <= POINTS_MOST;
}

bool looks_size(struct looks *l, const char *text)
{
	double unit, height = 0;
	char *at;
	double width = strtod(text, &at);
	const char *end = at;

	if (at == text)
		return false;
	unit = unit_at(at, &end);
	if (*end == 'x' || *end == 'X') {	/* "85mmx60mm" as well as "85x60mm" */
		const char *second = end + 1;
		double same = unit;

		height = strtod(second, &at);
		if (at == second)
			return false;
		unit = unit_at(at, &end);
		if (unit < 0 || (same >= 0 && same != unit))
			return false;
	}
	if (unit < 0 || *end)
		return false;
	l->pixels = unit == 0;
	l->width = width * (unit ? unit : 1);
	l->height = height * (unit ? unit : 1);
	return fits(l, l->width) && (height == 0 || fits(l, l->height));
}

bool looks_dpi(struct looks *l, const char *text)
{
	char *end;

	l->dpi = strtod(text, &end);
	if (end != text && !strcmp(end, "dpi"))
		end += 3;
	return end != text && !*end && l->dpi >= 36 && l->dpi <= 2400;
}

bool looks_style(struct looks *l, const char *name)
{
	l->style = figure_style_by_name(name);
	return l->style != NULL;
}

void looks_finish(struct looks *l)
{
	if (!l->pixels)
		return;
	l->dpi = l->dpi > 0 ? l->dpi : PIXELS_DPI;
	l->width *= 72 / l->dpi;
	l->height *= 72 / l->dpi;
	l->pixels = false;
}

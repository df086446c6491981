/* SPDX-License-Identifier: MIT */
/* The styles of figures. A new one is a row here. */
#include "analysis/report/figure_style.h"

#include <string.h>

/* Okabe and Ito's palette without its yellow, which is not seen on white. */
static const unsigned on_white[STYLE_COLORS] = {
	0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7f7f7f,
};
/* The same hues, lighter, its yellow in place of the grey. */
static const unsigned on_black[STYLE_COLORS] = {
	0x56b4e9, 0xff8a3c, 0x2fc79a, 0xe39bc4, 0xf0b429, 0xf0e442, 0xa6acb5,
};
static const unsigned grey_lines[STYLE_COLORS] = {
	0x000000, 0x707070, 0x000000, 0x707070, 0x000000, 0x707070, 0x999999,
};
/* Neighbours differ most. */
static const unsigned grey_fills[STYLE_COLORS] = {
	0x222222, 0xd9d9d9, 0x7f7f7f, 0xffffff, 0x555555, 0xb0b0b0, 0x000000,
};

const struct figure_style figure_styles[] = {
	{ "paper", "a column of a journal", 241, 1, 300,
	  0xffffff, 0x222222, 0x6f6f6f, 0xdddddd, on_white, on_white, false },
	{ "slide", "large text, for a wall", 720, 2.2, 144,
	  0xffffff, 0x222222, 0x6f6f6f, 0xdddddd, on_white, on_white, false },
	{ "dark", "light on dark", 241, 1, 300,
	  0x16191f, 0xe8eaed, 0xa0a6b0, 0x353b45, on_black, on_black, false },
	{ "mono", "black and white, told apart by dashes and shades", 241, 1, 300,
	  0xffffff, 0x000000, 0x606060, 0xdddddd, grey_lines, grey_fills, true },
};
const size_t figure_style_count = sizeof(figure_styles) / sizeof(figure_styles[0]);

const struct figure_style *figure_style_by_name(const char *name)
{
	for (size_t i = 0; i < figure_style_count; i++)
		if (!strcmp(figure_styles[i].name, name))
			return &figure_styles[i];
	return NULL;
}

static unsigned between(unsigned a, unsigned b, unsigned shift)
{
	return ((a >> shift & 255) + (b >> shift & 255)) / 2 << shift;
}

unsigned figure_color(const struct figure_style *s, const unsigned *colors, int i)
{
	unsigned rgb = colors[i % STYLE_COLORS];

	if (i < STYLE_COLORS)
		return rgb;
	return between(rgb, s->paper, 16) | between(rgb, s->paper, 8) | between(rgb, s->paper, 0);
}

/* SPDX-License-Identifier: MIT */
/* The list of figures, their sizes, and drawing one. */
#include "analysis/report/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/memory.h"

const struct figure figures[] = {
#define FIGURE(function, name, title) { name, title, figure_##function, figure_##function##_any },
#include "analysis/report/figures.tbl"
#undef FIGURE
};
const size_t figure_count = sizeof(figures) / sizeof(figures[0]);

const struct figure *figure_by_name(const char *name)
{
	for (size_t i = 0; i < figure_count; i++)
		if (!strcmp(figures[i].name, name))
			return &figures[i];
	return NULL;
}

const struct figure *figure_with_data(const struct report *r, size_t i)
{
	for (size_t f = 0; f < figure_count; f++)
		if (figures[f].any(r) && !i--)
			return &figures[f];
	return NULL;
}

char *figure_names(void)
{
	char *names;
	size_t size;
	FILE *f = text_open(&names, &size);

	for (size_t i = 0; i < figure_count; i++)
		fprintf(f, i ? ", %s" : "%s", figures[i].name);
	return text_close(f, &names);
}

#define TITLE_LINES	2
#define TITLE_STEP	10.0

/* As even as they can be: one word alone in a second line looks like a slip. */
static size_t title_lines(struct canvas *c, const char *text, char **lines)
{
	const double size = CANVAS_TITLE * CANVAS_BOLD, room = c->width - 8;
	size_t count = canvas_wrap(c, size, room, text, lines, TITLE_LINES);
	double narrow = canvas_width(c, size, text) / TITLE_LINES;

	for (; count == TITLE_LINES && narrow < room; narrow += TITLE_STEP) {
		char *even[TITLE_LINES];
		size_t n = canvas_wrap(c, size, narrow, text, even, TITLE_LINES);
		bool all = n == count && !strstr(even[n - 1], "…");

		for (size_t i = 0; i < n; i++) {
			if (all)
				free(lines[i]);
			else
				free(even[i]);
			lines[i] = all ? even[i] : lines[i];
		}
		if (all)
			break;
	}
	return count;
}

double figure_title(struct canvas *c, const char *title)
{
	char *text = NULL, *lines[TITLE_LINES];
	size_t count;

	if (c->title && !*c->title)
		return 5;
	if (asprintf(&text, "%s%s%s", c->title ? c->title : "", c->title && c->many ? ": " : "",
		     c->title && !c->many ? "" : title) < 0)
		need(NULL);
	count = title_lines(c, text, lines);
	for (size_t i = 0; i < count; i++) {
		canvas_bold(c, 4, 11 + TITLE_STEP * (double)i, CANVAS_TITLE, lines[i]);
		free(lines[i]);
	}
	free(text);
	return 17 + TITLE_STEP * (double)(count - 1);
}

#define SILENT_LINES 4
#define SILENT_STEP 8.5

double figure_silent(struct canvas *c, double x, double y, const char *names)
{
	char *text, *lines[SILENT_LINES];
	size_t count;

	if (!*names)
		return 0;
	if (asprintf(&text, "no calls seen: %s", names) < 0)
		need(NULL);
	count = canvas_wrap(c, CANVAS_TICK, c->width - x - 4, text, lines, SILENT_LINES);
	for (size_t i = 0; i < count; i++) {
		canvas_remark(c, x, y + 6 + SILENT_STEP * (double)i, CANVAS_TICK, ALIGN_LEFT, lines[i]);
		free(lines[i]);
	}
	free(text);
	return SILENT_STEP * (double)count + 3;
}

/* ---- sizes ---- */

#define STRETCH_LEAST	0.4
#define STRETCH_MOST	20.0
#define SHRINKS_MAX	12

static const struct figure_style *style_of(const struct writer_options *o)
{
	return o->looks.style ? o->looks.style : &figure_styles[0];
}

static void set_up(struct canvas *c, const struct writer_options *o, bool many,
		   const struct figure_page *page)
{
	c->width = page->width / page->scale;
	c->stretch = page->stretch;
	c->title = o->looks.title;
	c->many = many;
}

/* In points of paper. */
static double height_of(const struct figure *f, const struct report *r,
			const struct writer_options *o, bool many, const struct figure_page *page)
{
	struct canvas c;
	double height;

	canvas_open(&c, NULL, style_of(o));
	set_up(&c, o, many, page);
	height = f->draw(r, &c) * page->scale;
	canvas_close(&c);
	return height;
}

/* A figure is as high as its text, and its panels times `stretch`. */
static void stretch_to(const struct figure *f, const struct report *r,
		       const struct writer_options *o, bool many, struct figure_page *page)
{
	double once = height_of(f, r, o, many, page), twice;

	page->stretch = 2;
	twice = height_of(f, r, o, many, page);
	page->stretch = twice > once ? 1 + (page->height - once) / (twice - once) : 1;
	page->stretch = fmin(fmax(page->stretch, STRETCH_LEAST), STRETCH_MOST);
}

struct figure_page figure_page(const struct figure *f, const struct report *r,
			       const struct writer_options *o, bool many)
{
	struct figure_page page = { .scale = style_of(o)->scale, .stretch = 1 };
	double height;

	page.width = o->looks.width > 0 ? o->looks.width : style_of(o)->width;
	page.height = o->looks.height;
	if (page.height <= 0) {
		page.height = height_of(f, r, o, many, &page);
		return page;
	}
	stretch_to(f, r, o, many, &page);
	for (int i = 0; i < SHRINKS_MAX; i++) {		/* what is still too high becomes smaller */
		height = height_of(f, r, o, many, &page);
		if (height <= page.height * 1.001)
			break;
		page.scale *= fmin(page.height / height, 0.97);
	}
	return page;
}

int figure_draw(const struct figure *f, const struct report *r, const struct writer_options *o,
		bool many, const struct figure_page *page, cairo_surface_t *surface, FILE *svg)
{
	struct canvas c;
	cairo_status_t status;

	canvas_open(&c, surface, style_of(o));
	set_up(&c, o, many, page);
	c.svg = svg;
	c.dry = !surface && !svg;
	if (surface)
		cairo_scale(c.c, page->scale, page->scale);
	/*
	 * Paper: dark text would vanish on a dark page. On a surface it reaches beyond the edge,
	 * where half a pixel would shine through.
	 */
	cairo_rectangle(c.c, 0, 0, c.width + (surface != NULL),
			page->height / page->scale + (surface != NULL));
	canvas_fill(&c, CANVAS_PAPER, 1);
	f->draw(r, &c);
	status = canvas_close(&c);
	return !status ? 0 : status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : -EIO;
}

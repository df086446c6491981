/* SPDX-License-Identifier: MIT */
/* SVG: one figure a file. Text becomes outlines, so a figure looks the same everywhere. */
#include <errno.h>
#include <string.h>

#include <cairo-svg.h>

#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/writer.h"

#define SVG_PAGE "curves"

static cairo_status_t write_piece(void *closure, const unsigned char *data, unsigned int length)
{
	return fwrite(data, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS :
							    CAIRO_STATUS_WRITE_ERROR;
}

/* Draws on the surface, which is released; the height, or a negative errno. */
static double draw(const struct figure *f, const struct report *r, cairo_surface_t *surface)
{
	cairo_t *c = cairo_create(surface);
	cairo_status_t status;
	double height;

	/* Paper: dark text would vanish on a dark page. */
	cairo_set_source_rgb(c, 1, 1, 1);
	cairo_paint(c);
	height = f->draw(r, c);
	status = cairo_status(c);
	cairo_destroy(c);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return !status ? height : status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : -EIO;
}

/* cairo numbers its surfaces; a figure shall not tell how many were drawn before it. */
static void put_without_number(const char *svg, FILE *out)
{
	static const char group[] = "<g id=\"surface";
	const char *at = strstr(svg, group);

	if (at) {
		at += sizeof(group) - 1;
		fwrite(svg, 1, (size_t)(at - svg), out);
		svg = at + strspn(at, "0123456789");
	}
	fputs(svg, out);
}

int write_svg(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const char *name = page ? page : o->figure ? o->figure : SVG_PAGE;
	const struct figure *f = figure_by_name(name);
	cairo_surface_t *surface;
	char *svg;
	size_t size;
	double height;
	FILE *memory;

	if (!f)
		return -ENOENT;
	height = draw(f, r, cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL));
	if (height < 0)
		return (int)height;
	memory = text_open(&svg, &size);
	surface = cairo_svg_surface_create_for_stream(write_piece, memory, FIGURE_WIDTH, height);
	cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
	height = draw(f, r, surface);
	put_without_number(text_close(memory, &svg), out);
	free(svg);
	return height < 0 ? (int)height : 0;
}

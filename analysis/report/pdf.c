/* SPDX-License-Identifier: MIT */
/* PDF: a document with a page for each figure that shows something, or one figure; fonts are in it. */
#include <errno.h>
#include <string.h>

#include <cairo-pdf.h>

#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/writer.h"

static cairo_status_t pdf_piece(void *closure, const unsigned char *data, unsigned int length)
{
	return fwrite(data, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS :
							    CAIRO_STATUS_WRITE_ERROR;
}

/*
 * The same report makes the same bytes: its date is when the first trace began, and the time of
 * writing is nowhere.
 */
static void describe(cairo_surface_t *pdf, const struct report *r, const struct writer_options *o)
{
	const char *begin = cell_text(table_get(report_table(r, "traces"), 0, "begin"));
	char date[] = "1970-01-01T00:00:00Z", *title = figure_heading(r, figures[0].name);

	if (strlen(begin) >= strlen("2026-03-04T10:24:10"))
		memcpy(date, begin, strlen("2026-03-04T10:24:10"));
	cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE,
				       o->looks.title && *o->looks.title ? o->looks.title : title);
	cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "dltrace-report");
	cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, date);
	free(title);
}

static int draw_page(cairo_surface_t *pdf, const struct figure *f, const struct report *r,
		     const struct writer_options *o, bool many)
{
	struct figure_page size = figure_page(f, r, o, many);
	int err;

	cairo_pdf_surface_set_size(pdf, size.width, size.height);
	err = figure_draw(f, r, o, many, &size, pdf, NULL);
	cairo_pdf_surface_add_outline(pdf, CAIRO_PDF_OUTLINE_ROOT, f->title, "", 0);
	cairo_surface_show_page(pdf);
	return err;
}

static int draw_pages(cairo_surface_t *pdf, const struct report *r, const struct writer_options *o)
{
	const struct figure *f;
	int err = 0;

	for (size_t i = 0; !err && (f = figure_with_data(r, i)); i++)
		err = draw_page(pdf, f, r, o, true);
	return err;
}

int write_pdf(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const char *name = page ? page : o->figure;
	const struct figure *f = name ? figure_by_name(name) : NULL;
	cairo_surface_t *pdf;
	cairo_status_t status;
	int err;

	if (name && !f)
		return -ENOENT;
	pdf = cairo_pdf_surface_create_for_stream(pdf_piece, out, 1, 1);
	describe(pdf, r, o);
	err = f ? draw_page(pdf, f, r, o, !o->figure) : draw_pages(pdf, r, o);
	cairo_surface_finish(pdf);
	status = cairo_surface_status(pdf);
	cairo_surface_destroy(pdf);
	return err ? err : status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : status ? -EIO : 0;
}

/* SPDX-License-Identifier: MIT */
/* SVG: one figure a file. Text stays text: it can be searched, read aloud, and changed. */
#include <errno.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/writer.h"

int write_svg(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const char *name = page ? page : o->figure ? o->figure : figures[0].name;
	const struct figure *f = figure_by_name(name);
	bool many = page && !o->figure;
	struct figure_page size;

	if (!f)
		return -ENOENT;
	size = figure_page(f, r, o, many);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.6gpt\" "
		"height=\"%.6gpt\" viewBox=\"0 0 %.6g %.6g\" stroke-linejoin=\"round\" "
		"font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n<title>%s</title>\n",
		size.width, size.height, size.width / size.scale, size.height / size.scale,
		f->title);
	if (figure_draw(f, r, o, many, &size, NULL, out))
		return -ENOMEM;
	fputs("</svg>\n", out);
	return 0;
}

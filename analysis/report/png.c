/* SPDX-License-Identifier: MIT */
/* PNG: one figure a file, with its resolution, so that it has its size on paper. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/writer.h"

#define PIXELS_MAX	32767	/* cairo's images are no larger */
#define HEADER		33	/* bytes of a PNG before its other chunks */

/* ---- the resolution, a chunk that cairo does not write ---- */

static uint32_t crc(const unsigned char *data, size_t size)
{
	uint32_t sum = 0xffffffff;

	for (size_t i = 0; i < size; i++) {
		sum ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	return ~sum;
}

static void put_u32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Length, type, pixels a metre in both directions, unit metre, checksum of all but the length. */
static void write_resolution(FILE *out, double dpi)
{
	unsigned char chunk[21] = { [3] = 9, [4] = 'p', 'H', 'Y', 's', [16] = 1 };

	put_u32(chunk + 8, (uint32_t)lround(dpi / 0.0254));
	put_u32(chunk + 12, (uint32_t)lround(dpi / 0.0254));
	put_u32(chunk + 17, crc(chunk + 4, 13));
	fwrite(chunk, 1, sizeof(chunk), out);
}

struct stream {
	FILE *out;
	double dpi;
	size_t written;		/* of what cairo gives */
};

static cairo_status_t png_piece(void *closure, const unsigned char *data, unsigned int length)
{
	struct stream *s = closure;
	size_t head = s->written < HEADER ? HEADER - s->written : 0;

	head = head < length ? head : length;
	fwrite(data, 1, head, s->out);
	if (head && s->written + head == HEADER)
		write_resolution(s->out, s->dpi);
	fwrite(data + head, 1, length - head, s->out);
	s->written += length;
	return ferror(s->out) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* ---- the picture ---- */

static double dpi_of(const struct writer_options *o)
{
	return o->looks.dpi > 0 ? o->looks.dpi :
	       o->looks.style ? o->looks.style->dpi : figure_styles[0].dpi;
}

int write_png(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const char *name = page ? page : o->figure ? o->figure : figures[0].name;
	const struct figure *f = figure_by_name(name);
	bool many = page && !o->figure;
	struct stream stream = { .out = out, .dpi = dpi_of(o) };
	double scale = stream.dpi / 72, width, height;
	struct figure_page size;
	cairo_surface_t *image;
	cairo_status_t status;
	int err;

	if (!f)
		return -ENOENT;
	size = figure_page(f, r, o, many);
	width = round(size.width * scale);
	height = o->looks.height > 0 ? round(size.height * scale) : ceil(size.height * scale);
	if (width > PIXELS_MAX || height > PIXELS_MAX)
		return -EFBIG;
	size.height = height / scale;	/* the paper reaches the edge */
	image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	cairo_surface_set_device_scale(image, scale, scale);
	err = figure_draw(f, r, o, many, &size, image, NULL);
	status = cairo_surface_write_to_png_stream(image, png_piece, &stream);
	cairo_surface_destroy(image);
	return err ? err : status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : status ? -EIO : 0;
}

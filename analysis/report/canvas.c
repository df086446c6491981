/* SPDX-License-Identifier: MIT */
/* Paths, text and legends, on a surface of cairo's or as elements of SVG. */
#include "analysis/report/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/memory.h"

/*
 * The widest of the usual sans-serif fonts: where a viewer of SVG has another one, text gets
 * narrower and still overlaps nothing.
 */
#define FONT "DejaVu Sans"

void canvas_open(struct canvas *c, cairo_surface_t *surface, const struct figure_style *style)
{
	cairo_font_options_t *options = cairo_font_options_create();
	cairo_surface_t *nothing = NULL;

	if (!surface)
		nothing = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
	*c = (struct canvas){
		.c = cairo_create(surface ? surface : nothing), .dry = !surface, .style = style,
		.width = style->width / style->scale, .stretch = 1,
	};
	cairo_surface_destroy(nothing);		/* the context keeps it */
	/* The same layout on every surface, whatever the user's settings of hinting. */
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_set_font_options(c->c, options);
	cairo_font_options_destroy(options);
	cairo_set_line_join(c->c, CAIRO_LINE_JOIN_ROUND);
}

cairo_status_t canvas_close(struct canvas *c)
{
	cairo_status_t status = cairo_status(c->c);

	cairo_destroy(c->c);
	return status;
}

/* ---- paths ---- */

static unsigned rgb_of(const struct canvas *c, const unsigned *colors, int color)
{
	return color == CANVAS_INK ? c->style->ink : color == CANVAS_GREY ? c->style->grey :
	       color == CANVAS_PALE ? c->style->pale : color == CANVAS_PAPER ? c->style->paper :
	       figure_color(c->style, colors, color);
}

static void set_source(struct canvas *c, unsigned rgb, double alpha)
{
	cairo_set_source_rgba(c->c, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0,
			      (rgb & 255) / 255.0, alpha);
}

/* With two decimals at most: "1.5", "-0.25", "3". */
static void put_length(FILE *f, double v)
{
	char buf[48];
	int n = snprintf(buf, sizeof(buf), "%.2f", fabs(v) < 0.005 ? 0 : v);

	while (buf[n - 1] == '0')
		n--;
	n -= buf[n - 1] == '.';
	fwrite(buf, 1, (size_t)n, f);
}

static void put_points(FILE *f, const cairo_path_data_t *data, int count)
{
	for (int i = 1; i <= count; i++) {
		if (i > 1)
			putc(' ', f);
		put_length(f, data[i].point.x);
		putc(' ', f);
		put_length(f, data[i].point.y);
	}
}

/* The current path as the attribute d of an element; the path ends. */
static void put_path(struct canvas *c)
{
	static const struct { char letter; int points; } kinds[] = {
		[CAIRO_PATH_MOVE_TO] = { 'M', 1 }, [CAIRO_PATH_LINE_TO] = { 'L', 1 },
		[CAIRO_PATH_CURVE_TO] = { 'C', 3 }, [CAIRO_PATH_CLOSE_PATH] = { 'Z', 0 },
	};
	cairo_path_t *path = cairo_copy_path(c->c);
	int last = path->num_data;

	/* after a closed part cairo moves back to its beginning, for what may follow */
	if (last >= 3 && path->data[last - 3].header.type == CAIRO_PATH_CLOSE_PATH)
		last -= 2;
	fputs(" d=\"", c->svg);
	for (int i = 0; i < last; i += path->data[i].header.length) {
		int kind = (int)path->data[i].header.type;

		putc(kinds[kind].letter, c->svg);
		put_points(c->svg, &path->data[i], kinds[kind].points);
	}
	fputs("\"/>\n", c->svg);
	cairo_path_destroy(path);
	cairo_new_path(c->c);
}

static const struct { double on_off[4]; int count; } dashes[STYLE_COLORS] = {
	{ { 0 }, 0 }, { { 0 }, 0 }, { { 3, 1.5 }, 2 }, { { 3, 1.5 }, 2 },
	{ { 0.8, 1.2 }, 2 }, { { 5, 1.5, 1, 1.5 }, 4 }, { { 0 }, 0 },
};

/* Its number of lengths; 0: the line goes through. */
static int dash_of(const struct canvas *c, int color, const double **lengths)
{
	static const double again[] = { 2.5, 1 };	/* the palette's second round */

	if (c->dashed || (color >= STYLE_COLORS && !c->style->plain)) {
		*lengths = again;
		return 2;
	}
	if (color < 0 || !c->style->plain)
		return 0;
	*lengths = dashes[color % STYLE_COLORS].on_off;
	return dashes[color % STYLE_COLORS].count;
}

void canvas_stroke(struct canvas *c, int color, double width)
{
	unsigned rgb = rgb_of(c, c->style->lines, color);
	const double *lengths = NULL;
	int count = dash_of(c, color, &lengths);

	if (c->dry) {
		cairo_new_path(c->c);
	} else if (c->svg) {
		fprintf(c->svg, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"", rgb);
		put_length(c->svg, width);
		for (int i = 0; i < count; i++) {
			fputs(i ? " " : "\" stroke-dasharray=\"", c->svg);
			put_length(c->svg, lengths[i]);
		}
		fputs("\"", c->svg);
		put_path(c);
	} else {
		set_source(c, rgb, 1);
		cairo_set_line_width(c->c, width);
		cairo_set_dash(c->c, lengths, count, 0);
		cairo_stroke(c->c);
	}
}

static void fill(struct canvas *c, unsigned rgb, double alpha)
{
	if (c->dry) {
		cairo_new_path(c->c);
	} else if (c->svg) {
		fprintf(c->svg, "<path fill=\"#%06x\"", rgb);
		if (alpha < 1)
			fprintf(c->svg, " fill-opacity=\"%.2f\"", alpha);
		put_path(c);
	} else {
		set_source(c, rgb, alpha);
		cairo_fill(c->c);
	}
}

void canvas_fill(struct canvas *c, int color, double alpha)
{
	fill(c, rgb_of(c, c->style->fills, color), alpha);
}

void canvas_shade(struct canvas *c, int color, double alpha)
{
	fill(c, rgb_of(c, c->style->lines, color), alpha);
}

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, int color,
		 double width)
{
	cairo_move_to(c->c, x0, y0);
	cairo_line_to(c->c, x1, y1);
	canvas_stroke(c, color, width);
}

void canvas_bar(struct canvas *c, double x, double y, double width, double height, int color)
{
	cairo_rectangle(c->c, x, y, width, height);
	canvas_fill(c, color, 1);
	if (!c->style->plain)
		return;
	cairo_rectangle(c->c, x, y, width, height);
	canvas_stroke(c, CANVAS_INK, 0.4);
}

/* ---- text ---- */

static void font(struct canvas *c, double size, bool bold)
{
	cairo_select_font_face(c->c, FONT, CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(c->c, size);
}

static double advance(struct canvas *c, const char *clean)
{
	cairo_text_extents_t e;

	cairo_text_extents(c->c, clean, &e);
	return e.x_advance;
}

struct text_look {
	double size;
	enum canvas_align align;
	int color;
	bool bold, upwards;
};

static void put_escaped(FILE *f, const char *clean)
{
	for (; *clean; clean++)
		if (*clean == '&')
			fputs("&amp;", f);
		else if (*clean == '<')
			fputs("&lt;", f);
		else if (*clean == '>')
			fputs("&gt;", f);
		else
			putc(*clean, f);
}

/* Anchored where it is aligned, so that it stays there in another font. */
static void put_text(struct canvas *c, double x, double y, const struct text_look *l,
		     const char *clean)
{
	static const char *const anchors[] = {
		[ALIGN_LEFT] = "", [ALIGN_CENTER] = " text-anchor=\"middle\"",
		[ALIGN_RIGHT] = " text-anchor=\"end\"",
	};

	fprintf(c->svg, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" fill=\"#%06x\"%s%s",
		x, y, l->size, rgb_of(c, c->style->lines, l->color), anchors[l->align],
		l->bold ? " font-weight=\"bold\"" : "");
	if (l->upwards)
		fprintf(c->svg, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
	putc('>', c->svg);
	put_escaped(c->svg, clean);
	fputs("</text>\n", c->svg);
}

static void show_text(struct canvas *c, double x, double y, const struct text_look *l,
		      const char *clean)
{
	double before = l->align == ALIGN_LEFT ? 0 : l->align == ALIGN_CENTER ? 0.5 : 1;

	cairo_save(c->c);
	set_source(c, rgb_of(c, c->style->lines, l->color), 1);
	font(c, l->size, l->bold);
	cairo_translate(c->c, x, y);
	if (l->upwards)
		cairo_rotate(c->c, -M_PI / 2);
	cairo_move_to(c->c, before ? -before * advance(c, clean) : 0, 0);
	cairo_show_text(c->c, clean);
	cairo_restore(c->c);
	cairo_new_path(c->c);
}

static void draw_text(struct canvas *c, double x, double y, const struct text_look *l,
		      const char *text)
{
	char *clean;

	if (c->dry || !*text)
		return;
	clean = text_clean(text, true);
	if (c->svg)
		put_text(c, x, y, l, clean);
	else
		show_text(c, x, y, l, clean);
	free(clean);
}

void canvas_text(struct canvas *c, double x, double y, double size, enum canvas_align align,
		 const char *text)
{
	draw_text(c, x, y, &(struct text_look){ size, align, CANVAS_INK, false, false }, text);
}

void canvas_remark(struct canvas *c, double x, double y, double size, enum canvas_align align,
		   const char *text)
{
	draw_text(c, x, y, &(struct text_look){ size, align, CANVAS_GREY, false, false }, text);
}

void canvas_bold(struct canvas *c, double x, double y, double size, const char *text)
{
	draw_text(c, x, y, &(struct text_look){ size, ALIGN_LEFT, CANVAS_INK, true, false }, text);
}

void canvas_upwards(struct canvas *c, double x, double y, double size, const char *text)
{
	draw_text(c, x, y, &(struct text_look){ size, ALIGN_CENTER, CANVAS_INK, false, true }, text);
}

double canvas_width(struct canvas *c, double size, const char *text)
{
	char *clean = text_clean(text, true);
	double width;

	font(c, size, false);
	width = advance(c, clean);
	free(clean);
	return width;
}

/* `columns` of them left over: two thirds from the beginning, the rest from the end. */
static void cut_middle(const char *clean, int columns, char *cut)
{
	size_t head = text_fit(clean, columns - columns / 3), tail = strlen(clean);

	for (int left = columns / 3; left > 0 && tail > head; left--)
		do
			tail--;
		while (tail > head && ((unsigned char)clean[tail] & 0xc0) == 0x80);
	memcpy(cut, clean, head);
	strcpy(cut + head, "…");
	strcat(cut, clean + tail);
}

char *canvas_cut(struct canvas *c, double size, double width, const char *text)
{
	char *clean = text_clean(text, true);
	char *cut;
	int low = 0, high = text_width(clean);

	font(c, size, false);
	if (advance(c, clean) <= width)
		return clean;
	cut = need(malloc(strlen(clean) + sizeof("…")));
	while (low + 1 < high) {	/* low fits, or is nothing; high does not */
		int columns = (low + high) / 2;

		cut_middle(clean, columns, cut);
		if (advance(c, cut) <= width)
			low = columns;
		else
			high = columns;
	}
	cut_middle(clean, low, cut);
	free(clean);
	return cut;
}

/* Before a space, or behind another mark. */
static bool may_end(const char *text, size_t end, char mark)
{
	return mark == ' ' ? text[end] == ' ' && text_may_break(text, text + end) : text[end - 1] == mark;
}

/* Bytes up to the last of these ends of words that fits, with `more` behind unless it is all; 0: none does. */
static size_t words_fit(struct canvas *c, double width, const char *text, char mark, const char *more)
{
	size_t fit = 0, n = strlen(text);
	char *line = need(malloc(n + strlen(more) + 1));

	for (size_t end = 1; end <= n; end++) {
		if (end < n && !may_end(text, end, mark))
			continue;
		memcpy(line, text, end);
		strcpy(line + end, end < n ? more : "");
		if (advance(c, line) > width)
			break;
		fit = end;
	}
	free(line);
	return fit;
}

size_t canvas_wrap(struct canvas *c, double size, double width, const char *text, char **lines, size_t most)
{
	char *clean = text_clean(text, true);
	size_t count = 0, n;

	for (const char *rest = clean; count < most && (*rest || !count); rest += n + strspn(rest + n, " ")) {
		const char *more = count + 1 == most ? " …" : "";

		font(c, size, false);
		n = words_fit(c, width, rest, ' ', more);
		n = n ? n : words_fit(c, width, rest, '/', more);	/* of a path */
		if (!n) {
			lines[count++] = canvas_cut(c, size, width, rest);
			break;
		}
		if (asprintf(&lines[count++], "%.*s%s", (int)n, rest, rest[n] ? more : "") < 0)
			need(NULL);
	}
	free(clean);
	return count;
}

/* ---- legends ---- */

#define LEGEND_LINE	10.0
#define LEGEND_SAMPLE	10.0	/* width of the stroke */

static void draw_sample(struct canvas *c, const struct legend_entry *e, double x, double y, double width)
{
	c->dashed = e->dashed;
	canvas_line(c, x, y, x + width, y, e->color, e->dashed ? 0.8 : 1.2);
	c->dashed = false;
}

double canvas_legend_width(struct canvas *c, const char *text)
{
	return LEGEND_SAMPLE + 4 + canvas_width(c, CANVAS_TICK, text);
}

double canvas_legend(struct canvas *c, double x, double y, double width,
		     const struct legend_entry *entries, size_t count, bool bars)
{
	double at = x, top = y, sample = bars ? 6 : LEGEND_SAMPLE;

	for (size_t i = 0; i < count; i++) {
		char *text = canvas_cut(c, CANVAS_TICK, width - sample - 4, entries[i].text);
		double needed = sample + 3 + canvas_width(c, CANVAS_TICK, text);

		if (at > x && at + needed > x + width) {
			at = x;
			y += LEGEND_LINE;
		}
		if (bars)
			canvas_bar(c, at, y + 1.7, sample, 5.4, entries[i].color);
		else
			draw_sample(c, &entries[i], at, y + 4.5, sample);
		canvas_text(c, at + sample + 3, y + 7, CANVAS_TICK, ALIGN_LEFT, text);
		at += needed + 9;
		free(text);
	}
	return count ? y - top + LEGEND_LINE : 0;
}

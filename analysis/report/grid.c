/* SPDX-License-Identifier: MIT */
/* Tables for people on a terminal. */
#include "analysis/report/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"

#define COLUMNS_MAX	48
#define STRETCH_MIN	12	/* a stretching column is not cut below this, as long as others can be left out */
#define NARROWEST	8	/* nor below this */
#define NAME_MIN	36	/* nor one of names, as long as others can be left out */
#define WRAP_MIN	26	/* nor one of sentences */
#define GAP		2	/* columns between columns */

struct grid_entry {
	char *text;		/* owned; cleaned */
	enum style style;
};

struct grid_row {
	struct grid_entry entries[COLUMNS_MAX];
	int used;
};

struct grid_col {
	const char *title;
	int flags, optional;
	int width;		/* 0 after layout: left out */
	bool given_up;		/* left out, though it should stay */
	int left;		/* sixths that stand before the cut in the middle; 0: as put_cut has it */
};

struct grid {
	const struct writer_options *options;	/* borrowed */
	struct grid_col columns[COLUMNS_MAX];
	int column_count;
	struct grid_row *rows;	/* owned */
	size_t row_count, row_capacity;
};

struct grid *grid_new(const struct writer_options *options)
{
	struct grid *g = need(calloc(1, sizeof(*g)));

	g->options = options;
	return g;
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->row_count; i++)
		for (int c = 0; c < g->column_count; c++)
			free(g->rows[i].entries[c].text);
	free(g->rows);
	free(g);
}

void grid_column(struct grid *g, const char *title, int flags, int optional)
{
	if (g->column_count < COLUMNS_MAX)
		g->columns[g->column_count++] = (struct grid_col){ title, flags, optional, 0, false, 0 };
}

void grid_row(struct grid *g)
{
	if (g->row_count == g->row_capacity) {
		g->row_capacity = g->row_capacity ? g->row_capacity * 2 : 32;
		g->rows = need(reallocarray(g->rows, g->row_capacity, sizeof(*g->rows)));
	}
	memset(&g->rows[g->row_count++], 0, sizeof(*g->rows));
}

/* Takes the text. */
static void add(struct grid *g, char *clean, enum style style)
{
	struct grid_row *row = &g->rows[g->row_count - 1];

	if (row->used < g->column_count)
		row->entries[row->used++] = (struct grid_entry){ clean, style };
	else
		free(clean);
}

void grid_text(struct grid *g, const char *text, enum style style)
{
	add(g, text_clean(text ? text : "", g->options->unicode), style);
}

void grid_cell(struct grid *g, enum unit unit, const struct cell *c)
{
	char buf[FORMAT_SIZE];

	if (c->type == CELL_TEXT) {
		grid_text(g, c->text, STYLE_PLAIN);
	} else if (c->type == CELL_TREE) {
		char *text = format_tree(c->tree);

		grid_text(g, text, STYLE_PLAIN);
		free(text);
	} else {
		grid_text(g, format_cell(buf, unit, c, g->options->unicode),
			  c->type == CELL_NULL ? STYLE_DIM : STYLE_PLAIN);
	}
}

void grid_number(struct grid *g, enum unit unit, double value)
{
	char buf[FORMAT_SIZE];

	grid_text(g, format_value(buf, unit, value, g->options->unicode), STYLE_PLAIN);
}

void grid_bar(struct grid *g, double value, int width, enum style style)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	char buf[256 * 4] = "";
	int steps, unit = g->options->unicode ? 8 : 1;
	size_t at = 0;

	width = width < 1 ? 1 : width > 200 ? 200 : width;
	value = isfinite(value) ? fmin(fmax(value, 0), 1) : 0;
	steps = (int)lround(value * width * unit);
	if (!steps && value > 0)
		steps = 1;	/* what is there is seen */
	for (; steps > 0; steps -= unit) {
		const char *piece = unit == 1 ? "#" : eighths[steps > 8 ? 8 : steps];

		memcpy(buf + at, piece, strlen(piece) + 1);
		at += strlen(piece);
	}
	add(g, need(strdup(buf)), style);
}

/* ---- layout ---- */

static int total_width(const struct grid *g)
{
	int total = 0;

	for (int c = 0; c < g->column_count; c++)
		if (g->columns[c].width)
			total += g->columns[c].width + (total ? GAP : 0);
	return total;
}

static void natural_widths(struct grid *g)
{
	for (int c = 0; c < g->column_count; c++) {
		int width = text_width(g->columns[c].title);

		for (size_t i = 0; i < g->row_count; i++) {
			const char *text = g->rows[i].entries[c].text;
			int w = text ? text_width(text) : 0;

			width = w > width ? w : width;
		}
		g->columns[c].width = g->columns[c].given_up ? 0 : width;
	}
}

/* Takes what is missing from the widest stretching columns, which keep `least`. */
static void shrink(struct grid *g, int room, int least)
{
	while (total_width(g) > room) {
		struct grid_col *widest = NULL;

		for (int c = 0; c < g->column_count; c++)
			if (g->columns[c].flags & GRID_STRETCH &&
			    g->columns[c].width > least &&
			    (!widest || g->columns[c].width > widest->width))
				widest = &g->columns[c];
		if (!widest)
			return;
		widest->width--;
	}
}

static bool drop_one(struct grid *g)
{
	struct grid_col *last = NULL;

	for (int c = 0; c < g->column_count; c++)
		if (g->columns[c].optional && g->columns[c].width &&
		    (!last || g->columns[c].optional > last->optional))
			last = &g->columns[c];
	if (last)
		last->width = 0;
	return last != NULL;
}

/* The last one but the first of those that should stay. */
static bool give_up_one(struct grid *g)
{
	struct grid_col *last = NULL, *first = NULL;

	for (int c = 0; c < g->column_count; c++) {
		if (!g->columns[c].width)
			continue;
		last = &g->columns[c];
		first = first ? first : last;
	}
	if (last == first)
		return false;
	last->given_up = true;
	return true;
}

static int least_width(const struct grid *g)
{
	int total = 0;

	for (int c = 0; c < g->column_count; c++) {
		int w = g->columns[c].width;

		int least = g->columns[c].flags & GRID_NAME ? NAME_MIN :
			    g->columns[c].flags & GRID_WRAP ? WRAP_MIN : 2 * STRETCH_MIN;

		if (g->columns[c].flags & GRID_STRETCH && w > least)
			w = least;
		if (w)
			total += w + (total ? GAP : 0);
	}
	return total;
}

/* ---- printing ---- */

static const char *sgr(enum style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "", [STYLE_BOLD] = "1", [STYLE_DIM] = "2", [STYLE_GOOD] = "32",
		[STYLE_WARNING] = "33", [STYLE_PROBLEM] = "1;31", [STYLE_BAR] = "36",
	};

	return codes[style];
}

void style_begin(FILE *out, const struct writer_options *o, enum style style)
{
	if (o->color && *sgr(style))
		fprintf(out, "\033[%sm", sgr(style));
}

void style_end(FILE *out, const struct writer_options *o, enum style style)
{
	if (o->color && *sgr(style))
		fputs("\033[0m", out);
}

/* Where the last `columns` columns of cleaned text begin. */
static const char *tail(const char *clean, int columns)
{
	int excess = text_width(clean) - columns;
	const char *p = clean;

	if (excess <= 0)
		return clean;
	p += text_fit(clean, excess);
	while (text_width(p) > columns) {	/* a wide character stood across the cut */
		uint32_t c;
		size_t n = utf8_next(p, &c);

		p += n ? n : 1;
	}
	return p;
}

#define LEFT_USUAL 2	/* sixths */

/* Columns before the cut. */
static int left_of(const struct writer_options *o, int columns, int sixths)
{
	return (columns - (o->unicode ? 1 : 2)) * sixths / 6;
}

/* Cut so that `left` sixths stand before the cut, 6: all of them. */
static void put_cut_at(FILE *out, const struct writer_options *o, const char *clean, int columns, int sixths)
{
	int room = columns - (o->unicode ? 1 : 2), left = left_of(o, columns, sixths);

	if (text_width(clean) <= columns) {
		fputs(clean, out);
		return;
	}
	if (room < 1) {
		fwrite(clean, 1, text_fit(clean, columns), out);
		return;
	}
	fwrite(clean, 1, text_fit(clean, left), out);
	fputs(o->unicode ? "…" : "..", out);
	fputs(tail(clean, room - left), out);
}

void put_cut(FILE *out, const struct writer_options *o, const char *clean, int columns, int flags)
{
	put_cut_at(out, o, clean, columns, flags & GRID_MIDDLE ? LEFT_USUAL : 6);
}

/* Do two different texts look the same? */
static bool alike_when_cut(const struct writer_options *o, const char *a, const char *b, int columns, int sixths)
{
	int left = left_of(o, columns, sixths), right = columns - (o->unicode ? 1 : 2) - left;
	size_t n = text_fit(a, left);

	return right >= 0 && strcmp(a, b) && text_width(a) > columns && text_width(b) > columns &&
	       n == text_fit(b, left) && !memcmp(a, b, n) && !strcmp(tail(a, right), tail(b, right));
}

static size_t count_alike(const struct grid *g, int column, int sixths)
{
	size_t alike = 0;

	for (size_t i = 0; i < g->row_count; i++) {
		for (size_t k = 0; k < i; k++) {
			const char *a = g->rows[i].entries[column].text, *b = g->rows[k].entries[column].text;

			alike += a && b && alike_when_cut(g->options, a, b, g->columns[column].width, sixths);
		}
	}
	return alike;
}

/* Where names are cut: at the end, unless GRID_MIDDLE. */
static void choose_cut(struct grid *g, int column)
{
	bool middle = g->columns[column].flags & GRID_MIDDLE;
	size_t least = SIZE_MAX;

	for (int i = 0; i < 3; i++) {
		int sixths = middle ? LEFT_USUAL + i : 6 - 2 * i;
		size_t alike = count_alike(g, column, sixths);

		if (alike < least)
			g->columns[column].left = sixths;
		least = alike < least ? alike : least;
	}
}

static void put_entry(const struct grid *g, FILE *out, const struct grid_col *c, const char *text,
		      enum style style, bool last)
{
	int width = text ? text_width(text) : 0;
	int pad = width < c->width ? c->width - width : 0;

	if (c->flags & GRID_RIGHT)
		fprintf(out, "%*s", pad, "");
	if (width) {
		style_begin(out, g->options, style);
		if (c->left)
			put_cut_at(out, g->options, text, c->width, c->left);
		else
			put_cut(out, g->options, text, c->width, c->flags);
		style_end(out, g->options, style);
	}
	if (!(c->flags & GRID_RIGHT) && !last)
		fprintf(out, "%*s", pad, "");
}

/* Of the columns shown, the last one that has text: nothing is padded after it. */
static int last_shown(const struct grid *g, char *const *texts)
{
	int last = -1;

	for (int c = 0; c < g->column_count; c++)
		if (g->columns[c].width && texts[c] && *texts[c])
			last = c;
	return last;
}

static void put_line(const struct grid *g, FILE *out, char *const *texts, const struct grid_row *row, int indent)
{
	int last = last_shown(g, texts);
	bool first = true;

	for (int c = 0; c <= last; c++) {
		if (!g->columns[c].width)
			continue;
		fprintf(out, "%*s", first ? indent : GAP, "");
		first = false;
		put_entry(g, out, &g->columns[c], texts[c], row ? row->entries[c].style : STYLE_DIM, c == last);
	}
	fputc('\n', out);
}

/* What stands of a cell in the next line of its row; the caller's. */
static char *next_piece(const struct grid_col *c, const char **rest)
{
	size_t n = strlen(*rest);
	char *piece;

	if (c->flags & GRID_WRAP && n && c->width)
		n = text_line(*rest, c->width);
	piece = need(strndup(*rest, n));
	*rest += n;
	*rest += strspn(*rest, " ");
	return piece;
}

static void put_titles(const struct grid *g, FILE *out, int indent)
{
	char *titles[COLUMNS_MAX];

	for (int c = 0; c < g->column_count; c++)
		titles[c] = (char *)(uintptr_t)g->columns[c].title;
	if (last_shown(g, titles) >= 0)
		put_line(g, out, titles, NULL, indent);
}

static void put_row(const struct grid *g, FILE *out, const struct grid_row *row, int indent)
{
	const char *rest[COLUMNS_MAX];
	char *pieces[COLUMNS_MAX];
	bool more = true;

	for (int c = 0; c < g->column_count; c++)
		rest[c] = row->entries[c].text ? row->entries[c].text : "";
	while (more) {
		more = false;
		for (int c = 0; c < g->column_count; c++) {
			pieces[c] = next_piece(&g->columns[c], &rest[c]);
			more |= *rest[c] && g->columns[c].width;
		}
		put_line(g, out, pieces, row, indent);
		for (int c = 0; c < g->column_count; c++)
			free(pieces[c]);
	}
}

static void lay_out_grid(struct grid *g, int indent)
{
	int room = g->options->width - indent;

	for (int c = 0; c < g->column_count; c++)
		g->columns[c].given_up = false;
	do {
		natural_widths(g);
		while (least_width(g) > room && drop_one(g))
			;
		shrink(g, room, STRETCH_MIN);
		shrink(g, room, NARROWEST);
	} while (total_width(g) > room && give_up_one(g));
}

const char *const *grid_left_out(struct grid *g, int indent)
{
	static const char *titles[COLUMNS_MAX + 1];
	size_t count = 0;

	lay_out_grid(g, indent);
	for (int c = 0; c < g->column_count; c++)
		if (!g->columns[c].width && !g->columns[c].given_up)
			titles[count++] = g->columns[c].title;
	titles[count] = NULL;
	return titles;
}

/* Nobody takes it for nothing that it is not there. */
static void put_given_up(const struct grid *g, FILE *out, int indent)
{
	char *line;
	size_t size;
	FILE *f = text_open(&line, &size);
	bool any = false;

	for (int c = 0; c < g->column_count; c++) {
		if (!g->columns[c].given_up)
			continue;
		fprintf(f, "%s %s", any ? "," : "no room for", g->columns[c].title);
		any = true;
	}
	text_close(f, &line);
	if (any) {
		fprintf(out, "%*s", indent, "");
		style_begin(out, g->options, STYLE_DIM);
		put_cut(out, g->options, line, g->options->width - indent, 0);
		style_end(out, g->options, STYLE_DIM);
		fputc('\n', out);
	}
	free(line);
}

void grid_print(struct grid *g, FILE *out, int indent)
{
	lay_out_grid(g, indent);
	for (int c = 0; c < g->column_count; c++)
		if (g->columns[c].flags & (GRID_NAME | GRID_DISTINCT) && g->columns[c].width)
			choose_cut(g, c);
	put_titles(g, out, indent);
	for (size_t i = 0; i < g->row_count; i++)
		put_row(g, out, &g->rows[i], indent);
	put_given_up(g, out, indent);
}

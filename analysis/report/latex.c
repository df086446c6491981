/* SPDX-License-Identifier: MIT */
/*
 * LaTeX: the whole report as a document of class article, or one table to \input into a paper.
 *
 * booktabs draws the rules; where it is missing or not loaded they are plain ones. Only ASCII is
 * written, with everything escaped that TeX would act on; characters beyond it stand as \u{...}, since
 * no font has them all. Tables that are too wide or too long for a page go on in another one, with
 * their first two columns again.
 */
#include <string.h>

#include "analysis/report/document.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"

#define ROWS_MOST	100	/* of a table in the whole report */
#define ROWS_A_PAGE	38
#define WIDTH_A_PAGE	120	/* characters side by side */
#define KEYS		2	/* columns that tell what a row is about */
#define WIDTH_MOST	44	/* of a column; longer text is broken */

static void put_escaped(FILE *out, const char *text)
{
	static const struct { char c; const char *as; } words[] = {
		{ '\\', "\\textbackslash{}" }, { '~', "\\textasciitilde{}" }, { '^', "\\textasciicircum{}" },
		{ '<', "\\textless{}" }, { '>', "\\textgreater{}" }, { '|', "\\textbar{}" },
		{ '"', "{\\char34}" }, { '\'', "{\\char39}" }, { '`', "{\\char96}" },
		{ '-', "{-}" }, { '[', "{[}" }, { ']', "{]}" }, { '*', "{*}" },
		/* a line may break behind what paths are made of */
		{ '/', "/\\allowbreak{}" }, { '_', "\\_\\allowbreak{}" }, { '.', ".\\allowbreak{}" },
	};

	for (; *text; text++) {
		size_t i = 0;

		while (i < sizeof(words) / sizeof(*words) && words[i].c != *text)
			i++;
		if (i < sizeof(words) / sizeof(*words))
			fputs(words[i].as, out);
		else if (strchr("#$%&{}", *text))
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
}

/* What our own text has beyond ASCII has a command; what traces have is told by its number. */
static void put_text(FILE *out, const char *text)
{
	static const struct { const char *utf8, *as; } known[] = {
		{ "±", "$\\pm$" }, { "µ", "$\\mu$" }, { "–", "--" },
	};

	while (*text) {
		size_t n = strcspn(text, "\xc2\xe2"), i = 0;
		char *part = need(strndup(text, n)), *ascii = text_clean(part, false);

		put_escaped(out, ascii);
		free(part);
		free(ascii);
		text += n;
		while (*text && i < sizeof(known) / sizeof(*known) &&
		       strncmp(text, known[i].utf8, strlen(known[i].utf8)))
			i++;
		if (*text && i < sizeof(known) / sizeof(*known)) {
			fputs(known[i].as, out);
			text += strlen(known[i].utf8);
		} else if (*text) {
			uint32_t c;

			n = utf8_next(text, &c);
			part = need(strndup(text, n ? n : 1));
			ascii = text_clean(part, false);
			put_escaped(out, ascii);
			free(part);
			free(ascii);
			text += n ? n : 1;
		}
	}
}

/* ---- the frame ---- */

static void put_rules(FILE *out)
{
	fputs("\\providecommand{\\toprule}{\\hline}\n\\providecommand{\\midrule}{\\hline}\n"
	      "\\providecommand{\\bottomrule}{\\hline}\n", out);
}

static void begin(const struct document *d)
{
	if (!d->whole) {
		fputs("% A table to \\input; \\usepackage{booktabs} makes it look best.\n", d->out);
		put_rules(d->out);
		return;
	}
	fputs("\\documentclass[landscape,10pt]{article}\n"
	      "\\IfFileExists{booktabs.sty}{\\usepackage{booktabs}}{}\n", d->out);
	put_rules(d->out);
	fputs("\\ifdefined\\pdfpagewidth\\pdfpagewidth\\paperwidth\\pdfpageheight\\paperheight\\fi\n"
	      "\\setlength{\\topmargin}{-0.5in}\\setlength{\\headheight}{0pt}\\setlength{\\headsep}{0pt}\n"
	      "\\setlength{\\textheight}{\\paperheight}\\addtolength{\\textheight}{-1.3in}\n"
	      "\\setlength{\\oddsidemargin}{-0.5in}\\setlength{\\textwidth}{\\paperwidth}\n"
	      "\\addtolength{\\textwidth}{-1in}\\setlength{\\parindent}{0pt}\\raggedright\n"
	      "\\setlength{\\parskip}{4pt}\\begin{document}\n", d->out);
}

static void end(const struct document *d)
{
	if (d->whole)
		fputs("\\end{document}\n", d->out);
}

static void heading(const struct document *d, int level, const char *text)
{
	fputs(level > 1 ? "\n\\section*{" : "\n\\begin{center}\\LARGE ", d->out);
	put_text(d->out, text);
	fputs(level > 1 ? "}\n" : "\\end{center}\n", d->out);
}

static void paragraph(const struct document *d, const char *text)
{
	fputs("\n{\\footnotesize ", d->out);
	put_text(d->out, text);
	fputs("\\par}\n", d->out);
}

/* ---- tables ---- */

static int width_of(const struct sheet *s, size_t column)
{
	int most = 1;

	for (size_t row = 0; row <= s->rows; row++) {
		int width = text_width(s->cells[row * s->columns + column]);

		most = width > most ? width : most;
	}
	return most < WIDTH_MOST ? most : WIDTH_MOST + 1;
}

static void put_column(FILE *out, const struct sheet *s, size_t column)
{
	if (width_of(s, column) > WIDTH_MOST)
		fputs("p{0.26\\linewidth}", out);
	else
		fputs(s->numeric[column] ? "r" : "l", out);
}

static void put_row(FILE *out, const struct sheet *s, size_t row, size_t from, size_t to)
{
	for (size_t i = 0; i < to; i = i + 1 == KEYS && from > KEYS ? from : i + 1) {
		if (i)
			fputs(" & ", out);
		put_text(out, s->cells[row * s->columns + i]);
	}
	fputs(" \\\\\n", out);
}

/* Rows [begin, end) of the columns [from, to), with the first ones in front. */
static void put_part(const struct document *d, const struct sheet *s, size_t begin, size_t end,
		     size_t from, size_t to)
{
	fprintf(d->out, "%s\\begin{tabular}{", d->whole ? "\n{\\footnotesize\n" : "");
	for (size_t i = 0; i < to; i = i + 1 == KEYS && from > KEYS ? from : i + 1)
		put_column(d->out, s, i);
	fputs("}\n\\toprule\n", d->out);
	put_row(d->out, s, 0, from, to);
	fputs("\\midrule\n", d->out);
	for (size_t row = begin; row < end; row++)
		put_row(d->out, s, row + 1, from, to);
	fprintf(d->out, "\\bottomrule\n\\end{tabular}%s\n", d->whole ? "\\par}" : "");
}

static void put_columns(const struct document *d, const struct sheet *s, size_t begin, size_t end)
{
	int keys = 0, width;

	for (size_t i = 0; i < KEYS && i < s->columns; i++)
		keys += width_of(s, i) + 2;
	for (size_t from = 0, to; from < s->columns; from = to) {
		width = from ? keys : 0;
		for (to = from; to < s->columns; to++) {
			width += width_of(s, to) + 2;
			/* The first part has at least what the others repeat. */
			if (width > WIDTH_A_PAGE && to > from && to >= KEYS)
				break;
		}
		if (from || begin)
			fputs("\n\\medskip\n", d->out);
		put_part(d, s, begin, end, from, to);
	}
}

static void sheet(const struct document *d, const struct sheet *s)
{
	size_t begin = 0, step = d->whole ? ROWS_A_PAGE : s->rows ? s->rows : 1;
	char buf[FORMAT_SIZE];

	do {
		put_columns(d, s, begin, begin + step < s->rows ? begin + step : s->rows);
		begin += step;
	} while (begin < s->rows);
	if (s->left_out)
		fprintf(d->out, "\nand %s more\n", format_whole(buf, (double)s->left_out));
}

int write_latex(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	struct document d = {
		.out = out, .begin = begin, .heading = heading, .paragraph = paragraph, .sheet = sheet,
		.end = end, .rows = ROWS_MOST,
	};

	return document_write(&d, r, page ? page : o->table);
}

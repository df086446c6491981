/* SPDX-License-Identifier: MIT */
/*
 * Markdown with tables, as GitHub and Pandoc read them: the whole report, or one table.
 *
 * Everything that Markdown or HTML could take for markup is escaped, so names stay what they are.
 */
#include <string.h>

#include "analysis/report/document.h"
#include "analysis/report/format.h"

#define ROWS_MOST 100	/* of a table in the whole report */

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '@':	/* mentions */
			fputs("&#64;", out);
			break;
		case ':':	/* links by their look, and emoji */
			fputs(text[1] == ' ' || !text[1] ? ":" : "&#58;", out);
			break;
		default:
			if (strchr("\\`*_[]#|~$^", *text))
				putc('\\', out);
			putc(*text, out);
		}
	}
}

static void begin(const struct document *d)
{
	(void)d;
}

static void heading(const struct document *d, int level, const char *text)
{
	fprintf(d->out, "%s%.*s ", level > 1 ? "\n" : "", level, "####");
	put_escaped(d->out, text);
	fputs("\n\n", d->out);
}

/* A line cannot begin a list or a quotation: its first character is a letter or escaped. */
static void paragraph(const struct document *d, const char *text)
{
	putc('\n', d->out);
	if (*text == '-')
		putc('\\', d->out);
	put_escaped(d->out, text);
	putc('\n', d->out);
}

static void put_row(FILE *out, char *const *cells, size_t columns)
{
	for (size_t i = 0; i < columns; i++) {
		fputs(i ? " | " : "| ", out);
		put_escaped(out, cells[i]);
	}
	fputs(" |\n", out);
}

static void sheet(const struct document *d, const struct sheet *s)
{
	char buf[FORMAT_SIZE];

	put_row(d->out, s->cells, s->columns);
	for (size_t i = 0; i < s->columns; i++)
		fputs(s->numeric[i] ? "|---:" : "|:---", d->out);
	fputs("|\n", d->out);
	for (size_t row = 1; row <= s->rows; row++)
		put_row(d->out, s->cells + row * s->columns, s->columns);
	if (s->left_out)
		fprintf(d->out, "\nand %s more\n", format_whole(buf, (double)s->left_out));
}

int write_markdown(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	struct document d = {
		.out = out, .begin = begin, .heading = heading, .paragraph = paragraph, .sheet = sheet,
		.end = begin, .rows = ROWS_MOST,
	};

	return document_write(&d, r, page ? page : o->table);
}

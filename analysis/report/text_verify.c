/* SPDX-License-Identifier: MIT */
/* The certificate as text, and in a report the checks that failed. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

/* ---- what was checked ---- */

static void put_fact(const struct text *t, const char *title, const char *text, enum style style)
{
	char *clean = text_clean(text, t->o->unicode);

	if (*clean) {
		fprintf(t->out, "  %-9s ", title);
		style_begin(t->out, t->o, style);
		put_cut(t->out, t->o, clean, t->o->width > 40 ? t->o->width - 12 : 28, GRID_MIDDLE);
		style_end(t->out, t->o, style);
		fputc('\n', t->out);
	}
	free(clean);
}

/* A hash is not cut: it would name nothing. */
static void put_hash(const struct text *t, const char *hash)
{
	if (t->o->width >= 12 + 64 || strlen(hash) != 64)
		put_fact(t, "SHA-256", hash, STYLE_PLAIN);
	else
		fprintf(t->out, "  SHA-256\n%s\n", hash);
}

/* One line of facts: columns, each in a form with one %s. */
struct fact_part {
	const char *column, *form;
};

static void put_parts(const struct text *t, const char *title, size_t row, enum style style,
		      const struct fact_part *parts, size_t count)
{
	const struct table *c = report_table(t->r, "certificate");
	char buf[FORMAT_SIZE], *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	for (size_t i = 0; i < count; i++) {
		const struct cell *cell = table_get(c, row, parts[i].column);
		enum unit unit = strstr(parts[i].column, "_ns") ? UNIT_NS :
				 !strcmp(parts[i].column, "bytes") ? UNIT_BYTES : UNIT_COUNT;

		if (cell->type == CELL_NULL)
			continue;
		fputs(ftell(f) > 0 ? text_dot(t) : "", f);
		fprintf(f, parts[i].form, cell->type == CELL_TEXT ? cell->text :
					  format_cell(buf, unit, cell, t->o->unicode));
	}
	text_close(f, &text);
	put_fact(t, title, text, style);
	free(text);
}

#define PARTS(array) array, sizeof(array) / sizeof(*(array))

static void put_trace(const struct text *t, size_t row)
{
	static const struct fact_part content[] = { { "files", "%s files" }, { "bytes", "%s" } };
	static const struct fact_part recorded[] = {
		{ "begin", "%s" }, { "duration_ns", "%s" },
	};
	static const struct fact_part host[] = {
		{ "host", "%s" }, { "level", "level %s" }, { "recorded_by", "by %s" },
	};
	static const struct fact_part checked[] = { { "checked", "%s" }, { "checked_by", "by %s" } };
	static const struct fact_part result[] = {
		{ "result", "%s" }, { "passed", "%s passed" }, { "failed", "%s failed" },
		{ "not_applicable", "%s not applicable" },
	};
	const struct table *c = report_table(t->r, "certificate");
	bool passed = !strcmp(cell_text(table_get(c, row, "result")), "passed");
	char *command = text_command(table_get(c, row, "command"));

	text_heading(t, "Certificate of a trace", NULL);
	put_fact(t, "trace", cell_text(table_get(c, row, "path")), STYLE_BOLD);
	put_hash(t, cell_text(table_get(c, row, "sha256")));
	put_parts(t, "content", row, STYLE_PLAIN, PARTS(content));
	put_fact(t, "command", command, STYLE_PLAIN);
	put_parts(t, "recorded", row, STYLE_PLAIN, PARTS(recorded));
	put_parts(t, "host", row, STYLE_PLAIN, PARTS(host));
	put_parts(t, "checked", row, STYLE_PLAIN, PARTS(checked));
	put_parts(t, "result", row, passed ? STYLE_GOOD : STYLE_PROBLEM, PARTS(result));
	free(command);
}

/* ---- checks ---- */

static const struct {
	const char *result, *mark, *ascii;
	enum style style;
} marks[] = {
	{ "passed", "✓", "+", STYLE_GOOD },
	{ "failed", "✗", "x", STYLE_PROBLEM },
	{ "not applicable", "–", "-", STYLE_DIM },
};

static void put_check(const struct text *t, const struct table *checks, size_t row)
{
	const char *result = cell_text(table_get(checks, row, "result"));
	const struct cell *off = table_get(checks, row, "off");
	char buf[FORMAT_SIZE], *text;
	size_t size, m = 0;
	FILE *f = text_open(&text, &size);

	while (m + 1 < sizeof(marks) / sizeof(*marks) && strcmp(marks[m].result, result))
		m++;
	fprintf(f, "%s: ", cell_text(table_get(checks, row, "title")));
	if (cell_real(off))
		fprintf(f, "off by %s %s; ", format_real(buf, cell_real(off)),
			cell_text(table_get(checks, row, "unit")));
	fputs(cell_text(table_get(checks, row, "text")), f);
	text_close(f, &text);
	text_item(t, t->o->unicode ? marks[m].mark : marks[m].ascii, marks[m].style, text);
	free(text);
}

static void put_checks(const struct text *t, uint64_t trace)
{
	const struct table *checks = report_table(t->r, "checks");

	text_heading(t, "Checks", NULL);
	for (size_t m = 0; m < sizeof(marks) / sizeof(*marks); m++)
		for (size_t row = 0; row < text_rows(checks); row++)
			if (cell_uint(table_get(checks, row, "trace")) == trace &&
			    !strcmp(cell_text(table_get(checks, row, "result")), marks[m].result))
				put_check(t, checks, row);
}

void text_failed_checks(const struct text *t)
{
	const struct table *checks = report_table(t->r, "checks");
	bool any = false;

	for (size_t row = 0; row < text_rows(checks); row++) {
		if (strcmp(cell_text(table_get(checks, row, "result")), "failed"))
			continue;
		if (!any)
			text_heading(t, "Checks that failed", "all of them: --verify");
		any = true;
		put_check(t, checks, row);
	}
}

/* ---- exactness ---- */

static void put_exactness(const struct text *t)
{
	const struct table *e = report_table(t->r, "exactness");

	text_heading(t, "How exact the numbers are", NULL);
	for (size_t row = 0; row < text_rows(e); row++) {
		const struct cell *error = table_get(e, row, "error");
		const char *unit = cell_text(table_get(e, row, "unit"));
		char buf[FORMAT_SIZE], *text;
		size_t size;
		FILE *f = text_open(&text, &size);

		fprintf(f, "%s: %s", cell_text(table_get(e, row, "numbers")),
			cell_text(table_get(e, row, "exactness")));
		if (cell_real(error))
			fprintf(f, strcmp(cell_text(table_get(e, row, "exactness")), "sampled") ?
				   ", error at most %s" : " every %s", format_value(buf, format_unit(unit),
								      cell_real(error), t->o->unicode));
		fprintf(f, " (%s)", cell_text(table_get(e, row, "text")));
		text_close(f, &text);
		text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text);
		free(text);
	}
}

void text_certificate(const struct text *t)
{
	const struct table *c = report_table(t->r, "certificate");

	for (size_t row = 0; row < text_rows(c); row++) {
		put_trace(t, row);
		put_checks(t, cell_uint(table_get(c, row, "trace")));
	}
	put_exactness(t);
}

/* SPDX-License-Identifier: MIT */
/*
 * CSV (RFC 4180): one table a file, the columns of the JSON; lists and objects as JSON in a cell;
 * unknown is empty. Series come in long form: trace, host, process, name, unit, t_ns, value.
 *
 * Text that a spreadsheet would run as a formula gets an apostrophe in front.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/writer.h"

#define CSV_PAGE "breakdown"	/* what a single file holds */

static void csv_quoted(FILE *out, const char *text)
{
	char *clean = text_clean_lines(text, true);
	const char *formula = strchr("=+-@\t\r", *clean) && *clean ? "'" : "";

	if (*formula || strpbrk(clean, ",\"\r\n\t")) {
		fprintf(out, "\"%s", formula);
		for (const char *p = clean; *p; p++)
			fprintf(out, *p == '"' ? "\"\"" : "%c", *p);
		fputc('"', out);
	} else {
		fputs(clean, out);
	}
	free(clean);
}

static int csv_tree(FILE *out, const json_t *tree)
{
	char *text = json_dumps(tree, JSON_ENSURE_ASCII | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	if (!text)
		return -ENOMEM;
	csv_quoted(out, text);
	free(text);
	return 0;
}

static int csv_cell(FILE *out, const struct cell *c)
{
	char buf[FORMAT_SIZE];

	if (format_integer(buf, c)) {
		fputs(buf, out);
		return 0;
	}
	switch (c->type) {
	case CELL_REAL:
		format_exact(buf, c->r);
		fputs(strcmp(buf, "null") ? buf : "", out);
		return 0;
	case CELL_TEXT:
		csv_quoted(out, c->text);
		return 0;
	case CELL_TREE:
		return csv_tree(out, c->tree);
	default:
		return 0;
	}
}

static int csv_table(FILE *out, const struct table *t)
{
	int err = 0;

	for (size_t i = 0; i < t->column_count; i++)
		fprintf(out, "%s%s", i ? "," : "", t->columns[i].name);
	fputs("\r\n", out);
	for (size_t row = 0; row < t->row_count && !err; row++) {
		for (size_t i = 0; i < t->column_count && !err; i++) {
			if (i)
				fputc(',', out);
			err = csv_cell(out, &t->cells[row * t->column_count + i]);
		}
		fputs("\r\n", out);
	}
	return err;
}

static int csv_series(FILE *out, const struct report *r)
{
	const struct table *traces = report_table(r, "traces");
	char buf[FORMAT_SIZE];
	int err = 0;

	fputs("trace,host,process,name,unit,t_ns,value,library,device\r\n", out);
	for (size_t i = 0; i < r->series_count && !err; i++) {
		const struct series *s = r->series[i];

		for (size_t p = 0; p < s->point_count && !err; p++) {
			err = csv_cell(out, table_get(traces, s->trace, "trace"));
			fputc(',', out);
			csv_quoted(out, s->host);
			if (s->process >= 0)
				fprintf(out, ",%" PRId64, s->process);
			else
				fputc(',', out);
			format_exact(buf, s->points[p].value);
			fprintf(out, ",%s,%s,%" PRId64 ",%s,", s->name, s->unit, s->points[p].t,
				strcmp(buf, "null") ? buf : "");
			csv_quoted(out, s->library);
			fputc(',', out);
			csv_quoted(out, s->device);
			fputs("\r\n", out);
		}
	}
	return err;
}

int write_csv(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const struct table *t;

	(void)o;
	if (page && !strcmp(page, "series"))
		return csv_series(out, r);
	t = report_table(r, page ? page : CSV_PAGE);
	return t ? csv_table(out, t) : -ENOENT;
}

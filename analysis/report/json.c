/* SPDX-License-Identifier: MIT */
/*
 * JSON: the object of schema.json, one row a line. Equal reports give equal bytes: tables, rows
 * and columns keep the report's order, keys of nested objects are sorted, numbers are the
 * shortest that read back the same. Only ASCII is written, so it may be shown anywhere.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/writer.h"

#define FORMAT_NAME	"dltrace-report"
#define FORMAT_VERSION	1

#define DUMP_FLAGS	(JSON_ENSURE_ASCII | JSON_SORT_KEYS | JSON_ENCODE_ANY)

static int json_text(FILE *out, const char *text)
{
	char *valid = text_valid(text);
	json_t *value = json_string(valid);
	int err = !value || json_dumpf(value, out, DUMP_FLAGS) ? -EIO : 0;

	json_decref(value);
	free(valid);
	return err;
}

static int json_cell(FILE *out, const struct cell *c)
{
	char buf[FORMAT_SIZE];

	if (format_integer(buf, c)) {
		fputs(buf, out);
		return 0;
	}
	switch (c->type) {
	case CELL_REAL:
		fputs(format_exact(buf, c->r), out);
		return 0;
	case CELL_TEXT:
		return json_text(out, c->text);
	case CELL_TREE:
		return json_dumpf(c->tree, out, DUMP_FLAGS) ? -EIO : 0;
	default:
		fputs("null", out);
		return 0;
	}
}

static int json_row(FILE *out, const struct table *t, size_t row)
{
	int err = 0;

	for (size_t i = 0; i < t->column_count && !err; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "{ ", t->columns[i].name);
		err = json_cell(out, &t->cells[row * t->column_count + i]);
	}
	fputs(" }", out);
	return err;
}

static int json_table(FILE *out, const struct table *t)
{
	int err = 0;

	fprintf(out, ",\n  \"%s\": [", t->name);
	for (size_t row = 0; row < t->row_count && !err; row++) {
		fputs(row ? ",\n    " : "\n    ", out);
		err = json_row(out, t, row);
	}
	fputs(t->row_count ? "\n  ]" : "]", out);
	return err;
}

static int json_series(FILE *out, const struct report *r, const struct series *s)
{
	char buf[FORMAT_SIZE];
	int err;

	fputs("{ \"trace\": ", out);
	err = json_cell(out, table_get(report_table(r, "traces"), s->trace, "trace"));
	fputs(", \"host\": ", out);
	err = err ? err : json_text(out, s->host);
	if (s->process >= 0)
		fprintf(out, ", \"process\": %" PRId64, s->process);
	else
		fputs(", \"process\": null", out);
	if (*s->library) {
		fputs(", \"library\": ", out);
		err = err ? err : json_text(out, s->library);
	}
	if (*s->device) {
		fputs(", \"device\": ", out);
		err = err ? err : json_text(out, s->device);
	}
	if (s->of >= 0)
		fprintf(out, ", \"of\": %" PRId64, s->of);
	fprintf(out, ", \"name\": \"%s\", \"unit\": \"%s\", \"mean\": %s, \"points\": [", s->name, s->unit,
		format_exact(buf, series_mean(s)));
	for (size_t i = 0; i < s->point_count; i++)
		fprintf(out, "%s[%" PRId64 ", %s]", i ? ", " : "", s->points[i].t,
			format_exact(buf, s->points[i].value));
	fputs("] }", out);
	return err;
}

static int json_all_series(FILE *out, const struct report *r)
{
	int err = 0;

	fputs(",\n  \"series\": [", out);
	for (size_t i = 0; i < r->series_count && !err; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		err = json_series(out, r, r->series[i]);
	}
	fputs(r->series_count ? "\n  ]" : "]", out);
	return err;
}

int write_json(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	int err = 0;

	(void)o;
	fprintf(out, "{ \"format\": \"%s\", \"version\": %d", FORMAT_NAME, FORMAT_VERSION);
	for (size_t i = 0; i < r->table_count && !err; i++)
		if (!page || !strcmp(page, r->tables[i]->name))
			err = json_table(out, r->tables[i]);
	if (!err && (!page || !strcmp(page, "series")))
		err = json_all_series(out, r);
	fputs("\n}\n", out);
	return err;
}

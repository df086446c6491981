/* SPDX-License-Identifier: MIT */
/* The data of a page as JSON that is safe inside <script>, and bounded. */
#include "analysis/report/html_data.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/memory.h"
#include "analysis/report/rows.h"
#include "analysis/report/short_name.h"
#include "config.h"

#define ROWS_MAX	1000		/* of a table that `row_limits` does not name */
#define RUN_POINTS	2000		/* of a curve of a run or machine */
#define PROCESS_POINTS	800		/* of a curve of one process, when there are few */
#define PROCESS_POINTS_MIN 60
#define POINTS_MAX	100000		/* of all curves of processes: about 1 MB */

/* Tables that grow with the program; `keys`: the rows with most of any of them stay; none: the first. */
static const struct row_limit {
	const char *table;
	size_t rows;
	const char *keys[ROWS_KEYS];
} row_limits[] = {
	{ "libraries", 0, { NULL } },	/* hundreds a process: the other formats have them */
	{ "range_calls", 0, { NULL } },
	{ "breakdown", 3000, { "total_ns" } },
	{ "phase_functions", 3000, { "outer_ns" } },
	{ "phase_kernels", 1000, { "total_ns" } },
	{ "phase_memory", 1000, { "peak_bytes" } },
	{ "phase_shares", 0, { NULL } },	/* the page adds them up from phase_functions */
	{ "phase_layers", 0, { NULL } },
	{ "phase_libraries", 0, { NULL } },
	{ "phase_communication", 1000, { "total_ns" } },
	{ "threads", 2000, { "cpu_ns" } },
	{ "kernels", 1000, { "total_ns" } },
	{ "communication", 1000, { "total_ns" } },
	{ "marks", 2000, { NULL } },
	{ "memory_stacks", 1000, { "peak_bytes", "live_bytes", "allocated_bytes", "temporary_bytes" } },
};

static const char *const unit_names[] = {
	[UNIT_TEXT] = "text", [UNIT_ID] = "id", [UNIT_COUNT] = "count", [UNIT_NS] = "ns",
	[UNIT_TIME] = "time", [UNIT_BYTES] = "bytes", [UNIT_FRACTION] = "fraction",
	[UNIT_PERCENT] = "percent", [UNIT_REAL] = "real", [UNIT_TREE] = "tree",
	[UNIT_ROW] = "row",	/* the row's column `unit` tells */
};

/* ---- values ---- */

/* In JSON these stand in strings alone, where an escape means the same. */
static int write_escaped(const char *data, size_t size, void *out)
{
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '<' || data[i] == '>' || data[i] == '&')
			fprintf(out, "\\u%04x", (unsigned)data[i]);
		else
			fputc(data[i], out);
	}
	return 0;
}

/* Takes the reference. */
static int put_json(FILE *out, json_t *value)
{
	int err = !value || json_dump_callback(value, write_escaped, out,
					       JSON_ENSURE_ASCII | JSON_SORT_KEYS | JSON_ENCODE_ANY |
						       JSON_COMPACT | JSON_REAL_PRECISION(9));

	json_decref(value);
	return err ? -EIO : 0;
}

/* Nothing that a reader's eye can be fooled with gets into the page, nor what is no UTF-8. */
static json_t *clean_string(const char *text)
{
	char *clean = text_clean_lines(text, true);
	json_t *value = json_string(clean);

	free(clean);
	return value;
}

static json_t *clean_tree(const json_t *value)
{
	const char *key;
	json_t *copy, *item;
	size_t i;

	if (json_is_string(value))
		return clean_string(json_string_value(value));
	if (json_is_array(value)) {
		copy = json_array();
		json_array_foreach(value, i, item)
			json_array_append_new(copy, clean_tree(item));
		return copy;
	}
	if (json_is_object(value)) {
		copy = json_object();
		json_object_foreach((json_t *)value, key, item) {
			char *clean = text_clean(key, true);

			json_object_set_new(copy, clean, clean_tree(item));
			free(clean);
		}
		return copy;
	}
	return json_incref((json_t *)value);
}

static int put_text(FILE *out, const char *text)
{
	return put_json(out, clean_string(text));
}

/* Six digits are more than a page shows. */
static void put_number(FILE *out, double value)
{
	if (!isfinite(value))
		fputs("null", out);
	else
		fprintf(out, fabs(value) < 1e15 && value == floor(value) ? "%.0f" : "%.6g",
			value == 0 ? 0 : value);
}

static int put_cell(FILE *out, const struct cell *c)
{
	char digits[FORMAT_SIZE];

	if (format_integer(digits, c)) {
		fputs(digits, out);
		return 0;
	}
	switch (c->type) {
	case CELL_REAL:
		put_number(out, c->r);
		return 0;
	case CELL_TEXT:
		return put_text(out, c->text);
	case CELL_TREE:
		return put_json(out, clean_tree(c->tree));
	default:
		fputs("null", out);
		return 0;
	}
}

/* ---- tables ---- */

static const struct row_limit *limit_of(const struct table *t)
{
	static const struct row_limit any = { NULL, ROWS_MAX, { NULL } };

	for (size_t i = 0; i < sizeof(row_limits) / sizeof(row_limits[0]); i++)
		if (!strcmp(row_limits[i].table, t->name))
			return &row_limits[i];
	return &any;
}

/* A column in which nothing stands is left out. */
static bool has_values(const struct table *t, size_t column)
{
	for (size_t row = 0; row < t->row_count; row++)
		if (t->cells[row * t->column_count + column].type != CELL_NULL)
			return true;
	return false;
}

static int put_column(FILE *out, const struct column *c)
{
	int err;

	fputc('[', out);
	err = put_text(out, c->name);
	fputc(',', out);
	err = err ? err : put_text(out, c->title);
	fprintf(out, ",\"%s\",", unit_names[c->unit]);
	err = err ? err : put_text(out, c->help ? c->help : "");
	fputc(']', out);
	return err;
}

/* A row (or, with row == SIZE_MAX, the columns) of what `shown` says, as an array. */
static int put_row(FILE *out, const struct table *t, const bool *shown, size_t row)
{
	const char *comma = "";
	int err = 0;

	fputc('[', out);
	for (size_t i = 0; i < t->column_count && !err; i++) {
		if (!shown[i])
			continue;
		fputs(comma, out);
		comma = ",";
		err = row == SIZE_MAX ? put_column(out, &t->columns[i])
				      : put_cell(out, &t->cells[row * t->column_count + i]);
	}
	fputc(']', out);
	return err;
}

static int put_table(FILE *out, const struct table *t)
{
	const struct row_limit *limit = limit_of(t);
	size_t count = t->row_count < limit->rows ? t->row_count : limit->rows;
	bool *chosen = rows_choose(t, limit->keys, count);
	bool *shown = need(calloc(t->column_count + 1, sizeof(*shown)));
	const char *comma = "\n";
	int err;

	for (size_t i = 0; i < t->column_count; i++)
		shown[i] = has_values(t, i);
	fprintf(out, "\n\"%s\":{\"title\":", t->name);
	err = put_text(out, t->title);
	fputs(",\"columns\":", out);
	err = err ? err : put_row(out, t, shown, SIZE_MAX);
	fputs(",\"rows\":[", out);
	for (size_t i = 0; i < t->row_count && !err; i++) {
		if (!chosen[i])
			continue;
		fputs(comma, out);
		comma = ",\n";
		err = put_row(out, t, shown, i);
	}
	fprintf(out, "],\"more\":%zu}", t->row_count - count);
	free(chosen);
	free(shown);
	return err;
}

/* ---- series ---- */

struct extremes {
	size_t first, min, max, last;	/* points */
};

/* The points of one stretch of time; *next becomes the first behind it. */
static struct extremes stretch(const struct series *s, size_t *next, double end)
{
	struct extremes e = { *next, *next, *next, *next };
	size_t i = *next;

	do {
		double v = s->points[i].value;

		if (v < s->points[e.min].value || isnan(s->points[e.min].value))
			e.min = i;
		if (v > s->points[e.max].value || isnan(s->points[e.max].value))
			e.max = i;
		e.last = i++;
	} while (i < s->point_count && (double)s->points[i].t < end);
	*next = i;
	return e;
}

static size_t keep(struct point *out, size_t n, const struct series *s, size_t *kept, size_t i)
{
	if (n && i <= *kept)
		return n;
	*kept = i;
	out[n] = s->points[i];
	return n + 1;
}

/*
 * At most `limit` points (of at least 4) into out: time is cut evenly, and of each stretch its
 * first, smallest, largest and last point stay, so that no peak is lost.
 */
static size_t reduce(const struct series *s, size_t limit, struct point *out)
{
	size_t n = 0, next = 0, kept = 0;
	double begin, width;

	if (s->point_count <= limit) {
		if (s->point_count)
			memcpy(out, s->points, s->point_count * sizeof(*out));
		return s->point_count;
	}
	begin = (double)s->points[0].t;
	width = ((double)s->points[s->point_count - 1].t - begin) / (double)(limit / 4);
	for (size_t i = 1; next < s->point_count; i++) {
		double end = i < limit / 4 ? begin + width * (double)i : INFINITY;
		struct extremes e;

		if ((double)s->points[next].t >= end)
			continue;
		e = stretch(s, &next, end);
		n = keep(out, n, s, &kept, e.first);
		n = keep(out, n, s, &kept, e.min < e.max ? e.min : e.max);
		n = keep(out, n, s, &kept, e.min < e.max ? e.max : e.min);
		n = keep(out, n, s, &kept, e.last);
	}
	return n;
}

static void put_points(FILE *out, const struct point *points, size_t count)
{
	int64_t last = 0;

	fputs(",\"t\":[", out);
	for (size_t i = 0; i < count; i++) {
		int64_t us = points[i].t / 1000;

		fprintf(out, "%s%" PRId64, i ? "," : "", us - last);
		last = us;
	}
	fputs("],\"v\":[", out);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(',', out);
		put_number(out, points[i].value);
	}
	fputc(']', out);
}

static int put_series(FILE *out, const struct series *s, const struct point *points, size_t count)
{
	const struct { const char *name, *text; } texts[] = {
		{ "name", s->name }, { "title", s->title }, { "unit", s->unit },
		{ "host", s->host }, { "library", s->library },
		{ "device", s->device },
	};
	int err = 0;

	fprintf(out, "\n{\"trace\":%" PRIu32 ",\"process\":", s->trace);
	if (s->process >= 0)
		fprintf(out, "%" PRId64, s->process);
	else
		fputs("null", out);
	if (s->of >= 0)
		fprintf(out, ",\"of\":%" PRId64, s->of);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !err; i++) {
		fprintf(out, ",\"%s\":", texts[i].name);
		err = put_text(out, texts[i].text);
	}
	fputs(",\"mean\":", out);
	put_number(out, series_mean(s));
	put_points(out, points, count);
	fputc('}', out);
	return err;
}

/* How many points each curve of a process may have. */
static size_t process_points(const struct report *r)
{
	size_t count = 0, each;

	for (size_t i = 0; i < r->series_count; i++)
		count += r->series[i]->process >= 0;
	each = POINTS_MAX / (count ? count : 1);
	return each > PROCESS_POINTS ? PROCESS_POINTS : each < PROCESS_POINTS_MIN ? PROCESS_POINTS_MIN : each;
}

static int put_all_series(FILE *out, const struct report *r)
{
	struct point *points = need(calloc(RUN_POINTS, sizeof(*points)));
	size_t each = process_points(r), used = 0, left_out = 0;
	const char *comma = "";
	int err = 0;

	fputs(",\n\"series\":[", out);
	for (size_t i = 0; i < r->series_count && !err; i++) {
		const struct series *s = r->series[i];
		size_t n;

		if (s->process >= 0 && used >= POINTS_MAX) {
			left_out++;
			continue;
		}
		n = reduce(s, s->process < 0 ? RUN_POINTS : each, points);
		used += s->process < 0 ? 0 : n;
		fputs(comma, out);
		comma = ",";
		err = put_series(out, s, points, n);
	}
	fprintf(out, "],\n\"series_left_out\":%zu}\n", left_out);
	free(points);
	return err;
}

/* ---- short names ---- */

static void add_names(json_t *names, const struct report *r, const char *table, const char *column)
{
	const struct table *t = report_table(r, table);
	char buffer[256];

	for (size_t row = 0; t && row < t->row_count; row++) {
		const char *name = cell_text(table_get(t, row, column)), *layer = cell_text(table_get(t, row, "layer"));

		if ((!*layer || !strcmp(layer, "gpu")) && strcmp(short_name(name, buffer, sizeof(buffer)), name))
			json_object_set_new(names, name, clean_string(buffer));
	}
}

/* What the page shows of kernels' names: { name: short one }, of those that have one. */
static int put_short_names(FILE *out, const struct report *r)
{
	static const struct { const char *table, *column; } named[] = {
		{ "breakdown", "function" }, { "kernels", "kernel" }, { "phase_kernels", "kernel" },
	};
	json_t *names = json_object(), *clean;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		add_names(names, r, named[i].table, named[i].column);
	clean = clean_tree(names);
	json_decref(names);
	fputs("},\n\"short_names\":", out);
	return put_json(out, clean);
}

int html_data_write(const struct report *r, FILE *out)
{
	int err = 0;

	fputs("{\"program\":\"dltrace-report " PACKAGE_VERSION "\",\n\"tables\":{", out);
	for (size_t i = 0; i < r->table_count && !err; i++) {
		if (i)
			fputc(',', out);
		err = put_table(out, r->tables[i]);
	}
	err = err ? err : put_short_names(out, r);
	return err ? err : put_all_series(out, r);
}

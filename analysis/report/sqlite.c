/* SPDX-License-Identifier: MIT */
/*
 * SQLite: the tables and columns of the JSON, series as `series` and `points`, what columns mean as
 * `meta_columns`, and views that answer the usual questions.
 *
 * The database is made in memory, which is where the tables are, and written as the bytes of its
 * file: equal reports give equal files. Integers of SQLite have a sign: a number beyond 2^63 becomes
 * a REAL, and an id beyond it the negative number of the same bits, which still joins exactly.
 */
#include "analysis/report/writer.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>

#include "analysis/report/curve_view.h"
#include "analysis/report/escape.h"
#include "analysis/report/memory.h"

#define SCHEMA_VERSION 1	/* of tables, columns and views; as PRAGMA user_version too */

/* A row of `table` is what a column of this name means in every other one. */
static const struct key {
	const char *table, *column;
} keys[] = {
	{ "traces", "trace" },
	{ "processes", "process" },
};

/* Columns of any other name that mean a row of these. */
static const struct reference {
	const char *table, *column;
	const struct key *to;
} references[] = {
	{ "processes", "parent", &keys[1] },
};

/* What rows are looked for by. */
static const char *const indexed[] = { "trace", "process", "function", "thread", "t_ns" };

static const struct view {
	const char *name, *help, *select;
} views[] = {
	{ "top_functions", "functions by share of their layer's time, largest first",
	  "SELECT p.trace, b.process, p.name AS program, b.framework, b.layer, b.library, b.function,"
	  " b.kind, b.calls, b.outer_ns / 1e9 AS seconds, 100 * b.share AS share_percent,"
	  " 100 * b.share_of_wall AS wall_percent FROM breakdown b JOIN processes p USING (process)"
	  " ORDER BY b.share DESC, b.outer_ns DESC" },
	{ "function_growth", "which function grew: its time in each trace against the first one",
	  "WITH f AS (SELECT p.trace, b.framework, b.layer, b.function, sum(b.calls) AS calls,"
	  " sum(b.outer_ns) AS ns FROM breakdown b JOIN processes p USING (process)"
	  " GROUP BY p.trace, b.framework, b.layer, b.function),"
	  " n AS (SELECT DISTINCT framework, layer, function FROM f),"
	  " z AS (SELECT min(trace) AS trace FROM traces)"
	  " SELECT t.trace, n.framework, n.layer, n.function,"
	  " coalesce(a.calls, 0) AS calls_before, coalesce(b.calls, 0) AS calls_after,"
	  " coalesce(a.ns, 0) / 1e9 AS seconds_before, coalesce(b.ns, 0) / 1e9 AS seconds_after,"
	  " (coalesce(b.ns, 0) - coalesce(a.ns, 0)) / 1e9 AS growth_seconds,"
	  " 100.0 * (coalesce(b.ns, 0) - coalesce(a.ns, 0)) / nullif(a.ns, 0) AS growth_percent"
	  " FROM z JOIN traces t ON t.trace > z.trace JOIN n"
	  " LEFT JOIN f a ON a.trace = z.trace AND a.framework IS n.framework AND a.layer IS n.layer"
	  " AND a.function IS n.function"
	  " LEFT JOIN f b ON b.trace = t.trace AND b.framework IS n.framework AND b.layer IS n.layer"
	  " AND b.function IS n.function"
	  " WHERE a.ns IS NOT NULL OR b.ns IS NOT NULL"
	  " ORDER BY t.trace, growth_seconds DESC" },
	{ "memory_over_time", "every curve of memory, the run's (process is null) and each process's",
	  "SELECT s.trace, s.host, s.process, s.name AS what, s.library, s.device,"
	  " p.t_ns / 1e9 AS seconds, p.value AS bytes FROM series s JOIN points p USING (series) WHERE s.unit = 'bytes'"
	  " ORDER BY s.series, p.t_ns" },
	{ "memory_peaks", "when each of these curves was largest",
	  "SELECT s.trace, s.host, s.process, s.name AS what, s.library, s.device,"
	  " p.t_ns / 1e9 AS seconds, max(p.value) AS bytes FROM series s JOIN points p USING (series)"
	  " WHERE s.unit = 'bytes' GROUP BY s.series ORDER BY bytes DESC" },
	{ "time_by_kind", "time by kind of work, in the same words for every framework",
	  "SELECT p.trace, b.process, b.framework, b.layer, b.kind, sum(b.calls) AS calls,"
	  " sum(b.outer_ns) / 1e9 AS seconds, sum(CASE WHEN b.waiting THEN b.outer_ns ELSE 0 END)"
	  " / 1e9 AS waiting_seconds FROM breakdown b JOIN processes p USING (process)"
	  " GROUP BY p.trace, b.process, b.framework, b.layer, b.kind ORDER BY seconds DESC" },
	{ "failed_calls", "functions that returned errors, most first",
	  "SELECT p.trace, b.process, b.library, b.function, b.failed, b.calls,"
	  " 100.0 * b.failed / b.calls AS failed_percent FROM breakdown b"
	  " JOIN processes p USING (process) WHERE b.failed > 0 ORDER BY b.failed DESC" },
	{ "process_tree", "processes under those that made them; path orders the tree",
	  "WITH RECURSIVE tree(process, depth, path) AS ("
	  " SELECT process, 0, printf('%08d', process) FROM processes WHERE parent IS NULL"
	  " UNION ALL SELECT p.process, depth + 1, path || '/' || printf('%08d', p.process)"
	  " FROM processes p JOIN tree ON p.parent = tree.process WHERE depth < 100)"
	  " SELECT tree.depth, tree.path, p.* FROM tree JOIN processes p USING (process)"
	  " ORDER BY tree.path" },
};

struct database {
	sqlite3 *db;
	int error;	/* of SQLite; once there is one, nothing more is done */
};

static void run(struct database *d, const char *sql)
{
	if (!d->error)
		d->error = sqlite3_exec(d->db, sql, NULL, NULL, NULL);
}

/* As printf; %w is an identifier in double quotes, %Q a string in quotes. */
static void run_format(struct database *d, const char *format, ...)
{
	va_list ap;
	char *sql;

	va_start(ap, format);
	sql = need(sqlite3_vmprintf(format, ap));
	va_end(ap);
	run(d, sql);
	sqlite3_free(sql);
}

static sqlite3_stmt *prepare(struct database *d, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (!d->error)
		d->error = sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL);
	return statement;
}

/* Puts the bound row in and makes ready for the next. */
static void step(struct database *d, sqlite3_stmt *statement)
{
	int done;

	if (d->error)
		return;
	done = sqlite3_step(statement);
	if (done != SQLITE_DONE)
		d->error = done;
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
}

/* ---- cells ---- */

static void bind_text(struct database *d, sqlite3_stmt *s, int i, const char *text)
{
	if (!d->error)
		d->error = sqlite3_bind_text(s, i, text, -1, SQLITE_TRANSIENT);
}

static void bind_valid(struct database *d, sqlite3_stmt *s, int i, const char *text)
{
	char *valid = text_valid(text);

	bind_text(d, s, i, valid);
	free(valid);
}

static void bind_uint(sqlite3_stmt *s, int i, uint64_t value, enum unit unit)
{
	if (value <= INT64_MAX || unit == UNIT_ID)
		sqlite3_bind_int64(s, i, (sqlite3_int64)value);
	else
		sqlite3_bind_double(s, i, (double)value);
}

static void bind_tree(struct database *d, sqlite3_stmt *s, int i, const json_t *tree)
{
	char *text = need(json_dumps(tree, JSON_ENSURE_ASCII | JSON_SORT_KEYS | JSON_ENCODE_ANY));

	bind_text(d, s, i, text);
	free(text);
}

/* Nothing bound is NULL. */
static void bind_cell(struct database *d, sqlite3_stmt *s, int i, const struct cell *c,
		      enum unit unit)
{
	if (d->error)
		return;
	switch (c->type) {
	case CELL_INT:
		sqlite3_bind_int64(s, i, c->i);
		break;
	case CELL_UINT:
		bind_uint(s, i, c->u, unit);
		break;
	case CELL_REAL:
		if (isfinite(c->r))
			sqlite3_bind_double(s, i, c->r);
		break;
	case CELL_TEXT:
		bind_valid(d, s, i, c->text);
		break;
	case CELL_TREE:
		bind_tree(d, s, i, c->tree);
		break;
	default:
		break;
	}
}

/* ---- tables ---- */

/* Means of ns and bytes are not whole: in an INTEGER column SQLite keeps them as they are. */
static const char *type_of(enum unit unit)
{
	switch (unit) {
	case UNIT_TEXT:
	case UNIT_TREE:
		return "TEXT";
	case UNIT_FRACTION:
	case UNIT_PERCENT:
	case UNIT_REAL:
		return "REAL";
	default:
		return "INTEGER";
	}
}

static const char *const unit_names[] = {
	[UNIT_TEXT] = "text", [UNIT_ID] = "id", [UNIT_COUNT] = "count", [UNIT_NS] = "ns",
	[UNIT_TIME] = "ns since the trace's begin", [UNIT_BYTES] = "bytes",
	[UNIT_FRACTION] = "fraction", [UNIT_PERCENT] = "percent", [UNIT_REAL] = "number",
	[UNIT_TREE] = "JSON", [UNIT_ROW] = "as the column unit says",
};

static const struct key *key_of(const char *column)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].column, column))
			return &keys[i];
	return NULL;
}

static const struct key *reference_of(const char *table, const char *column)
{
	for (size_t i = 0; i < sizeof(references) / sizeof(*references); i++)
		if (!strcmp(references[i].table, table) && !strcmp(references[i].column, column))
			return references[i].to;
	return key_of(column);
}

/* " PRIMARY KEY" of what others point at, " REFERENCES ..." of what points, or "". */
static void constraint(FILE *sql, const struct report *r, const char *table, const char *column)
{
	const struct key *to = reference_of(table, column);

	if (!to || !report_table(r, to->table))
		return;
	if (!strcmp(to->table, table) && !strcmp(to->column, column))
		fputs(" PRIMARY KEY", sql);
	else
		fprintf(sql, " REFERENCES \"%s\" (\"%s\")", to->table, to->column);
}

/* Names of tables and columns are our own, plain words. */
static void create_table(struct database *d, const struct report *r, const struct table *t)
{
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);

	fprintf(sql, "CREATE TABLE \"%s\" (", t->name);
	for (size_t i = 0; i < t->column_count; i++) {
		fprintf(sql, "%s\"%s\" %s", i ? ", " : "", t->columns[i].name,
			type_of(t->columns[i].unit));
		constraint(sql, r, t->name, t->columns[i].name);
	}
	fputc(')', sql);
	text_close(sql, &text);
	run(d, text);
	free(text);
}

static void insert_rows(struct database *d, const struct table *t)
{
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);
	sqlite3_stmt *s;

	fprintf(sql, "INSERT INTO \"%s\" VALUES (", t->name);
	for (size_t i = 0; i < t->column_count; i++)
		fputs(i ? ", ?" : "?", sql);
	fputc(')', sql);
	text_close(sql, &text);
	s = prepare(d, text);
	for (size_t row = 0; row < t->row_count && !d->error; row++) {
		for (size_t i = 0; i < t->column_count; i++)
			bind_cell(d, s, (int)i + 1, &t->cells[row * t->column_count + i],
				  t->columns[i].unit);
		step(d, s);
	}
	sqlite3_finalize(s);
	free(text);
}

/* After the rows, which is faster. A key has an index already. */
static void create_indices(struct database *d, const struct table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const char *column = t->columns[i].name;
		const struct key *key = key_of(column);

		if (key && !strcmp(key->table, t->name))
			continue;
		for (size_t j = 0; j < sizeof(indexed) / sizeof(*indexed); j++)
			if (!strcmp(indexed[j], column))
				run_format(d, "CREATE INDEX \"%w_%w\" ON \"%w\" (\"%w\")", t->name,
					   column, t->name, column);
	}
}

/* ---- series ---- */

static void create_series(struct database *d)
{
	run(d, "CREATE TABLE series (series INTEGER PRIMARY KEY,"
	       " trace INTEGER REFERENCES traces (trace), host TEXT,"
	       " process INTEGER REFERENCES processes (process), library TEXT, name TEXT,"
	       " title TEXT, unit TEXT, mean REAL, device TEXT)");
	run(d, "CREATE TABLE points (series INTEGER REFERENCES series (series), t_ns INTEGER,"
	       " value REAL)");
}

static void insert_points(struct database *d, sqlite3_stmt *s, size_t series,
			  const struct series *from)
{
	for (size_t i = 0; i < from->point_count && !d->error; i++) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)series + 1);
		sqlite3_bind_int64(s, 2, from->points[i].t);
		if (isfinite(from->points[i].value))
			sqlite3_bind_double(s, 3, from->points[i].value);
		step(d, s);
	}
}

static void insert_series(struct database *d, const struct report *r)
{
	const struct table *traces = report_table(r, "traces");
	sqlite3_stmt *s = prepare(d, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	sqlite3_stmt *p = prepare(d, "INSERT INTO points VALUES (?, ?, ?)");

	for (size_t i = 0; i < r->series_count && !d->error; i++) {
		const struct series *from = r->series[i];

		sqlite3_bind_int64(s, 1, (sqlite3_int64)i + 1);
		bind_cell(d, s, 2, table_get(traces, from->trace, "trace"), UNIT_ID);
		bind_valid(d, s, 3, from->host);
		if (from->process >= 0)
			sqlite3_bind_int64(s, 4, from->process);
		if (*from->library)
			bind_valid(d, s, 5, from->library);
		bind_text(d, s, 6, from->name);
		bind_text(d, s, 7, from->title);
		bind_text(d, s, 8, from->unit);
		if (isfinite(series_mean(from)))
			sqlite3_bind_double(s, 9, series_mean(from));
		if (*from->device)
			bind_valid(d, s, 10, from->device);
		step(d, s);
		insert_points(d, p, i, from);
	}
	sqlite3_finalize(s);
	sqlite3_finalize(p);
	run(d, "CREATE INDEX points_series_t_ns ON points (series, t_ns)");
	run(d, "CREATE INDEX series_process ON series (process)");
	run(d, "CREATE INDEX series_name ON series (name)");
}

/* ---- what it all means ---- */

static void insert_columns(struct database *d, sqlite3_stmt *s, const struct table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		bind_text(d, s, 1, t->name);
		bind_text(d, s, 2, c->name);
		bind_text(d, s, 3, unit_names[c->unit]);
		bind_text(d, s, 4, c->title);
		bind_text(d, s, 5, c->help ? c->help : "");
		step(d, s);
	}
}

static const struct column of_series[] = {
	{ "series", "series", UNIT_ID, "which curve, in points" },
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "host", "host", UNIT_TEXT, "host name" },
	{ "process", "process", UNIT_ID, "whose; null: the run's or the machine's" },
	{ "library", "library", UNIT_TEXT, "whose part of it this is; null: all" },
	{ "name", "name", UNIT_TEXT, "as in JSON" },
	{ "title", "title", UNIT_TEXT, "what it is" },
	{ "unit", "unit", UNIT_TEXT, "of its values" },
	{ "mean", "mean", UNIT_REAL, "over time, of all its values, not of these points" },
	{ "device", "device", UNIT_TEXT, "GPU 3, package-0: which of several; null: it is of none" },
};

static const struct column of_points[] = {
	{ "series", "series", UNIT_ID, "which curve" },
	{ "t_ns", "time", UNIT_TIME, "" },
	{ "value", "value", UNIT_REAL, "in the unit of the series" },
};

static const struct table series_columns[] = {
	{ .name = "series", .columns = of_series, .column_count = sizeof(of_series) / sizeof(*of_series) },
	{ .name = "points", .columns = of_points, .column_count = sizeof(of_points) / sizeof(*of_points) },
};

static void add_meta(struct database *d, const struct report *r)
{
	sqlite3_stmt *s;

	run(d, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
	run_format(d, "INSERT INTO meta VALUES ('format', 'dltrace-report'), ('version', '%d')",
		   SCHEMA_VERSION);
	run_format(d, "PRAGMA user_version = %d", SCHEMA_VERSION);
	run(d, "CREATE TABLE meta_columns (\"table\" TEXT, \"column\" TEXT, unit TEXT, title TEXT,"
	       " help TEXT, PRIMARY KEY (\"table\", \"column\"))");
	s = prepare(d, "INSERT INTO meta_columns VALUES (?, ?, ?, ?, ?)");
	for (size_t i = 0; i < r->table_count; i++)
		insert_columns(d, s, r->tables[i]);
	for (size_t i = 0; i < sizeof(series_columns) / sizeof(*series_columns); i++)
		insert_columns(d, s, &series_columns[i]);
	sqlite3_finalize(s);
	run(d, "CREATE TABLE meta_views (\"view\" TEXT PRIMARY KEY, help TEXT)");
}

static void add_views(struct database *d)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		run_format(d, "CREATE VIEW \"%w\" AS %s", views[i].name, views[i].select);
		run_format(d, "INSERT INTO meta_views VALUES (%Q, %Q)", views[i].name, views[i].help);
	}
}

/* ---- the file ---- */

static void fill(struct database *d, const struct report *r)
{
	run(d, "PRAGMA journal_mode = OFF");
	run(d, "BEGIN");
	add_meta(d, r);
	for (size_t i = 0; i < r->table_count; i++) {
		create_table(d, r, r->tables[i]);
		insert_rows(d, r->tables[i]);
		create_indices(d, r->tables[i]);
	}
	create_series(d);
	insert_series(d, r);
	add_views(d);
	run(d, "COMMIT");
}

static int write_file(struct database *d, FILE *out)
{
	sqlite3_int64 size = 0;
	unsigned char *bytes = d->error ? NULL : sqlite3_serialize(d->db, "main", &size, 0);
	int err = 0;

	if (!bytes)
		return -ENOMEM;
	if (fwrite(bytes, 1, (size_t)size, out) != (size_t)size)
		err = -EIO;
	sqlite3_free(bytes);
	return err;
}

int write_sqlite(const struct report *r, const char *page, FILE *out,
		 const struct writer_options *o)
{
	struct database d = { .error = 0 };
	int err;

	(void)page;
	(void)o;
	d.error = sqlite3_open(":memory:", &d.db);
	if (!d.error)
		fill(&d, r);
	if (d.error)
		fprintf(stderr, "dltrace-report: SQLite: %s\n", sqlite3_errmsg(d.db));
	err = write_file(&d, out);
	sqlite3_close(d.db);
	return err;
}

/* SPDX-License-Identifier: MIT */
/* Makes the certificate of --verify; with --verify=full, reads each trace by both sources. */
#include "analysis/certificate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "analysis/fingerprint.h"
#include "analysis/model/model.h"
#include "analysis/report/memory.h"
#include "analysis/verify.h"


static const struct column columns[] = {
	{ "trace", "trace", UNIT_ID, "index of the trace" },
	{ "path", "path", UNIT_TEXT, "as given" },
	{ "sha256", "SHA-256", UNIT_TEXT,
	  "of its content: of the lines that sha256sum writes of all its files, sorted by name" },
	{ "files", "files", UNIT_COUNT, "that were hashed" },
	{ "bytes", "size", UNIT_BYTES, "of them" },
	{ "host", "host", UNIT_TEXT, "where it was recorded" },
	{ "command", "command", UNIT_TREE, "what was recorded" },
	{ "begin", "recorded", UNIT_TEXT, "time of the first event, ISO 8601" },
	{ "duration_ns", "duration", UNIT_NS, "from the first event to the last" },
	{ "level", "level", UNIT_TEXT, "summary, calls, full" },
	{ "recorded_by", "recorded by", UNIT_TEXT, "version of dltrace that recorded it" },
	{ "checked", "checked", UNIT_TEXT, "when, ISO 8601" },
	{ "checked_by", "checked by", UNIT_TEXT, "version of dltrace that checked it" },
	{ "passed", "passed", UNIT_COUNT, "checks" },
	{ "failed", "failed", UNIT_COUNT, "checks" },
	{ "not_applicable", "not applicable", UNIT_COUNT, "checks" },
	{ "result", "result", UNIT_TEXT, "passed, failed, unreadable" },
};

/* ---- both sources ---- */

/* The whole report of one trace by one source, as JSON; NULL and why. The caller's. */
static char *read_by(const struct options *o, const char *path, enum reader_source source,
		     void (*progress)(void), char *why)
{
	struct model_options options = MODEL_OPTIONS_INIT;
	struct reader *reader = reader_open(path, source, why, READER_ERROR_SIZE);
	struct model *m;
	struct report *r;
	char *json;
	size_t size;
	FILE *f;

	if (!reader)
		return NULL;
	options.alive = progress;
	m = model_new(&options);
	r = report_new();
	model_read(m, reader, path);
	reader_close(reader);
	analyses_run(m, r);
	f = text_open(&json, &size);
	write_json(r, NULL, f, &o->writing);
	text_close(f, &json);
	report_free(r);
	model_free(m);
	return json;
}

static void add_check(struct table *checks, const struct trace *t, const char *result, uint64_t compared,
		      double off, const char *text)
{
	table_add_row(checks);
	table_set_uint(checks, "trace", t->index);
	table_set_text(checks, "check", "sources");
	table_set_text(checks, "result", result);
	table_set_text(checks, "title", "dltrace's own decoder and babeltrace2 give the same report");
	table_set_uint(checks, "compared", compared);
	if (compared)
		table_set_real(checks, "off", off);
	table_set_text(checks, "unit", "bytes");
	table_set_text(checks, "text", text);
}

static void compare_sources(const struct options *o, const struct trace *t, struct table *checks,
			    void (*progress)(void))
{
	char why[READER_ERROR_SIZE] = "", text[128], *ours, *other = NULL;
	size_t same = 0;

	ours = read_by(o, t->path, READER_FAST, progress, why);
	if (ours)
		other = read_by(o, t->path, READER_BABELTRACE, progress, why);
	if (!other) {
		add_check(checks, t, "not applicable", 0, 0, why);
		free(ours);
		return;
	}
	while (ours[same] && ours[same] == other[same])
		same++;
	if (ours[same] == other[same])
		snprintf(text, sizeof(text), "%zu bytes of JSON", same);
	else
		snprintf(text, sizeof(text), "they differ from byte %zu of the JSON on", same);
	add_check(checks, t, ours[same] == other[same] ? "passed" : "failed", strlen(ours),
		  ours[same] == other[same] ? 0 : (double)(strlen(ours) - same) + (ours[same] == 0), text);
	free(ours);
	free(other);
}

/* ---- the certificate ---- */

static uint64_t count(const struct table *checks, size_t trace, const char *result)
{
	uint64_t n = 0;

	for (size_t row = 0; row < checks->row_count; row++)
		n += table_get(checks, row, "trace")->u == trace &&
		     !strcmp(cell_text(table_get(checks, row, "result")), result);
	return n;
}

static void copy_cell(struct table *to, const struct table *from, size_t row, const char *column)
{
	const struct cell *c = table_get(from, row, column);

	if (c->type == CELL_TEXT)
		table_set_text(to, column, c->text);
	else if (c->type == CELL_TREE)
		table_set_tree(to, column, json_incref(c->tree));
	else if (c->type != CELL_NULL)
		table_set_uint(to, column, c->u);
}

static void set_content(struct table *table, const char *path, void (*progress)(void))
{
	struct fingerprint f;
	char text[128];
	int err = fingerprint_of(path, &f, progress);

	if (!err) {
		table_set_text(table, "sha256", f.hex);
		table_set_uint(table, "files", f.files);
		table_set_uint(table, "bytes", f.bytes);
		return;
	}
	if (err == -ENOTSUP)
		snprintf(text, sizeof(text), "not known: built without libcrypto");
	else
		snprintf(text, sizeof(text), "not known: %s", strerror(-err));
	table_set_text(table, "sha256", text);
}

static void set_date(struct table *table)
{
	time_t now = time(NULL);
	char text[64];
	struct tm tm;

	if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		table_set_text(table, "checked", text);
	table_set_text(table, "checked_by", "dltrace " PACKAGE_VERSION);
}

/* True when nothing failed. */
static bool add_trace(struct table *table, const struct trace *t, const struct report *r,
		      void (*progress)(void))
{
	static const char *const copied[] = { "path", "command", "begin", "duration_ns", "level" };
	const struct table *traces = report_table(r, "traces"), *checks = report_table(r, "checks");
	uint64_t failed = count(checks, t->index, "failed"), passed = count(checks, t->index, "passed");
	char version[80];

	table_add_row(table);
	table_set_uint(table, "trace", t->index);
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
		copy_cell(table, traces, t->index, copied[i]);
	set_content(table, t->path, progress);
	set_text(table, "host", t->host);
	snprintf(version, sizeof(version), "dltrace %.60s", t->version);
	if (*t->version)
		table_set_text(table, "recorded_by", version);
	set_date(table);
	table_set_uint(table, "passed", passed);
	table_set_uint(table, "failed", failed);
	table_set_uint(table, "not_applicable", count(checks, t->index, "not applicable"));
	table_set_text(table, "result", !t->started ? "unreadable" : failed ? "failed" : "passed");
	return t->started && !failed;
}

int certificate_make(const struct options *o, const struct model *m, struct report *r,
		     void (*progress)(void))
{
	static const char *const kept[] = { "certificate", "checks", "exactness" };
	struct table *table = report_add_table(r, "certificate", "Certificate", COLUMNS(columns));
	bool passed = true;

	for (size_t i = 0; i < m->trace_count; i++) {
		if (o->verify == VERIFY_FULL && m->traces[i]->started)
			compare_sources(o, m->traces[i], report_table(r, "checks"), progress);
		passed &= add_trace(table, m->traces[i], r, progress);
	}
	report_keep(r, kept, sizeof(kept) / sizeof(*kept));
	return passed ? STATUS_OK : STATUS_PARTLY;
}

/* SPDX-License-Identifier: MIT */
/*
 * Text: what a person wants to know in ten seconds, then the tables. A section is a function and
 * one line of `sections`; one that has nothing to say prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/curve_view.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

/* ---- pieces ---- */

void text_heading(const struct text *t, const char *title, const char *remark)
{
	char *clean_title = text_clean(title, t->o->unicode);
	char *clean_remark = text_clean(remark ? remark : "", t->o->unicode);
	int room = t->o->width - text_width(clean_title) - 2;

	fputc('\n', t->out);
	style_begin(t->out, t->o, STYLE_BOLD);
	put_cut(t->out, t->o, clean_title, t->o->width, 0);
	style_end(t->out, t->o, STYLE_BOLD);
	if (*clean_remark && room > 8) {
		fputs("  ", t->out);
		style_begin(t->out, t->o, STYLE_DIM);
		put_cut(t->out, t->o, clean_remark, room, 0);
		style_end(t->out, t->o, STYLE_DIM);
	}
	fputc('\n', t->out);
	free(clean_title);
	free(clean_remark);
}

const char *text_dot(const struct text *t)
{
	return t->o->unicode ? " · " : ", ";
}

/* Cleaned text in lines of the page's width, all beginning at column `indent`. */
static void put_wrapped(const struct text *t, const char *clean, int indent)
{
	int room = t->o->width - indent > 20 ? t->o->width - indent : 20;

	for (clean += strspn(clean, " "); *clean; clean += strspn(clean, " ")) {
		size_t n = text_line(clean, room);

		fwrite(clean, 1, n, t->out);
		clean += n;
		if (clean[strspn(clean, " ")])
			fprintf(t->out, "\n%*s", indent, "");
	}
	fputc('\n', t->out);
}

void text_item(const struct text *t, const char *mark, enum style style, const char *text)
{
	char *clean = text_clean(text, t->o->unicode);

	fputs("  ", t->out);
	style_begin(t->out, t->o, style);
	fputs(mark, t->out);
	style_end(t->out, t->o, style);
	fputc(' ', t->out);
	put_wrapped(t, clean, 4);
	free(clean);
}

size_t text_rows(const struct table *t)
{
	return t ? t->row_count : 0;
}

bool text_several(const struct text *t)
{
	return text_rows(report_table(t->r, "traces")) > 1;
}

/* ---- what was run ---- */

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

char *text_command(const struct cell *c)
{
	return c->type == CELL_TREE ? format_tree(c->tree) : need(strdup(cell_text(c)));
}

char *text_exit(const struct cell *c)
{
	const json_t *tree = c->type == CELL_TREE ? c->tree : NULL;
	const json_t *status = json_object_get(tree, "status");
	const json_t *sig = json_object_get(tree, "signal");
	char *text = NULL;
	int n = 0;

	if (json_is_integer(sig)) {
		long long number = json_integer_value(sig);
		const char *name = number > 0 && number < 65 ? sigabbrev_np((int)number) : NULL;

		n = name ? asprintf(&text, "SIG%s", name) : asprintf(&text, "signal %lld", number);
	} else if (json_is_integer(status)) {
		n = asprintf(&text, "exit %lld", (long long)json_integer_value(status));
	} else if (json_is_true(json_object_get(tree, "exec"))) {
		n = asprintf(&text, "exec");
	}
	return n < 0 ? NULL : text;
}

static bool is_only_imported(const json_t *framework)
{
	const char *state = json_string_value(json_object_get(framework, "state"));

	return state && !strcmp(state, "imported");
}

/* The frameworks of a trace's processes by name; one that works anywhere works. Owned by the caller. */
static json_t *frameworks_of(const struct report *r, uint64_t trace)
{
	const struct table *processes = report_table(r, "processes");
	json_t *all = json_object();
	size_t rows = text_rows(processes);

	for (size_t row = 0; row < rows; row++) {
		const struct cell *c = table_get(processes, row, "frameworks");
		json_t *one;
		size_t i;

		if (cell_uint(table_get(processes, row, "trace")) != trace || c->type != CELL_TREE)
			continue;
		json_array_foreach(c->tree, i, one) {
			const char *name = json_string_value(json_object_get(one, "name"));
			json_t *seen = name ? json_object_get(all, name) : NULL;

			if (name && (!seen || is_only_imported(seen)))
				json_object_set(all, name, one);
		}
	}
	return all;
}

/* "Keras 3.15.1, JAX 0.10.2, PyTorch 1.13.1 (only imported)": what sits on top first, what does not work last. */
char *text_frameworks(const struct report *r, uint64_t trace)
{
	json_t *all = frameworks_of(r, trace), *one;
	const char *name;
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	for (int imported = 0; imported < 2; imported++) {
		json_object_foreach(all, name, one) {
			const char *version = json_string_value(json_object_get(one, "version"));

			if (is_only_imported(one) == imported)
				fprintf(f, "%s%s%s%s%s", ftell(f) > 0 ? ", " : "", name,
					version ? " " : "", version ? version : "",
					imported ? " (only imported)" : "");
		}
	}
	json_decref(all);
	return text_close(f, &text);
}

static void put_part(FILE *f, const struct text *t, const char *text)
{
	if (text && *text)
		fprintf(f, "%s%s", ftell(f) > 0 ? text_dot(t) : "", text);
}

static void put_number(FILE *f, const struct text *t, const char *form, enum unit unit,
		       const struct cell *c)
{
	char buf[FORMAT_SIZE], part[2 * FORMAT_SIZE];

	if (c->type == CELL_NULL)
		return;
	snprintf(part, sizeof(part), form, format_cell(buf, unit, c, t->o->unicode));
	put_part(f, t, part);
}

/* "only 2.00 s to 6.00 s of it" */
static void put_time_shown(FILE *f, const struct text *t, size_t trace)
{
	const struct table *traces = report_table(t->r, "traces");
	const struct cell *from = table_get(traces, trace, "from_ns"), *to = table_get(traces, trace, "to_ns");
	char part[96], begin[FORMAT_SIZE], end[FORMAT_SIZE];

	if (from->type == CELL_NULL || to->type == CELL_NULL)
		return;
	snprintf(part, sizeof(part), "only %s to %s of it", format_ns(begin, cell_real(from), t->o->unicode),
		 format_ns(end, cell_real(to), t->o->unicode));
	put_part(f, t, part);
}

/* "PyTorch 1.13.1 · host fire · 2 cores · 23.4 GiB · 41.2 s · exit 0" */
static void machine_line(const struct text *t, FILE *f, size_t trace)
{
	const struct table *traces = report_table(t->r, "traces");
	const struct table *machines = report_table(t->r, "machines");
	char *names = text_frameworks(t->r, trace), *ending;
	size_t rows = text_rows(machines);

	put_part(f, t, names);
	free(names);
	for (size_t row = 0; row < rows; row++) {
		if (cell_uint(table_get(machines, row, "trace")) != trace)
			continue;
		put_part(f, t, cell_text(table_get(machines, row, "host")));
		put_number(f, t, "%s cores", UNIT_COUNT, table_get(machines, row, "cpus"));
		put_number(f, t, "%s", UNIT_BYTES, table_get(machines, row, "memory_bytes"));
	}
	put_number(f, t, "%s", UNIT_NS, table_get(traces, trace, "duration_ns"));
	put_time_shown(f, t, trace);
	ending = text_exit(table_get(traces, trace, "exit"));
	put_part(f, t, ending);
	free(ending);
}

static bool is_damaged(const struct text *t, size_t trace)
{
	const struct table *findings = report_table(t->r, "findings");

	for (size_t row = 0; row < text_rows(findings); row++)
		if (!strcmp(cell_text(table_get(findings, row, "rule")), "damaged") &&
		    cell_uint(table_get(findings, row, "trace")) == trace)
			return true;
	return false;
}

/* "2026-11-21 10:24:10 UTC · level calls · 123,456 events · none lost" */
static void trace_line(const struct text *t, FILE *f, size_t trace)
{
	const struct table *traces = report_table(t->r, "traces");
	const struct cell *lost = table_get(traces, trace, "lost");
	const char *level = cell_text(table_get(traces, trace, "level"));
	char begin[32];
	size_t n;

	/* to the second: the rest is in the data formats */
	snprintf(begin, sizeof(begin), "%s", cell_text(table_get(traces, trace, "begin")));
	n = strcspn(begin, ".");
	if (begin[n] == '.')
		snprintf(begin + n, sizeof(begin) - n, "%s", strchr(begin + n, 'Z') ? " UTC" : "");
	if (n > 10 && begin[10] == 'T')
		begin[10] = ' ';
	put_part(f, t, begin);
	if (*level) {
		char part[64];

		snprintf(part, sizeof(part), "level %s", level);
		put_part(f, t, part);
	}
	put_number(f, t, "%s events", UNIT_COUNT, table_get(traces, trace, "events"));
	if (is_damaged(t, trace))
		put_part(f, t, "part of the trace is missing");
	else if (lost->type != CELL_NULL && cell_uint(lost) == 0)
		put_part(f, t, "none lost");
	else
		put_number(f, t, "%s lost", UNIT_COUNT, lost);
}

/* Bytes until the next part of a line, and what stands between the two; NULL: this is the last one. */
static size_t part_length(const struct text *t, const char *parts, const char **between)
{
	const char *const marks[] = { text_dot(t), ", " };
	size_t n = strlen(parts);

	*between = NULL;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(parts, marks[i]);

		if (!at || (size_t)(at - parts) >= n)
			continue;
		n = (size_t)(at - parts);
		*between = marks[i];
	}
	return n;
}

/* "a · b, c" in lines of the page's width that end between parts. */
static void put_split(const struct text *t, const char *clean, int indent)
{
	const char *between = NULL, *next;
	int room = t->o->width - indent, used = 0;

	for (size_t n; *clean; clean += n + (next ? strlen(next) : 0), between = next) {
		char *part = need(strndup(clean, n = part_length(t, clean, &next)));
		int width = text_width(part), gap = between ? text_width(between) : 0;

		if (used && used + gap + width + (next && *next == ',') > room) {
			fprintf(t->out, "%s\n%*s", *between == ',' ? "," : "", indent, "");
			used = gap = 0;
		} else if (used) {
			fputs(between, t->out);
		}
		put_cut(t->out, t->o, part, room, 0);
		used += gap + width;
		free(part);
	}
}

static void put_parts_line(const struct text *t, const char *text, enum style style, int indent)
{
	char *clean = text_clean(text, t->o->unicode);

	fprintf(t->out, "%*s", indent, "");
	style_begin(t->out, t->o, style);
	put_split(t, clean, indent);
	style_end(t->out, t->o, style);
	fputc('\n', t->out);
	free(clean);
}

static void put_trace_path(const struct text *t, const char *path, int indent)
{
	char *clean = text_clean(path, t->o->unicode);

	fprintf(t->out, "%*s", indent, "");
	style_begin(t->out, t->o, STYLE_DIM);
	put_cut(t->out, t->o, clean, t->o->width - indent, GRID_MIDDLE);
	style_end(t->out, t->o, STYLE_DIM);
	fputc('\n', t->out);
	free(clean);
}

static void put_built_line(const struct text *t, size_t trace, enum style style, int indent,
			   void (*build)(const struct text *, FILE *, size_t))
{
	char *text;
	size_t size;
	FILE *f = text_open(&text, &size);

	build(t, f, trace);
	if (*text_close(f, &text))
		put_parts_line(t, text, style, indent);
	free(text);
}

#define COMMAND_LINES 4	/* at most */

/* Numbered when there are several. A script given as an argument, or a long list of files, loses its middle. */
static void put_command(const struct text *t, const char *command, int indent, size_t trace)
{
	char *clean = text_clean(command && *command ? command : "(command not known)", t->o->unicode), *line;
	size_t size;
	FILE *f = text_open(&line, &size);

	put_cut(f, t->o, clean, COMMAND_LINES * t->o->width, GRID_MIDDLE);
	free(clean);
	text_close(f, &line);
	style_begin(t->out, t->o, STYLE_BOLD);
	if (indent)
		fprintf(t->out, "%-*zu", indent, trace);
	put_wrapped(t, line, indent);
	style_end(t->out, t->o, STYLE_BOLD);
	free(line);
}

static void section_header(const struct text *t)
{
	const struct table *traces = report_table(t->r, "traces");
	size_t rows = text_rows(traces);

	for (size_t row = 0; row < rows; row++) {
		char *command = text_command(table_get(traces, row, "command"));
		int indent = rows > 1 ? 4 : 0;

		if (row)
			fputc('\n', t->out);
		put_command(t, command, indent, row);
		put_built_line(t, row, STYLE_PLAIN, indent, machine_line);
		put_built_line(t, row, STYLE_DIM, indent, trace_line);
		put_trace_path(t, cell_text(table_get(traces, row, "path")), indent);
		free(command);
	}
}

/* ---- findings, failures, limits: lists of sentences ---- */

#define FINDINGS_SHOWN 8
#define OF_A_RULE 2	/* of one rule: ranks and workers have the same to say, one by one */
#define OF_A_KIND 3	/* the same of failures and limits, where there are many */

static const struct { const char *severity, *mark, *ascii; enum style style; } severity_marks[] = {
	{ "problem", "✗", "x", STYLE_PROBLEM },
	{ "warning", "!", "!", STYLE_WARNING },
	{ "info", "·", "-", STYLE_DIM },
};

#define SEVERITY_MARKS (sizeof(severity_marks) / sizeof(severity_marks[0]))

/* "calls 40, share 0.31", with what an object holds inside by its own names. */
static void put_evidence(FILE *f, json_t *tree)
{
	const size_t flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(4);
	const char *key;
	json_t *value;
	int n = 0;

	json_object_foreach(tree, key, value) {
		char *text = json_is_string(value) ? NULL : json_dumps(value, flags);

		fprintf(f, "%s%s %s", n++ ? ", " : "", key, text ? text : json_string_value(value));
		free(text);
	}
}

static void put_indented(const struct text *t, const char *text)
{
	char *clean = text_clean(text, t->o->unicode);

	style_begin(t->out, t->o, STYLE_DIM);
	fputs("    ", t->out);
	put_wrapped(t, clean, 4);
	style_end(t->out, t->o, STYLE_DIM);
	free(clean);
}

/* "a/run, since 21 s → Use a pool.": its trace where there are several. */
static void put_advice(const struct text *t, const struct table *findings, size_t row)
{
	const struct table *traces = report_table(t->r, "traces");
	const struct cell *since = table_get(findings, row, "since_ns"), *trace = table_get(findings, row, "trace");
	const char *advice = cell_text(table_get(findings, row, "advice"));
	bool dated = since->type != CELL_NULL && cell_real(since) > 0;
	char buf[FORMAT_SIZE], *line;
	size_t size;
	FILE *f = text_open(&line, &size);

	if (text_rows(traces) > 1 && trace->type != CELL_NULL)
		fprintf(f, "%s%s ", cell_text(table_get(traces, (size_t)cell_uint(trace), "name")), dated ? "," : "");
	if (dated)
		fprintf(f, "since %s ", format_cell(buf, UNIT_TIME, since, t->o->unicode));
	if (*advice)
		fprintf(f, "%s %s", t->o->unicode ? "→" : "->", advice);
	if (*text_close(f, &line))
		put_indented(t, line);
	free(line);
}

static void put_finding(const struct text *t, const struct table *findings, size_t row)
{
	const char *severity = cell_text(table_get(findings, row, "severity"));
	const struct cell *evidence = table_get(findings, row, "evidence");
	size_t i = 0, size;
	char *text;
	FILE *f;

	while (i + 1 < SEVERITY_MARKS && strcmp(severity, severity_marks[i].severity))
		i++;
	text_item(t, t->o->unicode ? severity_marks[i].mark : severity_marks[i].ascii, severity_marks[i].style,
		 cell_text(table_get(findings, row, "text")));
	put_advice(t, findings, row);
	if (!t->o->verbose || evidence->type != CELL_TREE)
		return;
	f = text_open(&text, &size);
	fputs("evidence: ", f);
	put_evidence(f, evidence->tree);
	put_indented(t, text_close(f, &text));
	free(text);
}

/* How many rows before that one have the same text in a column? */
static size_t alike_before(const struct table *list, size_t row, const char *column)
{
	const char *text = cell_text(table_get(list, row, column));
	size_t n = 0;

	for (size_t i = 0; i < row; i++)
		n += !strcmp(cell_text(table_get(list, i, column)), text);
	return n;
}

static void section_findings(const struct text *t)
{
	const struct table *findings = report_table(t->r, "findings");
	size_t rows = text_rows(findings), shown = 0;
	char buf[FORMAT_SIZE], more[64 + FORMAT_SIZE];

	text_heading(t, "Findings", NULL);
	if (!rows)
		text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, "nothing unusual");
	for (size_t row = 0; row < rows; row++) {
		if (!t->o->verbose && (shown == FINDINGS_SHOWN || alike_before(findings, row, "rule") >= OF_A_RULE))
			continue;
		put_finding(t, findings, row);
		shown++;
	}
	if (rows == shown)
		return;
	snprintf(more, sizeof(more), "and %s more (-v, or --table findings)",
		 format_whole(buf, (double)(rows - shown)));
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, more);
}

static void put_sentence(const struct text *t, const struct table *list, size_t row, enum style style)
{
	const struct cell *at = table_get(list, row, "t_ns"), *trace = table_get(list, row, "trace");
	const struct cell *process = table_get(list, row, "process");
	char buf[FORMAT_SIZE], of[FORMAT_SIZE + 16] = "", *text = NULL;

	if (text_several(t) && (trace->type != CELL_NULL || process->type != CELL_NULL))
		snprintf(of, sizeof(of), "trace %.0f%s ", trace->type != CELL_NULL ? cell_real(trace) :
							 text_trace(t->r, process),
			 at->type == CELL_NULL ? ":" : ",");
	if (asprintf(&text, "%s%s%s%s", of, at->type == CELL_NULL ? "" : format_cell(buf, UNIT_TIME, at, t->o->unicode),
		     at->type == CELL_NULL ? "" : ": ", cell_text(table_get(list, row, "text"))) < 0)
		return;
	text_item(t, t->o->unicode ? "·" : "-", style, text);
	free(text);
}

/* "and 731 more: 409 killed, 322 shared-pages (--table limits)" */
static void put_hidden(const struct text *t, const char *table, const bool *hidden, size_t rows)
{
	const struct table *list = report_table(t->r, table);
	char buf[FORMAT_SIZE], *text;
	size_t all = 0, size;
	bool *told = need(calloc(rows, sizeof(*told)));
	FILE *f = text_open(&text, &size);

	for (size_t row = 0; row < rows; row++)
		all += hidden[row];
	fprintf(f, "and %s more", format_whole(buf, (double)all));
	for (size_t row = 0, kinds = 0; row < rows; row++) {
		const char *kind = cell_text(table_get(list, row, "kind"));
		size_t of = 0;

		for (size_t i = row; hidden[row] && !told[row] && i < rows; i++) {
			bool same = hidden[i] && !strcmp(cell_text(table_get(list, i, "kind")), kind);

			of += same;
			told[i] |= same && i > row;
		}
		if (of)
			fprintf(f, "%s %s %s", kinds++ ? "," : ":", format_whole(buf, (double)of), kind);
	}
	fprintf(f, " (--table %s)", table);
	text_item(t, t->o->unicode ? "·" : "-", STYLE_DIM, text_close(f, &text));
	free(text);
	free(told);
}

/* Few of each kind: what many processes have to say must not hide what one has. */
static void put_list(const struct text *t, const char *table, const char *title, size_t most,
		     enum style style)
{
	const struct table *list = report_table(t->r, table);
	size_t rows = text_rows(list), shown = 0;
	bool *hidden;

	if (!rows)
		return;
	hidden = need(calloc(rows, sizeof(*hidden)));
	text_heading(t, title, NULL);
	for (size_t row = 0; row < rows; row++) {
		hidden[row] = rows > most && (shown == most || alike_before(list, row, "kind") >= OF_A_KIND);
		if (hidden[row])
			continue;
		put_sentence(t, list, row, style);
		shown++;
	}
	if (shown < rows)
		put_hidden(t, table, hidden, rows);
	free(hidden);
}

static void section_failures(const struct text *t)
{
	put_list(t, "failures", "Failures", 12, STYLE_PROBLEM);
}

static void section_limits(const struct text *t)
{
	put_list(t, "limits", "What limits this report", 12, STYLE_DIM);
}

/* ---- the whole ---- */

static void (*const sections[])(const struct text *) = {
	text_comparison, section_header, section_findings, text_curves, text_iterations, text_ranges,
	text_functions, text_libraries, text_phases, text_kernels, text_communication, text_scaling,
	text_processes, text_threads, text_heap, text_gpu_memory, section_failures, section_limits,
	text_failed_checks,
};

int write_text(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	const struct text t = { r, out, o };

	if (page || o->table)
		return text_page(&t, page ? page : o->table);
	if (report_table(r, "certificate")) {
		text_certificate(&t);
		return 0;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](&t);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* The head of the text report: what was run, where, when, and how it ended. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/grid.h"
#include "analysis/report/memory.h"

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

static bool is_running(const struct text *t, size_t trace)
{
	const struct table *limits = report_table(t->r, "limits");

	for (size_t row = 0; row < text_rows(limits); row++)
		if (!strcmp(cell_text(table_get(limits, row, "kind")), "running") &&
		    cell_uint(table_get(limits, row, "trace")) == trace)
			return true;
	return false;
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
	if (is_running(t, trace))
		put_part(f, t, "still being recorded");
}

static const char *unread_part(const struct text *t, size_t trace)
{
	static const struct { const char *rule, *part; } parts[] = {
		{ "other_build", "part of the trace cannot be read" }, { "damaged", "part of the trace is missing" },
	};
	const struct table *findings = report_table(t->r, "findings");

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t row = 0; row < text_rows(findings); row++)
			if (!strcmp(cell_text(table_get(findings, row, "rule")), parts[i].rule) &&
			    cell_uint(table_get(findings, row, "trace")) == trace)
				return parts[i].part;
	return NULL;
}

/* "2026-11-21 10:24:10 UTC · level calls · 123,456 events · none lost" */
static void trace_line(const struct text *t, FILE *f, size_t trace)
{
	const struct table *traces = report_table(t->r, "traces");
	const struct cell *lost = table_get(traces, trace, "lost");
	const char *level = cell_text(table_get(traces, trace, "level"));
	char begin[32];
	size_t n;

	if (table_get(traces, trace, "begin")->type == CELL_NULL) {
		put_part(f, t, "no events could be read");
		return;
	}
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
	if (unread_part(t, trace))
		put_part(f, t, unread_part(t, trace));
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
	text_wrapped(t, line, indent);
	style_end(t->out, t->o, STYLE_BOLD);
	free(line);
}

void text_head(const struct text *t)
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

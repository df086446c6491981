/* SPDX-License-Identifier: MIT */
/* How figures name traces: by what tells them apart. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

size_t figure_traces(const struct report *r)
{
	return text_rows(report_table(r, "traces"));
}

/* A command as one would tell it: words without the folders that they lie in. */
static char *short_command(const struct cell *c)
{
	json_t *words = json_array(), *word;
	struct cell shortened = { .type = CELL_TREE, .tree = words };
	char *text;
	size_t i;

	if (c->type == CELL_TREE) {
		json_array_foreach(c->tree, i, word) {
			const char *s = json_is_string(word) ? json_string_value(word) : "?";

			s = *s == '/' ? text_base_name(s) : s;
			json_array_append_new(words, json_string(s));
		}
	}
	text = text_command(&shortened);
	json_decref(words);
	return text ? text : need(strdup(""));
}

/* ---- what ran ---- */

/* The frameworks of a trace, else its command. */
static char *what_ran(const struct report *r, size_t trace)
{
	char *frameworks = text_frameworks(r, trace);

	if (*frameworks)
		return frameworks;
	free(frameworks);
	return short_command(table_get(report_table(r, "traces"), trace, "command"));
}

enum likeness { ALL_ALIKE, SOME_ALIKE, NONE_ALIKE };

static enum likeness likeness(const struct report *r)
{
	size_t count = figure_traces(r), alike = 0, pairs = count * (count - 1) / 2;
	char **what = need(calloc(count + 1, sizeof(*what)));

	for (size_t i = 0; i < count; i++)
		what[i] = what_ran(r, i);
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			alike += !strcmp(what[i], what[k]);
	for (size_t i = 0; i < count; i++)
		free(what[i]);
	free(what);
	return alike == pairs ? ALL_ALIKE : alike ? SOME_ALIKE : NONE_ALIKE;
}

/* ---- where it is ---- */

static const char *path_of(const struct report *r, size_t trace)
{
	return cell_text(table_get(report_table(r, "traces"), trace, "path"));
}

/* So many bytes of folders do all paths begin with. */
static size_t common_folders(const struct report *r)
{
	const char *first = path_of(r, 0);
	size_t common = strlen(first);

	for (size_t i = 1; i < figure_traces(r); i++) {
		const char *path = path_of(r, i);
		size_t n = 0;

		while (n < common && path[n] == first[n])
			n++;
		common = n;
	}
	while (common && first[common - 1] != '/')
		common--;
	return common;
}

/* Of a path what is not common; of one alone its last part. */
static char *place(const struct report *r, size_t trace)
{
	const char *path = path_of(r, trace);
	char *name;
	size_t n;

	path += figure_traces(r) > 1 ? common_folders(r) : 0;
	name = need(strdup(*path ? path : "."));
	for (n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
		name[n - 1] = '\0';
	if (figure_traces(r) == 1)
		memmove(name, text_base_name(name), strlen(text_base_name(name)) + 1);
	return name;
}

/* ---- both ---- */

static char *alone(const struct report *r)
{
	char *what = what_ran(r, 0);
	char *command = short_command(table_get(report_table(r, "traces"), 0, "command"));
	char *label = NULL;
	int n;

	if (*what && *command && strcmp(what, command))
		n = asprintf(&label, "%s: %s", what, command);
	else
		n = asprintf(&label, "%s", *what ? what : "trace");
	free(what);
	free(command);
	return need(n < 0 ? NULL : label);
}

void figure_trace_lines(const struct report *r, size_t trace, char **title, char **remark)
{
	*remark = NULL;
	if (figure_traces(r) == 1) {
		*title = alone(r);
	} else if (likeness(r) == ALL_ALIKE) {
		*title = place(r, trace);
	} else {
		*title = what_ran(r, trace);
		*remark = place(r, trace);
	}
}

bool figure_places_needed(const struct report *r)
{
	return figure_traces(r) > 1 && likeness(r) == SOME_ALIKE;
}

char *figure_trace_label(const struct report *r, size_t trace)
{
	char *title, *remark, *label = NULL;

	figure_trace_lines(r, trace, &title, &remark);
	if (!remark || likeness(r) == NONE_ALIKE) {
		free(remark);
		return title;
	}
	if (asprintf(&label, "%s (%s)", title, remark) < 0)
		need(NULL);
	free(title);
	free(remark);
	return label;
}

char *figure_heading(const struct report *r, const char *figure)
{
	const char *name = figure_by_name(figure)->title;
	char *what, *heading = NULL;
	size_t count = figure_traces(r);

	if (count == 1)
		return alone(r);
	if (!count || likeness(r) != ALL_ALIKE)
		return need(strdup(name));
	what = what_ran(r, 0);
	if (asprintf(&heading, "%s%s%s", what, *what ? ": " : "", name) < 0)
		need(NULL);
	free(what);
	return heading;
}

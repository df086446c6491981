/* SPDX-License-Identifier: MIT */
/* How figures name traces: by what tells them apart. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/figure.h"
#include "analysis/report/memory.h"
#include "analysis/report/text.h"

/* ---- which are shown ---- */

#define TRACES_MAX 5	/* more are too many to look at when some repeat each other */

static double run_number(const struct table *runs, size_t row, const char *column)
{
	return cell_real(table_get(runs, row, column));
}

/* The run that stands for its group: the first one that did not fail, else the first. */
static size_t first_run(const struct table *runs, double group)
{
	size_t first = runs->row_count;

	for (size_t row = 0; row < runs->row_count; row++) {
		if (run_number(runs, row, "group") != group)
			continue;
		if (run_number(runs, row, "failed") == 0)
			return row;
		first = first < runs->row_count ? first : row;
	}
	return first;
}

/* The table `runs` where only one run of each group is shown, else NULL. */
static const struct table *grouped(const struct report *r)
{
	const struct table *runs = report_table(r, "runs");

	return text_rows(report_table(r, "traces")) > TRACES_MAX && text_rows(runs) ? runs : NULL;
}

/* The trace in whose row of `runs` a job stands. */
static double first_of_job(const struct report *r, size_t trace)
{
	const struct table *traces = report_table(r, "traces");
	size_t first = 0;

	while (first < trace && cell_real(table_get(traces, first, "job")) !=
					cell_real(table_get(traces, trace, "job")))
		first++;
	return (double)first;
}

static bool stands_for_its_group(const struct report *r, const struct table *runs, size_t trace)
{
	double first = runs ? first_of_job(r, trace) : 0;

	for (size_t row = 0; runs && row < runs->row_count; row++)
		if (run_number(runs, row, "trace") == first)
			return first_run(runs, run_number(runs, row, "group")) == row;
	return true;
}

enum likeness { ALL_ALIKE, SOME_ALIKE, NONE_ALIKE };

/* What is asked for again and again, for each trace and each label: found once, for tables of so many rows. */
struct shown_traces {
	size_t trace_rows, run_rows;
	bool likeness_known, distinct_known;
	enum likeness likeness;
	bool distinct;
	size_t count;
	size_t list[];			/* rising */
};

/* Figures only look; what they find for the first time is kept where it is about. */
static struct shown_traces *shown(const struct report *r)
{
	struct report *owner = (struct report *)(uintptr_t)r;
	size_t traces = text_rows(report_table(r, "traces")), runs = text_rows(report_table(r, "runs"));
	struct shown_traces *s = r->shown;

	if (s && s->trace_rows == traces && s->run_rows == runs)
		return s;
	free(s);
	owner->shown = s = need(calloc(1, sizeof(*s) + traces * sizeof(*s->list)));
	s->trace_rows = traces;
	s->run_rows = runs;
	for (size_t trace = 0; trace < traces; trace++)
		if (stands_for_its_group(r, grouped(r), trace))
			s->list[s->count++] = trace;
	return s;
}

bool figure_shows(const struct report *r, size_t trace)
{
	const struct shown_traces *s = shown(r);
	size_t i = 0;

	while (i < s->count && s->list[i] != trace)
		i++;
	return i < s->count;
}

size_t figure_traces(const struct report *r)
{
	return shown(r)->count;
}

size_t figure_trace(const struct report *r, size_t i)
{
	return shown(r)->list[i];
}

/* ---- what ran ---- */

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

/* The frameworks of a trace, else its command. */
static char *what_ran(const struct report *r, size_t trace)
{
	char *frameworks = text_frameworks(r, trace);

	if (*frameworks)
		return frameworks;
	free(frameworks);
	return short_command(table_get(report_table(r, "traces"), trace, "command"));
}

static enum likeness find_likeness(const struct report *r)
{
	size_t count = figure_traces(r), alike = 0, pairs = count * (count - 1) / 2;
	char **what = need(calloc(count + 1, sizeof(*what)));

	for (size_t i = 0; i < count; i++)
		what[i] = what_ran(r, figure_trace(r, i));
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			alike += !strcmp(what[i], what[k]);
	for (size_t i = 0; i < count; i++)
		free(what[i]);
	free(what);
	return alike == pairs ? ALL_ALIKE : alike ? SOME_ALIKE : NONE_ALIKE;
}

static enum likeness likeness(const struct report *r)
{
	struct shown_traces *s = shown(r);

	if (!s->likeness_known)
		s->likeness = find_likeness(r);
	s->likeness_known = true;
	return s->likeness;
}

/* ---- what it is a run of ---- */

static size_t run_of(const struct table *runs, size_t trace)
{
	size_t row = 0;

	while (row < runs->row_count && run_number(runs, row, "trace") != (double)trace)
		row++;
	return row;
}

static bool is_of_study(const struct table *runs, size_t row)
{
	return row < runs->row_count && *cell_text(table_get(runs, row, "model")) &&
	       *cell_text(table_get(runs, row, "dataset"));
}

/* Are all that are shown runs of a study that differ in something? */
static bool are_distinct(const struct report *r)
{
	const struct table *runs = report_table(r, "runs");
	size_t count = figure_traces(r);
	double *groups = need(calloc(count + 1, sizeof(*groups)));
	bool distinct = text_rows(runs) && count >= 2;

	for (size_t i = 0; i < count && distinct; i++) {
		size_t row = run_of(runs, figure_trace(r, i));

		distinct = is_of_study(runs, row);
		groups[i] = distinct ? run_number(runs, row, "group") : 0;
		for (size_t k = 0; k < i && distinct; k++)
			distinct = groups[k] != groups[i];
	}
	free(groups);
	return distinct;
}

/* The table `runs` where that is so, else NULL. */
static const struct table *distinct_runs(const struct report *r)
{
	struct shown_traces *s = shown(r);

	if (!s->distinct_known)
		s->distinct = are_distinct(r);
	s->distinct_known = true;
	return s->distinct ? report_table(r, "runs") : NULL;
}

/* The group's name, without the framework that stands in front of it anyway; else where it is. */
static char *kind_or_place(const struct report *r, size_t trace, const char *framework)
{
	const struct table *runs = distinct_runs(r);
	const char *name = runs ? cell_text(table_get(runs, run_of(runs, trace), "name")) : "";
	size_t n = strlen(framework);

	if (n && !strncmp(name, framework, n) && name[n] == ' ')
		name += n + 1;
	if (!*name || !strcmp(name, framework))
		name = cell_text(table_get(report_table(r, "traces"), trace, "name"));
	return need(strdup(name));
}

/* ---- both ---- */

static char *alone(const struct report *r, size_t trace)
{
	char *what = what_ran(r, trace);
	char *command = short_command(table_get(report_table(r, "traces"), trace, "command"));
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
		*title = alone(r, trace);
	} else if (likeness(r) == ALL_ALIKE) {
		*title = kind_or_place(r, trace, "");
	} else {
		*title = what_ran(r, trace);
		*remark = kind_or_place(r, trace, *title);
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
	size_t count = figure_traces(r);
	bool some = count < text_rows(report_table(r, "traces"));
	char *what, *heading = NULL;

	if (count == 1)
		return alone(r, figure_trace(r, 0));
	what = count && likeness(r) == ALL_ALIKE ? what_ran(r, figure_trace(r, 0)) :
						   need(strdup(""));
	if (asprintf(&heading, "%s%s%s%s", what, *what ? ": " : "", name,
		     some && strcmp(figure, "kinds") ? ", one run each" : "") < 0)
		need(NULL);
	free(what);
	return heading;
}

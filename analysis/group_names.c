/* SPDX-License-Identifier: MIT */
/* What groups of runs are called: by what tells them apart, and no two of them alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/groups.h"
#include "analysis/model/memory.h"

#define NAME_SIZE 512

/* Writes a part of a group's name behind what is there. */
typedef void part_fn(const struct groups *g, size_t group, char *buffer);

static bool differs(const struct groups *g, const char *key)
{
	if (!label_tells_apart(key))
		return false;
	for (size_t i = 1; i < g->count; i++)
		if (strcmp(label_value(group_labels(g, 0), key), label_value(group_labels(g, i), key)))
			return true;
	return false;
}

static void append(char *buffer, const char *key, const char *value)
{
	size_t n = strlen(buffer);

	if (n + 1 < NAME_SIZE && *value)
		snprintf(buffer + n, NAME_SIZE - n, "%s%s%s%s", n ? " " : "", key, *key ? " " : "", value);
}

/* Of a path its last part, unless another group's path ends like it. */
static const char *shown_value(const struct groups *g, size_t group, const char *key)
{
	const char *value = label_value(group_labels(g, group), key), *last = base_name(value);

	if ((*value != '/' && *value != '.') || !*last)
		return value;
	for (size_t i = 0; i < g->count; i++) {
		const char *other = label_value(group_labels(g, i), key);

		if (strcmp(other, value) && !strcmp(base_name(other), last))
			return value;
	}
	return last;
}

/* ---- by labels ---- */

static void put_subject(const struct groups *g, size_t group, char *buffer)
{
	const struct labels *l = group_labels(g, group);
	const char *framework = label_value(l, "framework");

	append(buffer, "", *framework ? framework : label_value(l, "program"));
	for (size_t i = 0; i < l->count; i++) {
		const char *key = l->items[i].key;

		if (strcmp(key, "framework") && (!group_is_case_key(key) || !strcmp(key, "size")) && differs(g, key) &&
		    (strcmp(key, "program") || !differs(g, "framework")) &&
		    (*framework || strcmp(key, "program")))
			append(buffer, key, shown_value(g, group, key));
	}
}

static void put_name(const struct groups *g, size_t group, char *buffer)
{
	static const char *const first[] = { "framework", "model", "dataset" };
	const struct labels *l = group_labels(g, group);

	for (size_t i = 0; i < 3; i++)
		if (differs(g, first[i]) || g->count == 1)
			append(buffer, "", shown_value(g, group, first[i]));
	if (!*buffer && g->count == 1)
		append(buffer, "", label_value(l, "program"));
	for (size_t i = 0; i < l->count; i++) {
		const char *key = l->items[i].key;

		if (strcmp(key, first[0]) && strcmp(key, first[1]) && strcmp(key, first[2]) &&
		    differs(g, key) && (strcmp(key, "program") || !differs(g, "framework")))
			append(buffer, key, shown_value(g, group, key));
	}
}

/* ---- what else tells them apart ---- */

static bool is_named_baseline(const struct groups *g, size_t group)
{
	return g->named && g->list[group].baseline;
}

/* Where names have the framework, they have no program. */
static void put_program(const struct groups *g, size_t group, char *buffer)
{
	const char *program = shown_value(g, group, "program");

	if (differs(g, "framework") && differs(g, "program") && strcmp(buffer, program))
		append(buffer, "", program);
}

/* "t.hf", "t.hf and 1 more" */
static void put_place(const struct groups *g, size_t group, char *buffer)
{
	const struct group *one = &g->list[group];
	char *place = trace_name(g->runs[one->first].trace), more[40];

	append(buffer, "", place);
	free(place);
	snprintf(more, sizeof(more), "and %zu more", one->runs - 1);
	append(buffer, "", one->runs > 1 ? more : "");
}

static bool are_alike(const struct groups *g, char *const *names, size_t a, size_t b)
{
	return !strcmp(names[a], names[b]) && is_named_baseline(g, a) == is_named_baseline(g, b);
}

/* Is there another one that is called the same? */
static bool is_ambiguous(const struct groups *g, char *const *names, size_t group, bool meet)
{
	for (size_t i = 0; i < g->count; i++)
		if (i != group && are_alike(g, names, i, group) && (meet || group_same_case(g, i, group)))
			return true;
	return false;
}

/* One of them gets one more part, and so do all that are called like it. */
static void tell_apart(const struct groups *g, char **names, bool meet, part_fn *part)
{
	bool *alike = xcalloc(g->count, sizeof(*alike));

	for (size_t i = 0; i < g->count; i++)
		if (!alike[i] && is_ambiguous(g, names, i, meet))
			for (size_t k = 0; k < g->count; k++)
				alike[k] |= are_alike(g, names, i, k);
	for (size_t i = 0; i < g->count; i++)
		if (alike[i])
			part(g, i, names[i]);
	free(alike);
}

/* Their names, the caller's, in an array that is too. meet: also those that do different things must not be alike. */
static char **names_by(const struct groups *g, bool meet, part_fn *part)
{
	char **names = xcalloc(g->count, sizeof(*names));

	for (size_t i = 0; i < g->count; i++) {
		names[i] = xcalloc(1, NAME_SIZE);
		part(g, i, names[i]);
	}
	tell_apart(g, names, meet, put_program);
	tell_apart(g, names, meet, put_place);
	for (size_t i = 0; i < g->count; i++)
		if (is_named_baseline(g, i))
			append(names[i], "", "baseline");
		else if (!*names[i])
			put_place(g, i, names[i]);
	return names;
}

void groups_name(struct groups *g)
{
	char **names = names_by(g, true, put_name), **subjects = names_by(g, false, put_subject);

	for (size_t i = 0; i < g->count; i++) {
		g->list[i].name = names[i];
		g->list[i].subject = subjects[i];
	}
	free(names);
	free(subjects);
}

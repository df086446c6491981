/* SPDX-License-Identifier: MIT */
/* Which traces the command line names: baselines, which come first, and folders of recordings. */
#include "analysis/inputs.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/folders.h"

/* Whether two paths look the same but for slashes at their ends. */
static bool same_path(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	while (n > 1 && a[n - 1] == '/')
		n--;
	while (m > 1 && b[m - 1] == '/')
		m--;
	return n == m && !strncmp(a, b, n);
}

static bool is_listed(char *const *traces, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (same_path(traces[i], path))
			return true;
	return false;
}

/* What was added from `first` on loses those that are among the first `count`. */
static void drop_listed(struct folders *f, size_t first, size_t count)
{
	size_t kept = first;

	for (size_t i = first; i < f->count; i++) {
		if (is_listed(f->paths, count, f->paths[i]))
			free(f->paths[i]);
		else
			f->paths[kept++] = f->paths[i];
	}
	f->count = kept;
}

size_t inputs_choose(struct options *o, const char *const *baselines, size_t count)
{
	static struct folders chosen;
	glob_t found = { .gl_pathc = 0 };

	if (o->live)
		return count;
	for (size_t i = 0; i < count; i++)
		if (glob(baselines[i], GLOB_NOCHECK | (i ? GLOB_APPEND : 0), NULL, &found))
			return i;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		size_t first = chosen.count;

		folders_add_recordings(&chosen, found.gl_pathv[i]);
		drop_listed(&chosen, first, first);
	}
	if (count)
		globfree(&found);
	o->model.baselines = chosen.count;
	for (int i = 0; i < o->trace_count; i++) {
		size_t first = chosen.count;

		folders_add_recordings(&chosen, o->traces[i]);
		drop_listed(&chosen, first, o->model.baselines);
	}
	o->traces = chosen.paths;
	o->trace_count = (int)chosen.count;
	return count;
}

/* SPDX-License-Identifier: MIT */
/* Which traces the command line names: baselines, which come first, and folders of recordings. */
#include "analysis/inputs.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/reader/folders.h"
#include "analysis/report/escape.h"

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

/* The same folder under whatever name: its device and inode. Text may come twice, as a pipe may. */
static bool is_same_folder(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return !stat(a, &of_a) && !stat(b, &of_b) && S_ISDIR(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static void say_given_twice(const char *path)
{
	char *clean = text_clean(path, false);

	fprintf(stderr, "dltrace-report: %s: given twice, and used once\n", clean);
	free(clean);
}

/* One recording compared with itself is no two runs. */
static void drop_again(struct folders *f, size_t first, bool quiet)
{
	size_t kept = first;

	for (size_t i = first; i < f->count; i++) {
		size_t before = 0;

		while (before < kept && !is_same_folder(f->paths[before], f->paths[i]))
			before++;
		if (before == kept) {
			f->paths[kept++] = f->paths[i];
			continue;
		}
		if (!quiet)
			say_given_twice(f->paths[i]);
		free(f->paths[i]);
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
		drop_again(&chosen, first, o->quiet);
	}
	o->traces = chosen.paths;
	o->trace_count = (int)chosen.count;
	return count;
}

/* SPDX-License-Identifier: MIT */
/* Which folders below a path hold a CTF trace. */
#include "analysis/reader/folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/reader/must.h"

#define DEPTH_MAX 16		/* archives/CHUNK/ust/uid/UID/64-bit is 6 */
#define FOLDERS_MAX 100000	/* a trace has one a rotation; the root of a disk has more */

struct search {
	struct folders *found;
	struct reader *reader;		/* to tell of problems; NULL: recordings are looked for */
	bool strays;			/* then: there are traces beside them */
	unsigned visited;
};

static void add(struct folders *f, const char *path)
{
	if (f->count == f->capacity) {
		f->capacity = f->capacity ? 2 * f->capacity : 16;
		f->paths = must(realloc(f->paths, f->capacity * sizeof(*f->paths)));
	}
	f->paths[f->count++] = must(strdup(path));
}

/* record/label.c writes it. */
static bool is_recording(const char *folder)
{
	static const char begin[] = "format dltrace-recording ";
	char path[4096], line[sizeof(begin)] = "";
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/recording", folder) >= (int)sizeof(path))
		return false;
	file = source_open_file(path);
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	return strcmp(line, begin) == 0;
}

/* In a folder. */
static void note_trace(struct search *s, const char *path)
{
	if (s->reader)
		add(s->found, path);
	else
		s->strays = true;
}

/* LTTng's own two of a rotation that it could not end (2.13) are of the trace. */
static bool is_hidden(const char *name)
{
	return name[0] == '.' && strcmp(name, ".tmp_old_chunk") != 0 && strcmp(name, ".tmp_new_chunk") != 0;
}

static int search(struct search *s, const char *path, unsigned depth)
{
	char below[4096];
	struct dirent *entry;
	struct stat st;
	DIR *folder;

	if (depth > DEPTH_MAX || s->visited++ > FOLDERS_MAX)
		return 0;
	if (!s->reader && is_recording(path)) {
		add(s->found, path);
		return 0;
	}
	folder = opendir(path);
	if (!folder) {
		if (s->reader)
			source_problem(s->reader, PROBLEM_UNREADABLE, 0, "%s: %s", path, strerror(errno));
		return -errno;
	}
	while ((entry = readdir(folder))) {
		if (is_hidden(entry->d_name) || strcmp(entry->d_name, "index") == 0)
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >=
		    (int)sizeof(below) || lstat(below, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			search(s, below, depth + 1);
		else if (strcmp(entry->d_name, "metadata") == 0 && stat(below, &st) == 0 && S_ISREG(st.st_mode))
			note_trace(s, path);
	}
	closedir(folder);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int folders_find(struct folders *f, struct reader *r, const char *path, char *error, size_t size)
{
	struct search s = { .found = f, .reader = r };
	int ret = search(&s, path, 0);

	if (ret < 0) {
		snprintf(error, size, "cannot open trace: path=%s: %s", path, strerror(-ret));
		return ret;
	}
	if (f->count == 0 && r->info.problem_count) {
		snprintf(error, size, "cannot open trace: path=%s: %s", path, r->problems[0].text);
		return -EACCES;
	}
	if (f->count == 0) {
		snprintf(error, size, "cannot open trace: path=%s: no trace in it: no file "
			 "`metadata` in it or below (nothing was recorded, or it is another "
			 "folder)", path);
		return -ENOENT;
	}
	qsort(f->paths, f->count, sizeof(*f->paths), by_name);
	return 0;
}

void folders_add_recordings(struct folders *f, const char *path)
{
	struct folders below = { NULL, 0, 0 };
	struct search s = { .found = &below };
	char *folder = must(strdup(path));

	for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--)
		folder[n - 1] = '\0';
	search(&s, folder, 0);
	free(folder);
	if (below.count)
		qsort(below.paths, below.count, sizeof(*below.paths), by_name);
	if (!below.count || s.strays)
		add(f, path);
	for (size_t i = 0; i < below.count && !s.strays; i++)
		add(f, below.paths[i]);
	folders_release(&below);
}

uint64_t folders_bytes(const struct folders *f)
{
	char path[4096];
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;
	DIR *folder;

	for (size_t i = 0; i < f->count; i++) {
		folder = opendir(f->paths[i]);
		while (folder && (entry = readdir(folder))) {
			if (snprintf(path, sizeof(path), "%s/%s", f->paths[i], entry->d_name) <
			    (int)sizeof(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
				bytes += (uint64_t)st.st_size;
		}
		if (folder)
			closedir(folder);
	}
	return bytes;
}

void folders_release(struct folders *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->paths[i]);
	free(f->paths);
	*f = (struct folders){ NULL, 0, 0 };
}

/* SPDX-License-Identifier: MIT */
/* Reading the kernel's count of those that it has killed. */
#include "oom.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char counted[PATH_MAX];	/* the file; "": there is none */
static unsigned long told;

/* False: there is no such line. */
static bool read_count(unsigned long *count)
{
	FILE *f = *counted ? fopen(counted, "re") : NULL;
	char line[128];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "oom_kill %lu", count) == 1;
	if (f)
		fclose(f);
	return found;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
			return true;
	return false;
}

/* "4:memory:/group" of v1, "0::/group" of v2. In a container the path may be the host's, and the mount the group. */
static bool find_count(char *line, const char *mount)
{
	char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
	const char *folder, *file;
	unsigned long count;

	if (!group)
		return false;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (has_word(++controllers, "memory")) {
		folder = "/memory";
		file = "memory.oom_control";
	} else if (!*controllers) {
		folder = "";
		file = "memory.events";
	} else {
		return false;
	}
	snprintf(counted, sizeof(counted), "%s%s%s/%s", mount, folder, group, file);
	if (read_count(&count))
		return true;
	snprintf(counted, sizeof(counted), "%s%s/%s", mount, folder, file);
	return read_count(&count);
}

void oom_begin(const char *groups, const char *mount)
{
	FILE *f = fopen(groups, "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0)
		found = find_count(line, mount);
	free(line);
	if (f)
		fclose(f);
	if (!found || !read_count(&told))
		*counted = '\0';
}

bool oom_has_killed(void)
{
	unsigned long count;

	if (!read_count(&count) || count <= told)
		return false;
	told++;
	return true;
}

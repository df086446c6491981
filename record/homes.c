/* SPDX-License-Identifier: MIT */
/* Private folders by their names. */
#include "homes.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const home_places[] = { "/dev/shm", "/tmp", "/var/tmp", NULL };

/* The pid in a name as folder.c makes it; 0: it is no such name. */
static pid_t recorder_in(const char *name)
{
	size_t prefix = strlen(PRIVATE_PREFIX), digits;

	if (strncmp(name, PRIVATE_PREFIX, prefix) != 0)
		return 0;
	digits = strspn(name + prefix, "0123456789");
	if (!digits || name[prefix + digits] != '-' || strlen(name + prefix + digits + 1) != strlen("XXXXXX"))
		return 0;
	return (pid_t)strtol(name + prefix, NULL, 10);
}

bool homes_in(const char *place, home_visit_fn *visit, void *arg)
{
	DIR *d = opendir(place);
	struct dirent *entry;
	bool enough = false;

	while (d && !enough && (entry = readdir(d))) {
		pid_t recorder = recorder_in(entry->d_name);
		char path[PATH_MAX];

		if (recorder > 0 && snprintf(path, sizeof(path), "%s/%s", place, entry->d_name) < (int)sizeof(path))
			enough = visit(path, recorder, arg);
	}
	if (d)
		closedir(d);
	return enough;
}

bool homes_everywhere(home_visit_fn *visit, void *arg)
{
	bool enough = false;

	for (const char *const *place = home_places; *place && !enough; place++)
		enough = homes_in(*place, visit, arg);
	return enough;
}

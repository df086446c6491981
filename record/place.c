/* SPDX-License-Identifier: MIT */
/* Finds dltrace's own files relative to the running program. */
#include "place.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The program's own folder, without a slash at its end; "" when unknown. */
static void own_folder(char *folder)
{
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash;

	folder[n > 0 ? n : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
}

/* How much of the path the two have in common, in whole names: the length up to their last slash. */
static size_t common_parent(const char *a, const char *b)
{
	size_t length = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			length = i;
	return length;
}

/*
 * /opt/x/bin of a program installed to /usr/local/bin, and /usr/local/lib: /opt/x/lib. False when
 * the program's folder is not called as it was installed.
 */
static bool moved(const char *folder, const char *installed, const char *name, char *out)
{
	size_t common = common_parent(DLT_BINDIR, installed);
	const char *tail = DLT_BINDIR + common;
	size_t length = strlen(folder), end = strlen(tail);

	if (length < end || strcmp(folder + length - end, tail) != 0)
		return false;
	return snprintf(out, PATH_MAX, "%.*s%s/%s", (int)(length - end), folder, installed + common, name) <
		       PATH_MAX && access(out, R_OK) == 0;
}

int place_find(const char *in_build, const char *installed, char *out)
{
	const char *slash = strrchr(in_build, '/'), *name = slash ? slash + 1 : in_build;
	char folder[PATH_MAX];

	own_folder(folder);
	if (*folder && snprintf(out, PATH_MAX, "%s/%s", folder, in_build) < PATH_MAX && access(out, R_OK) == 0)
		return 0;
	if (moved(folder, installed, name, out))
		return 0;
	snprintf(out, PATH_MAX, "%s/%s", installed, name);
	return access(out, R_OK) == 0 ? 0 : -ENOENT;
}

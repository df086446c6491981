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

static char own_folder[PATH_MAX];	/* without a slash at its end; "" when unknown */

/* At once: in a mount namespace of its own, the program's path may not be what it was. */
__attribute__((constructor)) static void find_own_folder(void)
{
	ssize_t n = readlink("/proc/self/exe", own_folder, sizeof(own_folder) - 1);
	char *slash;

	own_folder[n > 0 ? n : 0] = '\0';
	slash = strrchr(own_folder, '/');
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
static bool moved(const char *installed, const char *name, char *out)
{
	size_t common = common_parent(DLT_BINDIR, installed);
	const char *tail = &DLT_BINDIR[common];
	size_t length = strlen(own_folder), end = strlen(tail);

	if (length < end || strcmp(own_folder + length - end, tail) != 0)
		return false;
	return snprintf(out, PATH_MAX, "%.*s%s/%s", (int)(length - end), own_folder,
			installed + common, name) <
		       PATH_MAX && access(out, R_OK) == 0;
}

int place_find(const char *in_build, const char *installed, char *out)
{
	const char *slash = strrchr(in_build, '/'), *name = slash ? slash + 1 : in_build;

	if (*own_folder && snprintf(out, PATH_MAX, "%s/%s", own_folder, in_build) < PATH_MAX &&
	    access(out, R_OK) == 0)
		return 0;
	if (moved(installed, name, out))
		return 0;
	snprintf(out, PATH_MAX, "%s/%s", installed, name);
	return access(out, R_OK) == 0 ? 0 : -ENOENT;
}

/* SPDX-License-Identifier: MIT */
/* The list of what is begun and not complete. */
#include "analysis/report/unfinished.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/report/memory.h"

#define MOST 128	/* 16 exporters (export.h) with 5 at a time, and a file */

struct unfinished {
	char path[PATH_MAX];
	bool used;		/* set when the path is there, read by others when its writer is gone */
};

static struct unfinished own[MOST], *list = own;

void unfinished_share(void)
{
	void *shared = mmap(NULL, sizeof(own), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	list = need(shared == MAP_FAILED ? NULL : shared);
}

char *unfinished_add(const char *path)
{
	for (size_t i = 0; i < MOST; i++) {
		if (list[i].used)
			continue;
		snprintf(list[i].path, sizeof(list[i].path), "%s", path);
		__atomic_store_n(&list[i].used, true, __ATOMIC_RELEASE);
		return list[i].path;
	}
	return NULL;
}

void unfinished_done(char *path)
{
	for (size_t i = 0; i < MOST; i++)
		if (list[i].path == path)
			__atomic_store_n(&list[i].used, false, __ATOMIC_RELEASE);
}

void unfinished_remove(void)
{
	for (size_t i = MOST; i-- > 0;) {
		if (!__atomic_load_n(&list[i].used, __ATOMIC_ACQUIRE))
			continue;
		if (unlink(list[i].path) && errno == EISDIR)
			rmdir(list[i].path);
		list[i].used = false;
	}
}

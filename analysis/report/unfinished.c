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

#define MOST 4096	/* three of each trace of a folder of CTF, one of each page of other folders */

/* A stack with holes, so that what lies in a folder is above it. Pages of memory that nothing is in take none. */
struct unfinished {
	bool used[MOST];	/* set when the path is there, read by others when its writer is gone */
	char path[MOST][PATH_MAX];
};

static struct unfinished own, *list = &own;

void unfinished_share(void)
{
	void *shared = mmap(NULL, sizeof(own), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	list = need(shared == MAP_FAILED ? NULL : shared);
}

char *unfinished_add(const char *path)
{
	size_t i = MOST;

	while (i && !list->used[i - 1])
		i--;
	if (i == MOST)
		return NULL;
	snprintf(list->path[i], sizeof(list->path[i]), "%s", path);
	__atomic_store_n(&list->used[i], true, __ATOMIC_RELEASE);
	return list->path[i];
}

void unfinished_done(char *path)
{
	for (size_t i = 0; i < MOST; i++)
		if (list->path[i] == path)
			__atomic_store_n(&list->used[i], false, __ATOMIC_RELEASE);
}

void unfinished_remove(void)
{
	for (size_t i = MOST; i-- > 0;) {
		if (!__atomic_load_n(&list->used[i], __ATOMIC_ACQUIRE))
			continue;
		if (unlink(list->path[i]) && errno == EISDIR)
			rmdir(list->path[i]);
		list->used[i] = false;
	}
}

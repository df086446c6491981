/* SPDX-License-Identifier: MIT */
/* Watching the room that a trace has. */
#include "disk.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "folder.h"

#define RESERVE_LEAST	(1u << 20)
#define RESERVE_MOST	(128u << 20)

/* A twentieth, within bounds: enough for what is still in the buffers. */
void disk_init(struct disk *d, const char *path)
{
	struct statvfs fs;

	*d = (struct disk){ .path = path, .reserve = RESERVE_LEAST };
	if (!*path || statvfs(path, &fs) < 0)
		return;
	d->reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 20;
	if (d->reserve < RESERVE_LEAST)
		d->reserve = RESERVE_LEAST;
	if (d->reserve > RESERVE_MOST)
		d->reserve = RESERVE_MOST;
}

bool disk_low(struct disk *d)
{
	struct statvfs fs;

	if (statvfs(d->path, &fs) < 0)
		return false;
	d->free = (uint64_t)fs.f_bavail * fs.f_frsize;
	return d->free < d->reserve;
}

uint64_t disk_current(const struct disk *d)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/ust", d->path);
	return folder_size(path);
}

static int is_archive(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Names begin with the time, so the order of names is that of time. The newest always stays. */
void disk_trim(const struct disk *d, uint64_t limit)
{
	uint64_t total = folder_size(d->path);
	char archives[PATH_MAX + 16], path[2 * PATH_MAX];
	struct dirent **list;
	int count;

	snprintf(archives, sizeof(archives), "%s/archives", d->path);
	count = scandir(archives, &list, is_archive, alphasort);
	for (int i = 0; i < count; i++) {
		int n = snprintf(path, sizeof(path), "%s/%s", archives, list[i]->d_name);

		if (i + 1 < count && total > limit && n > 0 && (size_t)n < sizeof(path)) {
			uint64_t size = folder_size(path);

			folder_remove(path);
			total -= size < total ? size : total;
		}
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

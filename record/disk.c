/* SPDX-License-Identifier: MIT */
/* Watching the room that a trace has. */
#include "disk.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

#include "folder.h"

#define RESERVE_LEAST	(1u << 20)
#define STOP_TAKES	1000	/* ms */
#define RESERVE_MOST	(128u << 20)

/* A fiftieth, within bounds and no more than a quarter of what is free, above what is still in the buffers. */
void disk_init(struct disk *d, const char *path, uint64_t buffered)
{
	struct statvfs fs;

	*d = (struct disk){ .path = path, .reserve = RESERVE_LEAST, .free = UINT64_MAX };
	if (!*path || statvfs(path, &fs) < 0)
		return;
	d->reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 50;
	if (d->reserve < RESERVE_LEAST)
		d->reserve = RESERVE_LEAST;
	if (d->reserve > RESERVE_MOST)
		d->reserve = RESERVE_MOST;
	if (d->reserve > (uint64_t)fs.f_bavail * fs.f_frsize / 4)
		d->reserve = (uint64_t)fs.f_bavail * fs.f_frsize / 4;
	d->reserve += buffered;
	disk_low(d);
}

bool disk_near(const struct disk *d)
{
	return d->free < 10 * d->reserve;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Rises at once, falls slowly: traces come in bursts. */
static void measure_rate(struct disk *d, uint64_t free_now)
{
	uint64_t now = now_ms();
	double rate;

	if (d->looked && now <= d->looked)
		return;
	rate = d->looked && free_now < d->free ? (double)(d->free - free_now) / (double)(now - d->looked) : 0;
	d->rate = rate > d->rate ? rate : d->rate * 0.95 + rate * 0.05;
	d->looked = now;
	d->free = free_now;
}

bool disk_low(struct disk *d)
{
	struct statvfs fs;

	/* Some file systems in user space say nothing: all is 0. */
	if (statvfs(d->path, &fs) < 0 || !fs.f_blocks)
		return false;
	measure_rate(d, (uint64_t)fs.f_bavail * fs.f_frsize);
	return (double)d->free < (double)d->reserve + d->rate * STOP_TAKES;
}

/* LTTng puts what is not rotated yet beside `archives`, under a name that depends on its version. */
uint64_t disk_current(const struct disk *d)
{
	uint64_t all = folder_size(d->path), rotated;
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/archives", d->path);
	rotated = folder_size(path);
	return rotated < all ? all - rotated : 0;
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

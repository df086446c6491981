/* SPDX-License-Identifier: MIT */
/* Making, measuring and removing folders. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "homes.h"
#include "orphans.h"
#include "say.h"

#define SETTLE 60	/* s in which a folder whose lock is free may still be coming up */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

/* With one descriptor at most: there may be no more. What is empty needs none. */
int folder_remove(const char *path)
{
	if (remove(path) == 0)
		return 0;
	return nftw(path, remove_one, 1, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : -errno;
}

static uint64_t sum;

static int add_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	if (type == FTW_F)
		sum += (uint64_t)st->st_size;
	return 0;
}

uint64_t folder_size(const char *path)
{
	sum = 0;
	nftw(path, add_one, 16, FTW_PHYS);
	return sum;
}

static const char *wanted;

static int is_wanted(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	return type == FTW_F && strcmp(path + ftw->base, wanted) == 0;
}

bool folder_has(const char *path, const char *name)
{
	wanted = name;
	return nftw(path, is_wanted, 16, FTW_PHYS) > 0;
}

static bool is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/* How many entries the folder has besides these; or -errno. */
static int count_others(const char *path, const char *const *names)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!d)
		return -errno;
	while ((entry = readdir(d)))
		count += !is_among(entry->d_name, names);
	closedir(d);
	return count;
}

/* It has nothing but what folder.h says: what holds more, a trace for one, is a user's, whatever it is called. */
static bool is_private(const char *path, const struct stat *st)
{
	static const char *const parts[] = { ".", "..", "lock", "box", ".lttng", "control", "trace", "log", NULL };

	return S_ISDIR(st->st_mode) && st->st_uid == geteuid() && count_others(path, parts) == 0;
}

/* True when nobody lives in the folder: its lock can be had, or it never got one. */
static bool abandoned(const char *path)
{
	char lock[PATH_MAX + 8];
	bool is_free;
	int fd;

	snprintf(lock, sizeof(lock), "%s/lock", path);
	fd = open(lock, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return is_free;
}

/* What has changed since then is left alone: its recorder may be about to take the lock. */
static bool sweep_one(const char *path, pid_t recorder, void *arg)
{
	const time_t *since = arg;
	struct stat st;

	(void)recorder;
	if (lstat(path, &st) == 0 && st.st_ctime < *since && is_private(path, &st) && abandoned(path)) {
		orphans_end(path);
		folder_remove(path);
	}
	return false;
}

static void sweep(const char *place, time_t since)
{
	homes_in(place, sweep_one, &since);
}

static int make_in(const char *place, struct private_folder *f)
{
	char path[128];
	int ids;

	snprintf(f->path, sizeof(f->path), "%s/" PRIVATE_PREFIX "%d-XXXXXX", place, (int)getpid());
	if (!mkdtemp(f->path))
		goto fail;
	/* As root the command may change its user, whose processes must reach the daemon's socket. */
	if (geteuid() == 0 && chmod(f->path, 0711) < 0)
		goto fail;
	snprintf(path, sizeof(path), "%s/lock", f->path);
	f->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (f->lock < 0 || flock(f->lock, LOCK_EX | LOCK_NB) < 0)
		goto fail;
	snprintf(path, sizeof(path), "%s/box", f->path);
	if (mkdir(path, 0700) < 0)
		goto fail;
	/* The counter of ids that all processes share: interpose/ids.c maps it. */
	snprintf(path, sizeof(path), "%s/box/ids", f->path);
	ids = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ids < 0)
		goto fail;
	close(ids);
	snprintf(path, sizeof(path), "%s/.lttng", f->path);
	if (mkdir(path, geteuid() == 0 ? 0755 : 0700) == 0)
		return 0;
fail:
	return -errno;
}

int private_folder_make(struct private_folder *f)
{
	int err = -ENOENT;

	for (const char *const *place = home_places; *place; place++) {
		*f = (struct private_folder){ .lock = -1 };
		sweep(*place, time(NULL) - SETTLE);
		err = make_in(*place, f);
		if (err == 0)
			return 0;
		private_folder_remove(f);
	}
	return err;
}

void private_folder_remove(struct private_folder *f)
{
	/* It may be the last descriptor that we may have; who sweeps the folder meanwhile only helps. */
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
	if (f->path[0])
		folder_remove(f->path);
	f->path[0] = '\0';
}

/* Was the folder itself not there? */
static int make_with_parents(char *path, bool *made)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
			return -errno;
		*slash = '/';
	}
	*made = mkdir(path, 0777) == 0;
	return !*made && errno != EEXIST ? -errno : 0;
}

void private_folder_point(const struct private_folder *f, const char *trace)
{
	char path[sizeof(f->path) + 8];

	snprintf(path, sizeof(path), "%s/trace", f->path);
	if (trace && symlink(trace, path) < 0)
		say_verbose("%s: %s", path, strerror(errno));
}

int output_folder_make(const char *path, char *absolute, bool *made)
{
	static const char *const itself[] = { ".", "..", NULL };
	char copy[PATH_MAX];
	size_t length = strlen(path);
	struct stat info;
	int err;

	if (length == 0 || length >= sizeof(copy))
		return length ? -ENAMETOOLONG : -EINVAL;
	memcpy(copy, path, length + 1);
	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	err = make_with_parents(copy, made);
	if (err)
		return err;
	if (!realpath(copy, absolute) || stat(absolute, &info) < 0)
		return -errno;
	if (!S_ISDIR(info.st_mode))
		return -ENOTDIR;
	if (count_others(absolute, itself) > 0)
		return -ENOTEMPTY;
	return access(absolute, W_OK | X_OK) == 0 ? 0 : -errno;
}

void output_folder_clear(const char *path)
{
	static const char *const parts[] = { "recording", "ust", "archives" };
	char part[PATH_MAX + 16];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(part, sizeof(part), "%s/%s", path, parts[i]);
		folder_remove(part);
	}
}

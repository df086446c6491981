/* SPDX-License-Identifier: MIT */
/*
 * open and its kin: what a program reads. A training that reads its examples from files opens each
 * of them once an epoch, in whatever order, thread or process, so a report can count by it.
 *
 * Parts of programs, settings and what is no regular file are left out (the tables below). A file
 * is known by a hash of the path that was asked for, or, where that is relative to an open folder,
 * of what the kernel calls it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "emit.h"
#include "export.h"
#include "guard.h"
#include "hash.h"
#include "library.h"
#include "objects.h"
#include "packages.h"
#include "process.h"
#include "real.h"
#include "stat.h"
#include "sys.h"

#define FOLDERS 256		/* a power of 2; of so many at most the name is told */
#define LONGEST 1024		/* bytes of a folder's path */

static const char *const not_below[] = { "/proc/", "/sys/", "/etc/", "/usr/", "/lib", "/dev/" };
static const char *const not_inside[] = { "/site-packages/", "/dist-packages/", "/__pycache__/" };
static const char *const not_ending[] = { ".py", ".pyc", ".so", ".pth" };

static uint64_t folders[FOLDERS];	/* hashes; 0: free. A forked child has its parent's */

static bool ends_in(const char *path, size_t length, const char *ending)
{
	size_t size = strlen(ending);

	return length > size && !memcmp(path + length - size, ending, size);
}

static bool is_data(const char *path, size_t length)
{
	for (size_t i = 0; i < sizeof(not_ending) / sizeof(not_ending[0]); i++)
		if (ends_in(path, length, not_ending[i]))
			return false;
	for (size_t i = 0; i < sizeof(not_below) / sizeof(not_below[0]); i++)
		if (!strncmp(path, not_below[i], strlen(not_below[i])))
			return !strncmp(path, "/dev/shm/", strlen("/dev/shm/"));
	for (size_t i = 0; i < sizeof(not_inside) / sizeof(not_inside[0]); i++)
		if (strstr(path, not_inside[i]))
			return false;
	return true;
}

/* A vfork's child writes its parent's memory. */
static void name_folder(uint64_t hash, const char *path, size_t length)
{
	for (uint64_t i = 0; i < FOLDERS; i++) {
		uint64_t *place = &folders[(hash + i) % FOLDERS], there = *place;

		if (there == hash)
			return;
		if (there)
			continue;
		if (length > LONGEST || dlt_sys_pid() != dlt_process.pid)
			return;
		if (__atomic_compare_exchange_n(place, &there, hash, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			dlt_object_named(DLT_OBJECT_FOLDER, hash, path, length);
			return;
		}
		if (there == hash)
			return;
	}
}

/* What the path is relative to is known to be the working folder, or it has no name here. */
static void identify(struct dlt_ev_file_open *e, bool here, const char *path, const struct stat *s)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash - path) : 0;

	if (!here && path[0] != '/') {
		e->path = dlt_hash(dlt_hash(DLT_HASH_BASIS, &s->st_dev, sizeof(s->st_dev)), &s->st_ino,
				  sizeof(s->st_ino));
		return;
	}
	e->folder = dlt_hash(DLT_HASH_BASIS, path, folder) | 1;
	e->path = dlt_hash(e->folder, path + folder, strlen(path + folder));
	name_folder(e->folder, slash ? path : ".", slash ? (folder ? folder : 1) : 1);
}

static void emit(int fd, bool here, const char *path, const void *caller)
{
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_ev_file_open e = { .thread = t->id };
	struct stat s;

	if (dlt_is_guarded(t) || t->helper || t->vforked || dlt_process.shut_in || !is_data(path, strlen(path)))
		return;
	if (dlt_sys(SYS_fstat, fd, (long)&s, 0, 0, 0) < 0 || !S_ISREG(s.st_mode))
		return;
	e.library = dlt_library_of(caller);
	e.size = (uint64_t)s.st_size;
	identify(&e, here, path, &s);
	dlt_emit_at(t, DLT_EV_FILE_OPEN, &e, dlt_clock_ticks());
}

/* folder: a descriptor that the path is relative to, or AT_FDCWD. */
static void opened(int fd, int folder, const char *path, bool only_reads, const void *caller)
{
	int saved = errno;

	if (fd < 0 || !dlt_process.traced)
		return;
	dlt_packages_opened(path);
	if (only_reads && dlt_enabled(DLT_EV_FILE_OPEN))
		emit(fd, folder == AT_FDCWD, path, caller);
	errno = saved;
}

static bool only_reads(int flags)
{
	return !(flags & (O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECTORY | O_PATH));
}

/* The mode counts only with flags that need one; taken in any case, as the C library itself does. */
#define MODE(mode, flags) \
	do { \
		va_list list; \
\
		va_start(list, flags); \
		if ((flags) & (O_CREAT | __O_TMPFILE)) \
			mode = va_arg(list, mode_t); \
		va_end(list); \
	} while (0)

#define OPEN(name) \
DLT_EXPORT int name(const char *path, int flags, ...) \
{ \
	mode_t mode = 0; \
	int fd; \
\
	MODE(mode, flags); \
	fd = dlt_real()->name(path, flags, mode); \
	opened(fd, AT_FDCWD, path, only_reads(flags), __builtin_return_address(0)); \
	return fd; \
}

/* What open is where a program was built with -D_FORTIFY_SOURCE and its flags are no constant. */
#define OPEN_2(name) \
DLT_EXPORT int name(const char *path, int flags); \
int name(const char *path, int flags) \
{ \
	int fd = dlt_real()->name(path, flags); \
\
	opened(fd, AT_FDCWD, path, only_reads(flags), __builtin_return_address(0)); \
	return fd; \
}

#define OPENAT(name) \
DLT_EXPORT int name(int folder, const char *path, int flags, ...) \
{ \
	mode_t mode = 0; \
	int fd; \
\
	MODE(mode, flags); \
	fd = dlt_real()->name(folder, path, flags, mode); \
	opened(fd, folder, path, only_reads(flags), __builtin_return_address(0)); \
	return fd; \
}

#define FOPEN(name) \
DLT_EXPORT FILE *name(const char *path, const char *mode) \
{ \
	FILE *file = dlt_real()->name(path, mode); \
	bool reads = file && mode[0] == 'r' && !strchr(mode, '+'); \
\
	if (file) \
		opened(fileno(file), AT_FDCWD, path, reads, __builtin_return_address(0)); \
	if (reads) \
		dlt_stat_opened(file, path); \
	return file; \
}

OPEN(open)
OPEN(open64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)

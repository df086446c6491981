/* SPDX-License-Identifier: MIT */
/* Reports into files: a temporary file beside the target, renamed when it is complete. */
#include "analysis/report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Errors of a buffered file show at the latest when it is flushed. */
static int write_page(const struct report *r, const struct writer *w, const char *page, FILE *out,
		      const struct writer_options *o)
{
	int err;

	errno = 0;
	err = w->write(r, page, out, o);
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return err;
}

/* Devices, pipes, /dev/full: nothing to rename. */
static int write_in_place(const struct report *r, const struct writer *w, const char *page,
			  const char *path, const struct writer_options *o)
{
	FILE *out = fopen(path, "we");
	int err;

	if (!out)
		return -errno;
	err = write_page(r, w, page, out, o);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static FILE *open_temporary(char *temporary)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	mode_t mask = umask(0);
	FILE *out;

	umask(mask);
	if (fd < 0)
		return NULL;
	fchmod(fd, 0666 & ~mask);
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		unlink(temporary);
	}
	return out;
}

static int write_and_rename(const struct report *r, const struct writer *w, const char *page,
			    const char *path, const struct writer_options *o)
{
	const char *slash = strrchr(path, '/');
	char temporary[PATH_MAX];
	FILE *out;
	int err;

	if (snprintf(temporary, sizeof(temporary), "%.*s.%.200s.XXXXXX",
		     slash ? (int)(slash + 1 - path) : 0, path, slash ? slash + 1 : path) >=
	    (int)sizeof(temporary))
		return -ENAMETOOLONG;
	out = open_temporary(temporary);
	if (!out)
		return -errno;
	err = write_page(r, w, page, out, o);
	if (fclose(out) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

static int write_file(const struct report *r, const struct writer *w, const char *page,
		      const char *path, const struct writer_options *o)
{
	char target[PATH_MAX];
	struct stat st;

	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!S_ISREG(st.st_mode))
			return write_in_place(r, w, page, path, o);
		if (realpath(path, target))	/* a link stays a link */
			return write_and_rename(r, w, page, target, o);
	}
	return write_and_rename(r, w, page, path, o);
}

/* The only page wanted, when there is one. */
static const char *wanted_page(const struct writer *w, const struct writer_options *o)
{
	return w->pages == PAGES_TABLES ? o->table : w->pages == PAGES_FIGURES ? o->figure : NULL;
}

static int write_folder(const struct report *r, const struct writer *w, const char *path,
			const struct writer_options *o, char *failed)
{
	const char *wanted = wanted_page(w, o), *page;
	bool one = wanted && w->pages == PAGES_FIGURES;		/* even if it shows nothing */
	int err;

	if (mkdir(path, 0777) && errno != EEXIST)
		return -errno;
	for (size_t i = 0; (page = one ? wanted : writer_page(w, r, i)); i++) {
		if (wanted && strcmp(wanted, page))
			continue;
		if (snprintf(failed, PATH_MAX, "%s%s%s", path, page, w->ending) >= PATH_MAX)
			return -ENAMETOOLONG;
		err = write_file(r, w, page, failed, o);
		if (err || one)
			return err;
	}
	return 0;
}

int output_write(const struct report *r, const struct writer *w, const char *path,
		 const struct writer_options *o, char *failed)
{
	const char *page = wanted_page(w, o);

	snprintf(failed, PATH_MAX, "%s", strcmp(path, "-") ? path : "standard output");
	if (!strcmp(path, "-"))
		return write_page(r, w, page, stdout, o);
	if (path[strlen(path) - 1] == '/')
		return write_folder(r, w, path, o, failed);
	return write_file(r, w, page, path, o);
}

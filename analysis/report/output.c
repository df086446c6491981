/* SPDX-License-Identifier: MIT */
/* Reports into files: a temporary file beside the target, renamed when it is complete. */
#include "analysis/report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/report/memory.h"
#include "analysis/report/unfinished.h"

/* Whoever cannot read what it replaces cannot read it; of a new file (NULL) the umask decides. */
static void set_access(int fd, const struct stat *replaced)
{
	mode_t mask = umask(0), mode = 0666 & ~mask;

	umask(mask);
	if (replaced) {
		mode = replaced->st_mode & 0777;
		/* Where that group cannot have it, ours may do what everybody may. */
		if (fchown(fd, replaced->st_uid, replaced->st_gid) && fchown(fd, (uid_t)-1, replaced->st_gid))
			mode &= ~(~mode << 3 & 070);
	}
	fchmod(fd, mode);
}

static FILE *open_temporary(char *temporary, const struct stat *replaced)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	FILE *out;

	if (fd < 0)
		return NULL;
	set_access(fd, replaced);
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		unlink(temporary);
	}
	return out;
}

/* The file takes the target's place when it is complete. */
static int open_beside(struct output *o, const char *path, const struct stat *replaced)
{
	const char *slash = strrchr(path, '/');
	char temporary[PATH_MAX];
	int err;

	if (snprintf(temporary, sizeof(temporary), "%.*s.%.200s.XXXXXX",
		     slash ? (int)(slash + 1 - path) : 0, path, slash ? slash + 1 : path) >=
		    (int)sizeof(temporary) ||
	    snprintf(o->target, sizeof(o->target), "%s", path) >= (int)sizeof(o->target))
		return -ENAMETOOLONG;
	o->temporary = unfinished_add(temporary);
	if (!o->temporary)
		return -EMFILE;
	o->file = open_temporary(o->temporary, replaced);
	if (o->file)
		return 0;
	err = -errno;
	unfinished_done(o->temporary);
	return err;
}

/* Devices, pipes, /dev/full: nothing to rename. */
static int open_in_place(struct output *o, const char *path)
{
	o->file = fopen(path, "we");
	return o->file ? 0 : -errno;
}

static int open_any(struct output *o, const char *path)
{
	char target[PATH_MAX];
	struct stat st;

	if (!strcmp(path, "-")) {
		o->file = stdout;
		return 0;
	}
	if (stat(path, &st))
		return open_beside(o, path, NULL);
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return open_in_place(o, path);
	/* a link stays a link */
	return open_beside(o, realpath(path, target) ? target : path, &st);
}

int output_open(struct output *o, const char *path)
{
	int err;

	o->temporary = NULL;
	err = open_any(o, path);
	errno = 0;	/* what output_close finds there is of the writing */
	return err;
}

/*
 * Closes it, complete beside its target, or with an error gone. Errors of a buffered file show at the latest when it is
 * flushed.
 */
static int complete(struct output *o, int err)
{
	if (fflush(o->file) || ferror(o->file))
		err = errno ? -errno : -EIO;
	if (o->file != stdout && fclose(o->file) && !err)
		err = -errno;
	if (err && o->temporary) {
		unlink(o->temporary);
		unfinished_done(o->temporary);
		o->temporary = NULL;
	}
	return err;
}

static int place(char *temporary, const char *target, int err)
{
	if (!err && rename(temporary, target))
		err = -errno;
	if (err)
		unlink(temporary);
	unfinished_done(temporary);
	return err;
}

int output_close(struct output *o, int err)
{
	err = complete(o, err);
	return o->temporary ? place(o->temporary, o->target, err) : err;
}

/* ---- several that are one ---- */

static struct complete *add_complete(struct outputs *l)
{
	if (l->count == l->capacity) {
		l->capacity = l->capacity ? 2 * l->capacity : 16;
		l->list = need(reallocarray(l->list, l->capacity, sizeof(*l->list)));
	}
	l->list[l->count] = (struct complete){ 0 };
	return &l->list[l->count++];
}

int outputs_folder(struct outputs *l, const char *path)
{
	if (mkdir(path, 0777))
		return errno == EEXIST ? 0 : -errno;
	add_complete(l)->temporary = unfinished_add(path);
	return 0;
}

int outputs_add(struct outputs *l, struct output *o, int err)
{
	err = complete(o, err);
	if (o->temporary)
		*add_complete(l) = (struct complete){ need(strdup(o->target)), o->temporary };
	return err;
}

static void folder_done(char *made, int err)
{
	if (made && err)
		rmdir(made);	/* only if it is empty */
	unfinished_done(made);
}

int outputs_place(struct outputs *l, int err, char *failed)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < l->count; i++) {
		const struct complete *c = &l->list[i];
		int before_it = err;

		if (c->target)
			err = place(c->temporary, c->target, err);
		if (err && !before_it && failed)
			snprintf(failed, PATH_MAX, "%s", c->target);
	}
	for (size_t i = l->count; i-- > 0; free(l->list[i].target))
		if (!l->list[i].target)
			folder_done(l->list[i].temporary, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(l->list);
	*l = (struct outputs){ 0 };
	return err;
}

/* ---- reports ---- */

/* Into `with`, if it is not alone. */
static int write_file(const struct report *r, const struct writer *w, const char *page,
		      const char *path, const struct writer_options *o, struct outputs *with)
{
	struct output out;
	int err = output_open(&out, path);

	if (err)
		return err;
	err = w->write(r, page, out.file, o);
	return with ? outputs_add(with, &out, err) : output_close(&out, err);
}

/* The only page wanted, when there is one. */
static const char *wanted_page(const struct writer *w, const struct writer_options *o)
{
	return w->pages == PAGES_TABLES ? o->table : w->pages == PAGES_FIGURES ? o->figure : NULL;
}

/* Other files' names are the user's affair, and a page that shows nothing has none. */
static int remove_empty_pages(const struct report *r, const struct writer *w, const char *path, char *failed)
{
	const char *page;

	for (size_t i = 0; (page = writer_empty_page(w, r, i)); i++) {
		if (snprintf(failed, PATH_MAX, "%s%s%s", path, page, w->ending) >= PATH_MAX)
			return -ENAMETOOLONG;
		if (unlink(failed) && errno != ENOENT && errno != EISDIR)
			return -errno;
	}
	return 0;
}

static int write_page(const struct report *r, const struct writer *w, const char *page, const char *path,
		      const struct writer_options *o, char *failed, struct outputs *pages)
{
	if (snprintf(failed, PATH_MAX, "%s%s%s", path, page, w->ending) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (o->alive)
		o->alive();
	return write_file(r, w, page, failed, o, pages);
}

static int write_folder(const struct report *r, const struct writer *w, const char *path,
			const struct writer_options *o, char *failed)
{
	const char *wanted = wanted_page(w, o), *page;
	bool one = wanted && w->pages == PAGES_FIGURES;		/* even if it shows nothing */
	struct outputs pages = { 0 };
	int err = outputs_folder(&pages, path);

	if (!err && one)
		err = write_page(r, w, wanted, path, o, failed, &pages);
	for (size_t i = 0; !err && !one && (page = writer_page(w, r, i)); i++)
		if (!wanted || !strcmp(wanted, page))
			err = write_page(r, w, page, path, o, failed, &pages);
	err = outputs_place(&pages, err, failed);
	return err || wanted ? err : remove_empty_pages(r, w, path, failed);
}

int output_write(const struct report *r, const struct writer *w, const char *path,
		 const struct writer_options *o, char *failed)
{
	const char *page = wanted_page(w, o);

	snprintf(failed, PATH_MAX, "%s", strcmp(path, "-") ? path : "standard output");
	if (path[strlen(path) - 1] == '/')
		return write_folder(r, w, path, o, failed);
	return write_file(r, w, page, path, o, NULL);
}

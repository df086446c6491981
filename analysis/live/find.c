/* SPDX-License-Identifier: MIT */
/* Finds recordings that run: by their private folders (record/folder.h says what is in them). */
#include "analysis/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/report/escape.h"
#include "record/homes.h"

struct search {
	const char *what;
	pid_t pid;		/* 0: `what` is no number */
	char folder[PATH_MAX];	/* else; absolute */
	size_t running, matching, refused;
	pid_t refused_pid;
	struct live_recording first;
	char others[512];	/* those that match, for people */
};

static void complain(const char *format, const char *what)
{
	char *clean = text_clean(what ? what : "", false);

	fputs("dltrace-report: --live: ", stderr);
	fprintf(stderr, format, clean);
	fputc('\n', stderr);
	free(clean);
}

/*
 * The lock is held as long as it runs. A lock that is a second old is never about to be taken, so
 * trying it disturbs nobody.
 */
static bool is_locked(const char *home)
{
	char path[PATH_MAX + 8];
	struct stat st;
	bool locked;
	int fd;

	snprintf(path, sizeof(path), "%s/lock", home);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == EACCES;
	locked = (fstat(fd, &st) == 0 && time(NULL) - st.st_ctime < 2) || flock(fd, LOCK_SH | LOCK_NB) < 0;
	close(fd);
	return locked;
}

bool live_is_running(const struct live_recording *r)
{
	char path[PATH_MAX + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s/box", r->home);
	return lstat(path, &st) == 0 && is_locked(r->home);
}

/* Where it writes to; "": that may not be looked at. */
static void read_trace_link(struct live_recording *r)
{
	char path[PATH_MAX + 8];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/trace", r->home);
	n = readlink(path, r->trace, sizeof(r->trace) - 1);
	r->trace[n > 0 ? n : 0] = '\0';
}

/* Does one of the boxes belong to this process? -1: they may not be looked at. */
static int has_box_of(const char *home, pid_t pid)
{
	char path[PATH_MAX + 8], prefix[32];
	struct dirent *entry;
	int found = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/box", home);
	d = opendir(path);
	if (!d)
		return errno == EACCES ? -1 : 0;
	snprintf(prefix, sizeof(prefix), "%d-", (int)pid);
	while (!found && (entry = readdir(d)))
		found = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(d);
	return found;
}

static bool matches(const struct search *s, const struct live_recording *r)
{
	char absolute[PATH_MAX];

	if (!s->what)
		return true;
	if (s->pid)
		return r->recorder == s->pid || has_box_of(r->home, s->pid) > 0;
	return (realpath(r->trace, absolute) && !strcmp(absolute, s->folder)) || !strcmp(r->home, s->folder);
}

static bool consider(const char *home, pid_t recorder, void *arg)
{
	struct live_recording r = { .recorder = recorder };
	struct search *s = arg;
	size_t length;

	snprintf(r.home, sizeof(r.home), "%s", home);
	if (!live_is_running(&r))
		return false;
	s->running++;
	if (has_box_of(r.home, r.recorder) < 0) {
		s->refused++;
		s->refused_pid = r.recorder;
		return false;
	}
	read_trace_link(&r);
	if (!matches(s, &r))
		return false;
	if (!s->matching++)
		s->first = r;
	length = strlen(s->others);
	snprintf(s->others + length, sizeof(s->others) - length, "%s%d (%.100s)", length ? ", " : "",
		 (int)r.recorder, r.trace);
	return false;
}

/* dltrace-record has made it, and does not write to it any more. */
static bool has_ended(const struct search *s)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/recording", s->folder);
	return *s->folder && access(path, F_OK) == 0;
}

static int say_nothing_found(const struct search *s)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)s->refused_pid);
	if (s->refused)
		complain("the recording of process %s is another user's: Permission denied", pid);
	else if (has_ended(s))
		complain("the recording has ended: dltrace-report %s", s->what);
	else if (!s->running)
		complain("no recording is running%s", "");
	else if (s->pid)
		complain("process %s is neither dltrace-record nor recorded by one that runs", s->what);
	else
		complain("no recording that runs writes to %s", s->what);
	return STATUS_NOTHING;
}

int live_find(const char *what, struct live_recording *r)
{
	struct search s = { .what = what };

	if (what && *what && strspn(what, "0123456789") == strlen(what)) {
		s.pid = (pid_t)strtol(what, NULL, 10);
	} else if (what && !realpath(what, s.folder)) {
		char text[PATH_MAX + 128];

		snprintf(text, sizeof(text), "%.*s: %s (the pid of a recorded process, of dltrace-record, or "
			 "the trace\'s folder is needed)", PATH_MAX, what, strerror(errno));
		complain("%s", text);
		return STATUS_NOTHING;
	}
	homes_everywhere(consider, &s);
	if (!s.matching)
		return say_nothing_found(&s);
	if (s.matching > 1) {
		complain("several recordings run, say which: %s", s.others);
		return STATUS_USAGE;
	}
	*r = s.first;
	return 0;
}

static bool writes_to(const char *home, pid_t recorder, void *folder)
{
	struct live_recording r = { .recorder = recorder };
	char absolute[PATH_MAX];

	snprintf(r.home, sizeof(r.home), "%s", home);
	read_trace_link(&r);
	return realpath(r.trace, absolute) && !strcmp(absolute, folder) && live_is_running(&r);
}

bool live_writes_to(const char *trace)
{
	char folder[PATH_MAX];

	return realpath(trace, folder) && homes_everywhere(writes_to, folder);
}

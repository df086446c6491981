/* SPDX-License-Identifier: MIT */
/* Writes the file `recording`. */
#include "label.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "say.h"
#include "severity.h"

#define NAME "/recording"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void escaped(FILE *f, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", f);
		else if (*value == '\\')
			fputs("\\\\", f);
		else
			putc(*value, f);
	}
}

void label_line(FILE *f, const char *key, const char *value)
{
	if (!f)
		return;
	fprintf(f, "%s ", key);
	escaped(f, value);
	putc('\n', f);
}

void label_note(FILE *f, int severity, const char *kind, const char *text)
{
	if (!f)
		return;
	fprintf(f, "note %d %s ", severity, kind);
	escaped(f, text);
	putc('\n', f);
}

void label_number(FILE *f, const char *key, uint64_t value)
{
	if (f)
		fprintf(f, "%s %" PRIu64 "\n", key, value);
}

void label_tell(FILE *f, const char *text)
{
	int severity = 0, at = 0;
	char kind[32] = "";

	if (sscanf(text, "%d %31s %*s %n", &severity, kind, &at) < 2 || severity < DLT_WARNING || !at)
		return;
	label_note(f, severity, kind, text + at);
	if (severity >= DLT_PROBLEM)
		say_error("%s", text + at);
	else
		say_verbose("%s", text + at);
}

FILE *label_open(const char *folder, uint64_t recording)
{
	char path[PATH_MAX + 16];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s" NAME, folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	f = fopen(path, "wxe");
	if (!f)
		return NULL;
	setvbuf(f, NULL, _IOLBF, 0);
	fprintf(f, "format dltrace-recording 1\nid 0x%016" PRIx64 "\n", recording);
	return f;
}

void label_end(FILE *f, int status)
{
	label_number(f, "end", clock_ns(CLOCK_REALTIME));
	if (WIFSIGNALED(status))
		label_number(f, "signal", (uint64_t)WTERMSIG(status));
	else
		label_number(f, "exit", (uint64_t)WEXITSTATUS(status));
}

void label_describe(FILE *f, const struct options *o)
{
	char text[PATH_MAX];

	if (!f)
		return;
	label_line(f, "level", level_names[o->level]);
	label_line(f, "host", gethostname(text, sizeof(text)) == 0 ? text : "");
	label_line(f, "version", PACKAGE_VERSION);
	label_line(f, "folder", getcwd(text, sizeof(text)) ? text : "");
	label_number(f, "begin", clock_ns(CLOCK_REALTIME));
	label_number(f, "monotonic", clock_ns(CLOCK_MONOTONIC));
	fputs("command ", f);
	for (char *const *arg = o->command; *arg; arg++) {
		if (arg != o->command)
			putc('\x1f', f);
		escaped(f, *arg);
	}
	putc('\n', f);
	for (size_t i = 0; i < o->label_count; i++)
		label_line(f, "label", o->labels[i]);
}

bool label_find_folder(FILE *f, char *folder)
{
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (!f || fstat(fileno(f), &st) < 0)
		return true;
	if (st.st_nlink == 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(f));
	n = readlink(link, path, sizeof(path));
	if (n > (ssize_t)strlen(NAME) && memcmp(path + n - strlen(NAME), NAME, strlen(NAME)) == 0) {
		path[n - (ssize_t)strlen(NAME)] = '\0';
		strcpy(folder, path);
	}
	return true;
}

void label_close(FILE **f)
{
	if (*f)
		fclose(*f);
	*f = NULL;
}

/* SPDX-License-Identifier: MIT */
/* Where the trace goes: what -o says, or a name of the program and the time. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "label.h"
#include "pattern.h"
#include "recording.h"
#include "say.h"

static void default_output(const struct options *o, char *path)
{
	const char *program = o->command ? o->command[0] : "program", *slash = strrchr(program, '/');
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(path, PATH_MAX, "dltrace-%.100s-%s-%d", slash && slash[1] ? slash + 1 : program, stamp,
		 (int)getpid());
}

int recording_output(const struct options *o, char *path)
{
	const char *bad;
	int err;

	if (!o->output) {
		default_output(o, path);
		return 0;
	}
	err = pattern_expand(o->output, path, PATH_MAX, &bad);
	if (err == 0)
		return 0;
	if (bad && strncmp(bad, "%q{", 3) == 0 && strchr(bad, '}'))
		say_error("-o %s: the variable %.*s is not set", o->output, (int)strcspn(bad + 3, "}"), bad + 3);
	else if (bad)
		say_error("-o %s: %.40s is no pattern (%%h, %%p, %%r, %%q{VARIABLE}, %%%%)", o->output, bad);
	else
		say_error("-o %s: %s", o->output, strerror(-err));
	return EXIT_OWN;
}

/* What another -o puts right: the command waits for that. Not for room, memory or a sound disk. */
static bool is_mistake(int err)
{
	static const int mistakes[] = {
		ENOTEMPTY, ENOTDIR, ENOENT, EINVAL, ENAMETOOLONG, EACCES, EPERM, ELOOP,
	};
	size_t i = 0;

	while (i < sizeof(mistakes) / sizeof(mistakes[0]) && mistakes[i] != -err)
		i++;
	return i < sizeof(mistakes) / sizeof(mistakes[0]);
}

static int cannot_record(const struct options *o, const char *path, char *absolute, int err, char *why, size_t size)
{
	bool refused = o->output && is_mistake(err);

	absolute[0] = '\0';	/* not ours to remove */
	snprintf(why, size, "cannot record into %s: %s%s", path, strerror(-err),
		 err == -ENOTEMPTY ? " (take another -o, or remove it)" : refused ? " (take another -o)" : "");
	return refused ? EXIT_OWN : err;
}

int recording_output_take(const struct options *o, const char *path, char *absolute, uint64_t id, FILE **label,
			  char *why, size_t size)
{
	if (!*absolute)
		return 0;
	*label = label_open(absolute, id);
	return *label || errno != EEXIST ? 0 : cannot_record(o, path, absolute, -ENOTEMPTY, why, size);
}

int recording_output_make(const struct options *o, const char *path, char *absolute, bool *made, char *why,
			  size_t size)
{
	int err;

	if (o->session || o->relay)
		return 0;
	err = output_folder_make(path, absolute, made);
	return err ? cannot_record(o, path, absolute, err, why, size) : 0;
}

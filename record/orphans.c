/* SPDX-License-Identifier: MIT */
/* Finding daemons by the log that they write, which nobody else has open. */
#include "orphans.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampler/proc.h"

static bool writes_to(const struct stat *log, long pid)
{
	struct stat output;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", pid, STDOUT_FILENO);
	return stat(path, &output) == 0 && output.st_dev == log->st_dev && output.st_ino == log->st_ino;
}

/* A daemon of several recordings leads a session of its own, one recording's is in that of dltrace-record. */
static void look_at(void *data, long pid)
{
	if (writes_to(data, pid) && !writes_to(data, getsid((pid_t)pid)))
		kill((pid_t)pid, SIGKILL);
}

void orphans_end(const char *home)
{
	char path[PATH_MAX];
	struct stat log;

	if (snprintf(path, sizeof(path), "%s/log", home) < (int)sizeof(path) && lstat(path, &log) == 0)
		proc_numbers("/proc", look_at, &log);
}

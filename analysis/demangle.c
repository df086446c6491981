/* SPDX-License-Identifier: MIT */
/*
 * C++ names by libstdc++, which is opened where there is a name to read: the report does not need
 * it to be there. A hostile name of a hundred bytes can mean gigabytes of text and years of work,
 * since each part may refer twice to the one before: names with many references are read by a
 * child that has a second of time and some MiB of room.
 */
#include "analysis/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM (16ul << 20)	/* bytes */
#define REFERENCES 24		/* no more than some MiB of text */

typedef char *(*demangle_fn)(const char *mangled, char *to, size_t *size, int *status);

static demangle_fn demangler(void)
{
	static demangle_fn found;
	static bool looked;
	void *library;

	if (!looked) {
		library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		if (library)
			*(void **)&found = dlsym(library, "__cxa_demangle");
		looked = true;
	}
	return found;
}

/* Bytes of data that the process has; 0: not known. */
static size_t data_size(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) == 0 && limit.rlim_cur > most)
		limit.rlim_cur = most;
	setrlimit(resource, &limit);
}

/* The child's part. */
static void __attribute__((noreturn)) tell(demangle_fn f, const char *mangled, size_t size, int to)
{
	size_t data = data_size();
	char *text;
	int status;

	limit(RLIMIT_CPU, 1);
	limit(RLIMIT_DATA, data + ROOM);
	text = data ? f(mangled, NULL, NULL, &status) : NULL;
	if (text && write(to, text, strnlen(text, size - 1)) < 0)
		_exit(1);
	_exit(0);
}

static bool by_child(demangle_fn f, const char *mangled, char *to, size_t size)
{
	size_t length = 0;
	int ends[2];
	ssize_t n;
	pid_t pid;

	if (pipe(ends) < 0)
		return false;
	pid = fork();
	if (pid == 0)
		tell(f, mangled, size, ends[1]);
	close(ends[1]);
	while (pid > 0 && (n = read(ends[0], to + length, size - 1 - length)) > 0)
		length += (size_t)n;
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	to[length] = '\0';
	return length > 0;
}

static unsigned references(const char *mangled)
{
	unsigned count = 0;

	for (const char *c = mangled; *c; c++)
		count += *c == 'S' || *c == 'T';
	return count;
}

char *demangle(const char *mangled, char *to, size_t size)
{
	demangle_fn f = strncmp(mangled, "_Z", 2) == 0 ? demangler() : NULL;
	char *text = NULL;
	int status;

	if (f && references(mangled) > REFERENCES) {
		if (by_child(f, mangled, to, size))
			return to;
	} else if (f) {
		text = f(mangled, NULL, NULL, &status);
	}
	snprintf(to, size, "%s", text ? text : mangled);
	free(text);
	return to;
}

/* SPDX-License-Identifier: MIT */
/* build: -shared -fPIC */
/* A library to be preloaded: adds a line to the file $LIMITS whenever the process sets a limit of its CPU time. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void note(void)
{
	const char *path = getenv("LIMITS");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd < 0 || write(fd, "set\n", 4) != 4)
		abort();
	close(fd);
}

static int set(const char *name, int resource, const void *limit)
{
	union {
		void *object;
		int (*function)(int resource, const void *limit);
	} real = { dlsym(RTLD_NEXT, name) };

	if (resource == RLIMIT_CPU)
		note();
	return real.function(resource, limit);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return set("setrlimit", (int)resource, limit);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return set("setrlimit64", (int)resource, limit);
}

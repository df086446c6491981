/* SPDX-License-Identifier: MIT */
/* Gives exec and posix_spawn addresses at which nothing is, and prints what they say: the kernel answers with EFAULT. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *volatile nowhere = (void *)1;	/* volatile: compilers would warn */
static char *list[] = { "true", NULL };
static char *with_one[] = { NULL, NULL };

/* Two pages, and nothing behind them. */
static char *before_nothing(void)
{
	char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + 2 * 4096, 4096);
	return p;
}

static void say(const char *what, int err)
{
	printf("%s: %s\n", what, strerror(err));
	fflush(stdout);
}

static void try(const char *what, const char *path, char **argv, char **envp)
{
	pid_t child;
	int status;

	execve(path, argv, envp);
	say(what, errno);
	child = vfork();
	if (child == 0) {
		execve(path, argv, envp);
		_exit(errno);
	}
	waitpid(child, &status, 0);
	say(what, WEXITSTATUS(status));
}

int main(void)
{
	char *end = before_nothing() + 2 * 4096, **no_end = (char **)end - 3;
	pid_t child;

	with_one[0] = nowhere;
	memset(end - 4096, 'a', 4096);
	no_end[0] = no_end[1] = no_end[2] = "A=b";
	try("path", nowhere, list, environ);
	try("no path", NULL, list, environ);
	try("path without an end", end - 4096, list, environ);
	try("arguments", "/bin/true", nowhere, environ);
	try("an argument", "/bin/true", with_one, environ);
	try("environment", "/bin/true", list, nowhere);
	try("a variable", "/bin/true", list, with_one);
	try("environment without an end", "/bin/true", list, no_end);
	with_one[0] = memset(end - 100, 'a', 100);
	try("a variable without an end", "/bin/true", list, with_one);
	with_one[0] = nowhere;
	execveat(AT_FDCWD, nowhere, list, environ, 0);
	say("execveat", errno);
	execveat(open("/", O_PATH), nowhere, list, environ, 0);
	say("execveat in a folder", errno);
	say("posix_spawn, path", posix_spawn(&child, nowhere, NULL, NULL, list, environ));
	say("posix_spawn, environment", posix_spawn(&child, "/bin/true", NULL, NULL, list, nowhere));
	say("posix_spawn, a variable", posix_spawn(&child, "/bin/true", NULL, NULL, list, with_one));
	return 0;
}

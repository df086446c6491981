/* SPDX-License-Identifier: MIT */
/*
 * Ends in the way that it is told: ends WAY [ARGUMENT]. "chain" makes a child in each way that
 * there is, each with an end of its own, and prints what waitpid tells of them.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;

static void end(const char *way)
{
	static volatile int *nowhere;

	if (strcmp(way, "exit") == 0)
		exit(41);
	if (strcmp(way, "_exit") == 0)
		_exit(42);
	if (strcmp(way, "_Exit") == 0)
		_Exit(43);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(44);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "segv") == 0)
		*nowhere = 1;
	if (strcmp(way, "raise") == 0)
		raise(SIGTERM);
	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(way, "exec") == 0)
		execl(self, self, "exit", NULL);
	if (strcmp(way, "noexec") == 0 && execl("/nonexistent", "x", NULL) < 0 && errno == ENOENT)
		exit(45);
}

static void tell(const char *what, pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		printf("%s: no child\n", what);
	else if (WIFSIGNALED(status))
		printf("%s: signal %d\n", what, WTERMSIG(status));
	else
		printf("%s: status %d\n", what, WEXITSTATUS(status));
	fflush(stdout);
}

static void forked(const char *way)
{
	pid_t child = fork();

	if (child == 0) {
		end(way);
		_exit(99);
	}
	tell(way, child);
}

/* Twice from one place, and a failing exec in between: the child writes on our stack. */
static void vforked(const char *program, const char *name)
{
	volatile pid_t before = getpid();
	pid_t child = vfork();

	if (child == 0) {
		char room[4096];

		memset(room, 'x', sizeof(room));
		__asm__ volatile("" ::"r"(room) : "memory");
		execl(program, program, "exit", NULL);
		_exit(errno == ENOENT ? 46 : 47);
	}
	if (getpid() != before)
		printf("vfork: lost itself\n");
	tell(name, child);
}

static void spawned(const char *program, const char *name)
{
	char *argv[] = { (char *)program, "_exit", NULL };
	pid_t child;
	int error = posix_spawn(&child, program, NULL, NULL, argv, environ);

	if (error)
		printf("%s: error %d\n", name, error);
	else
		tell(name, child);
}

static void chain(void)
{
	static const char *const ways[] = { "exit", "_exit", "_Exit", "quick_exit", "abort", "segv",
					    "raise", "kill", "exec", "noexec" };
	FILE *f;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		forked(ways[i]);
	vforked(self, "vfork");
	vforked("/nonexistent", "vfork without a program");
	vforked(self, "vfork");
	spawned(self, "spawn");
	spawned("/nonexistent", "spawn without a program");
	printf("system: %d\n", system("exit 7") >> 8);
	f = popen("exit 8", "r");
	printf("popen: %d\n", f ? pclose(f) >> 8 : -1);
}

/* Many at once, each with an end of its own. */
static int many(int n)
{
	int sum = 0, status;

	fflush(stdout);
	for (int i = 0; i < n; i++) {
		pid_t child = fork();

		if (child < 0)
			return 1;
		if (child == 0) {
			free(malloc(100000));
			i % 2 ? _exit(i % 100) : exit(i % 100);
		}
	}
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	printf("%d children, sum %d\n", n, sum);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct rlimit no_core;

	setrlimit(RLIMIT_CORE, &no_core);
	self = argv[0];
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "many") == 0)
		return many(argc > 2 ? atoi(argv[2]) : 200);
	if (strcmp(argv[1], "chain") == 0)
		chain();
	else
		end(argv[1]);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * fork_full FOLDER KIB: fills the file system of FOLDER up to that many KiB, forks, and makes events in the child.
 * Exits as the child did.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static void make_events(void)
{
	for (int i = 0; i < 100; i++)
		free(malloc(5 << 20));
}

static void fill(const char *folder, long left)
{
	static char page[PAGE];
	char path[300];
	long pages = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/filler", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	while (write(fd, page, sizeof(page)) == sizeof(page))
		pages++;
	if (ftruncate(fd, (pages - left * 1024 / PAGE) * PAGE) < 0)
		abort();
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	make_events();
	fill(argv[1], argc > 2 ? atol(argv[2]) : 0);
	child = fork();
	if (child == 0) {
		make_events();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		return 1;
	if (WIFSIGNALED(status))
		printf("%s\n", strsignal(WTERMSIG(status)));
	return WIFSIGNALED(status) ? 2 : WEXITSTATUS(status);
}

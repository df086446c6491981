/* SPDX-License-Identifier: MIT */
/* Letting go of what is open for the command. */
#include "inherited.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 65536	/* descriptors to look at one by one, where /proc is not there: a limit may allow 2^30 */

/* The command finds them closed as ever: these close on exec. */
void inherited_fill(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static void let_go(int fd)
{
	int flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : FD_CLOEXEC;

	if (flags >= 0 && !(flags & FD_CLOEXEC))
		close(fd);
}

void inherited_let_go(void)
{
	DIR *open_now = opendir("/proc/self/fd");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct dirent *entry;

	while (open_now && (entry = readdir(open_now)))
		let_go(atoi(entry->d_name));
	if (open_now)
		closedir(open_now);
	for (int fd = 0, most = open_now ? 0 : MOST; fd < most; fd++)
		let_go(fd);
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
}

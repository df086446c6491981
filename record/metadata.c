/* SPDX-License-Identifier: MIT */
/* Blocks behind the end of a file, which what is written there later uses. */
#include "metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (256 << 10)	/* bytes; all classes of events take some 40 KiB, the libraries of a process more */

int metadata_reserve(const char *output)
{
	char path[PATH_MAX + 64];
	int fd, err;

	snprintf(path, sizeof(path), "%s/ust/uid/%u/%zu-bit/metadata", output, (unsigned)geteuid(), 8 * sizeof(void *));
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, ROOM) == 0)
		return fd;
	err = errno == EDQUOT ? ENOSPC : errno;
	close(fd);
	return -err;
}

void metadata_trim(int fd)
{
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size < ROOM && ftruncate(fd, st.st_size) < 0)
		errno = 0;	/* it only takes more room than it needs */
	close(fd);
}

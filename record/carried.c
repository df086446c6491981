/* SPDX-License-Identifier: MIT */
/* A page for counts. */
#include "carried.h"

#include <sys/mman.h>
#include <unistd.h>

int carried_make(void)
{
	int fd = memfd_create("dltrace-counts", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, sizeof(struct carried)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

struct carried *carried_map(int fd)
{
	void *page;

	if (fd < 0)
		return NULL;
	page = mmap(NULL, sizeof(struct carried), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return NULL;
	return page;
}

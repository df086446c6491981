/* SPDX-License-Identifier: MIT */
/*
 * What black boxes say: boxes FOLDER. One line a box: pid, state, exit code, threads of the
 * application that are alive, helpers, events.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box.h"

static void show(const char *data, size_t size)
{
	const struct dlt_box_header *h = (const void *)data;
	uint64_t events = 0;
	unsigned alive = 0;

	if (size < sizeof(*h) || h->magic != DLT_BOX_MAGIC)
		return;
	for (uint32_t i = 0; i < h->slots_used; i++) {
		const struct dlt_box_slot *s = (const void *)(data + h->slots_offset + i * sizeof(*s));

		if ((size_t)((const char *)(s + 1) - data) > size)
			break;
		alive += s->thread && !s->helper;
		events += s->events + s->base_events;
	}
	printf("pid %u state %u code %d threads %u helpers %u events %lu\n", h->pid, h->state,
	       h->exit_code, alive, h->helpers, (unsigned long)events);
}

int main(int argc, char **argv)
{
	DIR *d = argc > 1 ? opendir(argv[1]) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		int fd = openat(dirfd(d), e->d_name, O_RDONLY);
		struct stat st;
		void *data;

		if (strstr(e->d_name, ".box") && fstat(fd, &st) == 0 && st.st_size > 0) {
			data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
			if (data != MAP_FAILED)
				show(data, (size_t)st.st_size);
		}
		close(fd);
	}
	return !d;
}

/* SPDX-License-Identifier: MIT */
/*
 * Prints the ledger of GPU memory in a folder of black boxes, a line a row: ledgerdump FOLDER
 *   PID KIND DEVICE LIBRARY LIVE PEAK ALLOCATED ALLOCATIONS FREES LARGEST FAILED REFUSED FREE
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "box.h"
#include "memory_kinds.h"

static void dump(const char *box)
{
	const struct dlt_box_header *h = (const void *)box;
	const struct dlt_box_memory *row = (const void *)(box + h->memory_offset);
	const struct dlt_box_library *libraries = (const void *)(box + h->libraries_offset);

	for (uint32_t i = 0; i < h->memory_used; i++, row++) {
		const char *path = libraries[row->key & 0xffff].path, *slash = strrchr(path, '/');

		if (!row->key)
			continue;
		printf("%u %s %lu %s %ld %ld %lu %lu %lu %lu %lu %lu %lu\n", h->pid,
		       dlt_memory_kind(row->key >> 24 & 255)->name, row->key >> 16 & 255,
		       row->key & 0xffff ? slash ? slash + 1 : path : "-", row->live, row->peak,
		       row->allocated, row->allocations, row->frees, row->largest, row->failed,
		       row->refused, row->told_free);
	}
}

int main(int argc, char **argv)
{
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = openat(dirfd(folder), entry->d_name, O_RDONLY);
		struct stat st;
		char *box;

		if (entry->d_name[0] == '.' || !strstr(entry->d_name, ".box") || fstat(fd, &st))
			continue;
		box = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (box != MAP_FAILED)
			dump(box);
	}
	return folder ? 0 : 1;
}

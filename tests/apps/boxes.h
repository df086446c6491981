/* SPDX-License-Identifier: MIT */
/* Black boxes in a folder, for programs that print what is in them. */
#ifndef DLT_TESTS_APPS_BOXES_H
#define DLT_TESTS_APPS_BOXES_H

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Hands each of them, mapped, to `dump`. A program's exit status: 1 without the folder. */
static inline int each_box(const char *path, void (*dump)(const char *box))
{
	DIR *folder = path ? opendir(path) : NULL;
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

#endif

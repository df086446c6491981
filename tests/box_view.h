/* SPDX-License-Identifier: MIT */
/* A reader of black boxes for the tests: independent of sampler/, and without allocation. */
#ifndef BOX_VIEW_H
#define BOX_VIEW_H

#include <dirent.h>
#include <emmintrin.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box.h"

struct box_sums {
	uint64_t allocated, allocations, freed, frees;
	int64_t live, blocks;		/* inherited ones included */
};

static inline const struct dlt_box_header *box_view_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 4096)
		return NULL;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* The newest box of `pid` in the folder $DLTRACE_BOX. */
static inline const struct dlt_box_header *box_view_of(pid_t pid)
{
	const char *folder = getenv("DLTRACE_BOX");
	const struct dlt_box_header *found = NULL;
	DIR *d = folder ? opendir(folder) : NULL;
	char prefix[24], path[600];
	struct dirent *e;

	if (!d)
		return NULL;
	snprintf(prefix, sizeof(prefix), "%d-", (int)pid);
	while ((e = readdir(d))) {
		const struct dlt_box_header *h;

		if (strncmp(e->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		h = box_view_map(path);
		if (h && (!found || h->begin > found->begin))
			found = h;
	}
	closedir(d);
	return found;
}

static inline struct dlt_box_pair box_view_pair(const struct dlt_box_pair *p)
{
	struct dlt_box_pair v;

	_mm_store_si128((__m128i *)&v, *(const volatile __m128i *)p);
	return v;
}

/* All freed pairs before all allocated ones, so that live is never too low. */
static inline struct box_sums box_view_sums(const struct dlt_box_header *h)
{
	const struct dlt_box_slot *s = (const void *)((const char *)h + h->slots_offset);
	struct box_sums sums = { 0 };

	for (uint32_t i = 0; i < h->slots_used; i++) {
		struct dlt_box_pair p = box_view_pair(&s[i].freed);

		sums.freed += p.bytes;
		sums.frees += p.count;
	}
	for (uint32_t i = 0; i < h->slots_used; i++) {
		struct dlt_box_pair p = box_view_pair(&s[i].allocated);

		sums.allocated += p.bytes;
		sums.allocations += p.count;
	}
	sums.live = (int64_t)(h->inherited.bytes + sums.allocated - sums.freed);
	sums.blocks = (int64_t)(h->inherited.count + sums.allocations - sums.frees);
	return sums;
}

/*
 * What glibc says less what the box says: the same number at any two quiet moments, with
 * GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072
 */
static inline long box_view_oracle(const struct dlt_box_header *h)
{
	struct mallinfo2 m = mallinfo2();
	struct box_sums s = box_view_sums(h);

	return (long)(m.uordblks + m.hblkhd) - (s.live + 8 * s.blocks + 8 * (long)m.hblks);
}

#endif

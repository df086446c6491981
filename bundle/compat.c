/* SPDX-License-Identifier: MIT */
/*
 * libdltrace-compat.so: what libraries of a bundle take from a glibc newer than 2.34.
 *
 * `assemble` writes the oldest version over the newer one in their needs, where only a definition
 * without a version, as these here are, fits the name. It stops when a function is missing here.
 * (Marking the need as weak would do but for the loader's message.)
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void arc4random_buf(void *buffer, size_t size);
EXPORT uint32_t arc4random(void);
EXPORT int _dl_find_object(void *address, struct dl_find_object *found);

void arc4random_buf(void *buffer, size_t size)
{
	char *at = buffer;

	while (size) {
		ssize_t n = getrandom(at, size < 256 ? size : 256, 0);

		if (n < 0)
			abort();	/* as glibc's: there is no randomness to be had */
		at += n;
		size -= (size_t)n;
	}
}

uint32_t arc4random(void)
{
	uint32_t value;

	arc4random_buf(&value, sizeof(value));
	return value;
}

/* ---- unwinding: where is the frame table of an address? ------------------------------------- */

struct search {
	uintptr_t address;
	struct dl_find_object *found;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct search *s = data;
	uintptr_t begin = UINTPTR_MAX, end = 0;
	void *frames = NULL;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_EH_FRAME)
			frames = (void *)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type != PT_LOAD)
			continue;
		if (begin == UINTPTR_MAX)
			begin = info->dlpi_addr + p->p_vaddr;
		end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (s->address < begin || s->address >= end)
		return 0;
	s->found->dlfo_map_start = (void *)begin;
	s->found->dlfo_map_end = (void *)end;
	s->found->dlfo_link_map = NULL;
	s->found->dlfo_eh_frame = frames;
	return frames ? 1 : -1;
}

int _dl_find_object(void *address, struct dl_find_object *found)
{
	struct search search = { (uintptr_t)address, found };

	return dl_iterate_phdr(search_object, &search) == 1 ? 0 : -1;
}

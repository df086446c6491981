/* SPDX-License-Identifier: MIT */
/* Whose malloc it is, and whether the sizes of its blocks can be read where glibc writes them. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "elf.h"
#include "heap.h"
#include "library.h"
#include "process.h"
#include "real.h"

struct dlt_heap dlt_heap;

/* Load address of the object that holds a function; no walk over symbol tables (2.5 ms). */
static uintptr_t owner_of(const void *function)
{
	return dlt_library_base(function);
}

/* One provider for all, or sizes would be asked of an allocator that does not know the block. */
static bool one_provider(void)
{
	uintptr_t owner = owner_of((const void *)dlt_real_table.malloc);

#define SAME_OWNER(ret, name, args) \
	if (dlt_real_table.name && owner_of((const void *)dlt_real_table.name) != owner) \
		return false;
	DLT_REAL_HEAP(SAME_OWNER)
	dlt_heap.pages_apart = owner_of((const void *)dlt_real_table.pvalloc) != owner ||
			       owner_of((const void *)dlt_real_table.valloc) != owner;
	return dlt_real_table.free && dlt_real_table.realloc && dlt_real_table.malloc_usable_size;
}

/* Small blocks only: freeing a mapped one would move glibc's mmap threshold. */
static bool has_glibc_headers(void)
{
	static const size_t sizes[] = { 1, 24, 25, 40, 1000 };

	if (!__libc_malloc || owner_of((const void *)dlt_real_table.malloc) !=
			      owner_of((const void *)__libc_malloc))
		return false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		void *p = dlt_real_table.malloc(sizes[i]);
		size_t usable = p ? dlt_real_table.malloc_usable_size(p) : 0;
		/* What no header can say is asked first: valgrind, whose sizes are the caller's, counts the look. */
		bool same = usable && usable % 8 == 0 && dlt_head_usable(p) == usable;

		dlt_real_table.free(p);
		if (!same)
			return false;
	}
	return true;
}

void dlt_heap_resolve(void)
{
	dlt_real_init_heap();
	dlt_heap.usable = dlt_real_table.malloc_usable_size;
	dlt_heap.has_header = has_glibc_headers();
	dlt_heap.counts = one_provider();
	dlt_process.heap = dlt_heap.counts ? DLT_HEAP_EXACT : DLT_HEAP_MIXED;
	dlt_heap.resolved = true;
}

/*
 * True where somebody before us defines malloc. Asking dlsym would not do: a fixed-address program
 * that takes malloc's address has a symbol for it too, undefined and with its PLT's address.
 */
bool dlt_heap_is_foreign(void)
{
	struct dlt_elf_name name = dlt_elf_name("malloc");
	struct dlt_elf e;

	for (struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (dlt_elf_open(&e, m->l_addr, m->l_ld) && dlt_elf_find(&e, &name, NULL))
			return m->l_addr != owner_of((const void *)dlt_heap_resolve);
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * Which library an address belongs to: _dl_find_object for the place, a hash table of base
 * addresses for the id, the black box for what the id means.
 */
#include "library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "box_private.h"
#include "elf.h"
#include "emit.h"
#include "exists.h"
#include "guard.h"
#include "process.h"
#include "real.h"
#include "stack_places.h"
#include "sys.h"
#include "walk.h"

#define PLACES 4096		/* of the hash table; a power of 2, well over DLT_BOX_LIBRARIES */
#define ID_BITS 16

struct object {
	uintptr_t begin, end;
	const char *path;	/* borrowed from the loader; "" for the program itself */
	uintptr_t base;		/* what is added to the file's addresses */
	const ElfW(Dyn) *dynamic;
	struct link_map *map;	/* NULL: look for it */
};

uint32_t dlt_library_generation;

/* base >> 12 << ID_BITS | id, one word so that it is never half there; 0: free. */
static uint64_t places[PLACES];
/* When the id was last compared with what is loaded there: a value of the generation. */
static uint32_t checked[DLT_BOX_LIBRARIES];
/* The flags that were last announced, and that they were. */
static uint32_t said[DLT_BOX_LIBRARIES];
#define SAID (1u << 31)
static uintptr_t loader_begin, loader_end;

/* ---- what is loaded where ------------------------------------------------------------------ */

struct search {
	uintptr_t address;
	struct object *found;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	uintptr_t begin = UINTPTR_MAX, end = 0;
	const ElfW(Dyn) *dynamic = NULL;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type != PT_LOAD)
			continue;
		if (begin == UINTPTR_MAX)
			begin = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)4095;
		end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (search->address < begin || search->address >= end)
		return 0;
	*search->found = (struct object){ begin, end, info->dlpi_name, info->dlpi_addr, dynamic,
					  NULL };
	return 1;
}

#if __GLIBC_PREREQ(2, 35)
static bool find_object(const void *address, struct object *o)
{
	struct dl_find_object found;
	struct search search = { (uintptr_t)address, o };

	if (!dlt_real_table._dl_find_object)
		return dlt_walk(search_object, &search) == 1;
	if (dlt_real_table._dl_find_object((void *)address, &found) != 0)
		return false;
	*o = (struct object){ (uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end,
			      found.dlfo_link_map->l_name, found.dlfo_link_map->l_addr,
			      found.dlfo_link_map->l_ld, found.dlfo_link_map };
	return true;
}
#else
static bool find_object(const void *address, struct object *o)
{
	struct search search = { (uintptr_t)address, o };

	return dlt_walk(search_object, &search) == 1;
}
#endif

/* ---- ids ----------------------------------------------------------------------------------- */

/* The end of a path says more than its beginning. */
static void copy_path(char *to, size_t size, const char *path)
{
	size_t length;
	long n;

	if (!*path) {
		n = dlt_sys(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)to,
			    (long)size - 1, 0);
		to[n > 0 ? n : 0] = '\0';
		return;
	}
	length = strlen(path);
	strcpy(to, length < size ? path : path + length - size + 1);
}

/* The library's build id as it lies in memory, hexadecimal; "" when it has none. */
static void build_id(const struct object *o, char *to, size_t size)
{
	unsigned count = 0;
	const ElfW(Phdr) *p = dlt_elf_headers(o->begin, &count);

	*to = '\0';
	for (; count; count--, p++) {
		/* Not from where it begins: a library may be linked for an address, too. */
		uintptr_t at = o->base + p->p_vaddr, last = at + p->p_memsz;

		while (p->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < last) {
			const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)at;
			const unsigned char *id = (const unsigned char *)(n + 1) + 4;

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    2 * n->n_descsz < size) {
				for (unsigned i = 0; i < n->n_descsz; i++) {
					*to++ = "0123456789abcdef"[id[i] >> 4];
					*to++ = "0123456789abcdef"[id[i] & 15];
				}
				*to = '\0';
				return;
			}
			at += sizeof(*n) + ((n->n_namesz + 3) & ~3u) + ((n->n_descsz + 3) & ~3u);
		}
	}
}

static void announce(const struct object *o, uint16_t id)
{
	struct dlt_thread *t = dlt_thread_self();
	const struct dlt_box_library *l = dlt_box_library(id);
	uint32_t flags = __atomic_load_n(&l->flags, __ATOMIC_RELAXED);
	char hex[96];
	struct dlt_ev_proc_library e = {
		.process = dlt_process.id, .library = id, .base = o->begin,
		.size = o->end - o->begin, .flags = flags, .build_id = hex, .path = l->path,
	};

	if (!dlt_enabled(DLT_EV_PROC_LIBRARY) || dlt_is_guarded(t))
		return;
	__atomic_store_n(&said[id], flags | SAID, __ATOMIC_RELAXED);
	build_id(o, hex, sizeof(hex));
	dlt_emit(t, DLT_EV_PROC_LIBRARY, &e);
}

static bool is_news(uint16_t id)
{
	return id && __atomic_load_n(&said[id], __ATOMIC_RELAXED) !=
			     (__atomic_load_n(&dlt_box_library(id)->flags, __ATOMIC_RELAXED) | SAID);
}

/* A new id with its entry in the box; 0 when there is none left. */
static uint16_t new_id(const struct object *o)
{
	uint32_t id = __atomic_load_n(&dlt_box->libraries_used, __ATOMIC_RELAXED);
	struct dlt_box_library *l;

	do {
		l = dlt_box_library(id);
		if (id >= dlt_box->libraries_count || !dlt_box_back(l, sizeof(*l)))
			return 0;
	} while (!__atomic_compare_exchange_n(&dlt_box->libraries_used, &id, id + 1, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	l->base = o->begin;
	l->size = o->end - o->begin;
	copy_path(l->path, sizeof(l->path), o->path);
	__atomic_store_n(&checked[id], dlt_library_now(), __ATOMIC_RELAXED);
	__atomic_store_n(&l->ready, 1, __ATOMIC_RELEASE);
	return (uint16_t)id;
}

/* After an unload something else may lie at the same place. */
static bool is_still(const struct object *o, uint16_t id)
{
	const struct dlt_box_library *l = dlt_box_library(id);
	uint32_t now = dlt_library_now();
	char path[sizeof(l->path)];

	if (__atomic_load_n(&checked[id], __ATOMIC_RELAXED) == now)
		return true;
	copy_path(path, sizeof(path), o->path);
	if (l->size != o->end - o->begin || strcmp(path, l->path) != 0)
		return false;
	__atomic_store_n(&checked[id], now, __ATOMIC_RELAXED);
	return true;
}

/* Two threads that see a library first at once both have an entry for it: the slower one takes its own back. */
static uint16_t id_of(const struct object *o)
{
	uint64_t base = (uint64_t)o->begin >> 12 << ID_BITS, seen;
	uint64_t *place = &places[(o->begin >> 12) * 0x9e3779b97f4a7c15u >> (64 - 12)];
	uint16_t id = 0;

	for (;;) {
		bool ours;

		seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		ours = seen >> ID_BITS << ID_BITS == base;
		if (ours && is_still(o, (uint16_t)seen)) {
			if (id)
				__atomic_store_n(&dlt_box_library(id)->ready, 0, __ATOMIC_RELEASE);
			return (uint16_t)seen;
		}
		if (seen && !ours) {
			place = place + 1 < places + PLACES ? place + 1 : places;
			continue;
		}
		if (!id)
			id = new_id(o);
		if (!id || __atomic_compare_exchange_n(place, &seen, base | id, false, __ATOMIC_RELEASE,
						       __ATOMIC_RELAXED))
			return id;
	}
}

uint16_t dlt_library_of(const void *address)
{
	struct object o;
	uint16_t id = find_object(address, &o) ? id_of(&o) : 0;

	if (is_news(id))
		announce(&o, id);
	return id;
}

struct identify {
	struct search search;
	uint16_t id;
};

static int identify(struct dl_phdr_info *info, size_t size, void *data)
{
	struct identify *i = data;

	if (!search_object(info, size, &i->search))
		return 0;
	i->id = id_of(i->search.found);
	return 1;
}

uint16_t dlt_library_at(const void *address)
{
	struct object o;
	struct identify i = { .search = { (uintptr_t)address, &o } };

	dlt_walk_or_not(identify, &i);
	return i.id;
}

/* 0 is not kept: something may be loaded there later. */
DLT_HOT uint16_t dlt_library_of_caller(struct dlt_thread *t, const void *caller)
{
	uintptr_t h = (uintptr_t)caller;
	struct dlt_caller *c = &t->callers[(h ^ h >> 5 ^ h >> 12) % DLT_CALLERS];
	uint32_t generation = dlt_library_now();
	uint16_t library = c->library;
	uintptr_t before;

	__asm__ volatile("" ::: "memory");
	if (c->address == caller && c->generation == generation)
		return library;
	library = dlt_library_of(caller);
	/* A signal handler that allocates must not come in between. */
	before = dlt_guard_up(t);
	*c = (struct dlt_caller){ library ? caller : NULL, generation, library };
	dlt_guard_down(t, before);
	return library;
}

void dlt_library_mark(const void *address, uint32_t flags)
{
	struct object o;
	uint16_t id = find_object(address, &o) ? id_of(&o) : 0;

	if (id)
		__atomic_fetch_or(&dlt_box_library(id)->flags, flags, __ATOMIC_RELAXED);
}

void dlt_library_tell(void)
{
	uint32_t used = __atomic_load_n(&dlt_box->libraries_used, __ATOMIC_ACQUIRE);
	struct object o;

	for (uint32_t id = 1; id < used && id < DLT_BOX_LIBRARIES; id++) {
		const struct dlt_box_library *l = dlt_box_library(id);

		if (__atomic_load_n(&l->ready, __ATOMIC_ACQUIRE) && is_news((uint16_t)id) &&
		    find_object((const void *)(uintptr_t)l->base, &o))
			announce(&o, (uint16_t)id);
	}
}

uintptr_t dlt_library_base(const void *address)
{
	struct object o;

	return find_object(address, &o) ? o.begin : 0;
}

const char *dlt_library_end(const void *address)
{
	struct object o;

	return find_object(address, &o) ? (const char *)o.end : NULL;
}

const char *dlt_library_path(const void *address)
{
	struct object o;

	return find_object(address, &o) ? o.path : NULL;
}

/* The first object's callback does it all: another thread unloads nothing meanwhile. */
static int find_map(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object *o = data;

	(void)info;
	(void)size;
	o->map = _r_debug.r_map;
	while (o->map && o->map->l_ld != o->dynamic)
		o->map = o->map->l_next;
	return 1;
}

struct link_map *dlt_library_map(const void *address)
{
	struct object o;

	if (!find_object(address, &o))
		return NULL;
	if (!o.map && !dlt_walk_or_not(find_map, &o))
		find_map(NULL, 0, &o);
	return o.map;
}

bool dlt_library_elf(const void *address, struct dlt_elf *e)
{
	struct object o;

	return find_object(address, &o) && dlt_elf_open(e, o.base, o.dynamic);
}

DLT_HOT bool dlt_library_is_loader(const void *address)
{
	return (uintptr_t)address - loader_begin < loader_end - loader_begin;
}

void dlt_library_init(void)
{
	struct object o;

	/* By its own function for debuggers: AT_BASE is 0 where ld.so was started as the program. */
	if (find_object((const void *)_r_debug.r_brk, &o)) {
		loader_begin = o.begin;
		loader_end = o.end;
	}
}

/* ---- unloading ----------------------------------------------------------------------------- */

/* Unlike dlopen, dlclose does not care who calls it. */
__attribute__((visibility("default"))) int dlclose(void *handle)
{
	int result;

	dlt_places_unload();
	result = dlt_real()->dlclose(handle);
	__atomic_add_fetch(&dlt_library_generation, 1, __ATOMIC_RELAXED);
	dlt_places_unloaded();
	/* LTTng's tracepoints close it at the end of each child of fork. */
	if (dlt_walk_returns())
		dlt_exists_update();
	return result;
}

/* SPDX-License-Identifier: MIT */
/*
 * Finds real functions in the loader's order, without dlopen and dlsym: RTLD_NEXT does not see
 * libraries that were loaded RTLD_LOCAL, and dlopen(RTLD_NOLOAD) waits for whoever is loading.
 *
 * The order: what was loaded at start (the global scope), the caller's own library and what it
 * needs breadth-first (its local scope), then anything that is loaded. The version that the
 * caller asks for must match, as far as an object has versions; so with libcudart.so.12 and .13
 * in one process each caller gets its own.
 */
#include "scope.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "elf.h"
#include "exists.h"
#include "walk.h"

#define MAX_OBJECTS 2048

/* One search at a time: the loader's list lock is held while these are in use. */
static struct dlt_object objects[MAX_OBJECTS];
static struct dlt_object *queue[MAX_OBJECTS];
static unsigned count;

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

struct wanted {
	const void *caller;
	struct dlt_elf_name name;
	const char *version;	/* NULL: any */
	bool linked;		/* only what the caller is linked with */
	void *found;
};

static int list_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct dlt_object *o = &objects[count];
	const ElfW(Dyn) *dynamic = NULL;

	(void)size;
	(void)data;
	if (count == MAX_OBJECTS)
		return 1;
	*o = (struct dlt_object){ .begin = UINTPTR_MAX, .path = info->dlpi_name };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)begin;
		if (p->p_type != PT_LOAD)
			continue;
		o->begin = begin < o->begin ? begin : o->begin;
		o->end = begin + p->p_memsz > o->end ? begin + p->p_memsz : o->end;
	}
	/* One that cannot be looked into stays, so that places in the list keep their meaning. */
	if (!dlt_elf_open(&o->elf, info->dlpi_addr, dynamic))
		o->elf.symbols = NULL;
	count++;
	return 0;
}

static bool take(const struct dlt_object *o, struct wanted *w, const char *version)
{
	const ElfW(Sym) *s;

	if (!o->elf.symbols || o->elf.base == (uintptr_t)own_header)
		return false;
	s = dlt_elf_find(&o->elf, &w->name, version);
	if (s)
		w->found = dlt_elf_address(&o->elf, s);
	return s != NULL;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The loaded object that a DT_NEEDED means. */
static struct dlt_object *needed_object(const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		struct dlt_object *o = &objects[i];

		if ((o->elf.soname && strcmp(o->elf.soname, name) == 0) ||
		    strcmp(o->path, name) == 0 || strcmp(file_name(o->path), name) == 0)
			return o;
	}
	return NULL;
}

static bool search_needed(struct dlt_object *from, struct wanted *w)
{
	unsigned head = 0, tail = 0;

	from->queued = true;
	queue[tail++] = from;
	while (head < tail) {
		struct dlt_object *o = queue[head++], *next;
		const ElfW(Dyn) *place = NULL;
		const char *name;

		if (take(o, w, w->version))
			return true;
		while (o->elf.symbols && (name = dlt_elf_next_needed(&o->elf, &place))) {
			next = needed_object(name);
			if (next && !next->queued) {
				next->queued = true;
				queue[tail++] = next;
			}
		}
	}
	return false;
}

static bool search_range(unsigned from, unsigned to, struct wanted *w, const char *version)
{
	for (unsigned i = from; i < to; i++)
		if (take(&objects[i], w, version))
			return true;
	return false;
}

static struct dlt_object *object_of(const void *address)
{
	for (unsigned i = 0; i < count; i++)
		if ((uintptr_t)address - objects[i].begin < objects[i].end - objects[i].begin)
			return &objects[i];
	return NULL;
}

/* The first object's callback does it all, since the lock is held during callbacks. */
static int search(struct dl_phdr_info *info, size_t size, void *data)
{
	struct wanted *w = data;
	struct dlt_object *caller;
	unsigned global;

	(void)info;
	(void)size;
	count = 0;
	dlt_walk(list_object, NULL);
	global = dlt_exists_startup_objects < count ? dlt_exists_startup_objects : count;
	caller = object_of(w->caller);
	if (caller && caller->elf.symbols)
		w->version = dlt_elf_wanted_version(&caller->elf, w->name.name);
	if (search_range(0, global, w, w->version) || (caller && search_needed(caller, w)) || w->linked)
		return 1;
	if (!search_range(global, count, w, w->version))
		search_range(0, count, w, NULL);
	return 1;
}

/* Only what stands behind us. */
static int search_next(struct dl_phdr_info *info, size_t size, void *data)
{
	struct wanted *w = data;
	unsigned global, own = 0;

	(void)info;
	(void)size;
	count = 0;
	dlt_walk(list_object, NULL);
	global = dlt_exists_startup_objects < count ? dlt_exists_startup_objects : count;
	while (own < count && objects[own].elf.base != (uintptr_t)own_header)
		own++;
	search_range(own + 1, global ? global : count, w, NULL);
	return 1;
}

bool dlt_scope_is_next(const char *name)
{
	struct wanted w = { .name = dlt_elf_name(name) };

	dlt_walk(search_next, &w);
	return w.found != NULL;
}

void *dlt_scope_find_linked(const void *caller, const char *name)
{
	struct wanted w = { .caller = caller, .name = dlt_elf_name(name), .linked = true };

	dlt_walk(search, &w);
	return w.found;
}

void *dlt_scope_find(const void *caller, const char *name)
{
	struct wanted w = { .caller = caller, .name = dlt_elf_name(name) };

	dlt_walk(search, &w);
	return w.found;
}

/* ---- all of them ---------------------------------------------------------------------------- */

struct visit {
	void (*each)(const struct dlt_object *o, void *data);
	void *data;
	unsigned long long *adds;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct visit *v = data;

	(void)size;
	if (*v->adds == info->dlpi_adds)
		return 1;
	*v->adds = info->dlpi_adds;
	count = 0;
	dlt_walk(list_object, NULL);
	for (unsigned i = 0; i < count; i++)
		v->each(&objects[i], v->data);
	return 1;
}

void dlt_scope_each(void (*each)(const struct dlt_object *o, void *data), void *data,
		    unsigned long long *adds)
{
	struct visit v = { each, data, adds };

	dlt_walk(visit, &v);
}

const struct dlt_object *dlt_scope_object(const void *address)
{
	return object_of(address);
}

unsigned dlt_scope_order(const struct dlt_object *o)
{
	return (unsigned)(o - objects);
}

void *dlt_scope_find_data(const char *name)
{
	struct wanted w = { .name = dlt_elf_name(name) };

	w.name.data = true;
	dlt_walk(search, &w);
	return w.found;
}

/* SPDX-License-Identifier: MIT */
/*
 * mmap, munmap, mremap of the application: events, and live bytes apart from the heap's.
 *
 * What malloc and thread stacks map never comes here. A table of regions without locks tells how
 * much of what is unmapped was counted: allocators map too much and trim it, or reserve with
 * PROT_NONE (not counted: it takes no memory) and map into it with MAP_FIXED.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "box_private.h"
#include "emit.h"
#include "export.h"
#include "functions.h"
#include "guard.h"
#include "init.h"
#include "library.h"
#include "process.h"
#include "real.h"

#define REGIONS 1024
#define BUSY 1UL		/* in `begin`, which is a page's address: somebody changes the entry */

static struct region {
	uintptr_t begin;	/* 0: free */
	size_t size;
} regions[REGIONS];
static uint32_t regions_used;	/* entries ever taken; never falls */

struct span {
	uintptr_t begin;
	size_t size;
};

static struct span span_of(const void *address, size_t size)
{
	return (struct span){ (uintptr_t)address, (size + 4095) & ~(size_t)4095 };
}

static void count(int64_t bytes, int64_t regions_more)
{
	dlt_pair_add_shared(&dlt_box->mapped, (uint64_t)bytes, (uint64_t)regions_more);
}

/* When the table is full the region is not counted, neither now nor when it goes. */
static void remember(struct span s)
{
	for (uint32_t i = 0; i < REGIONS; i++) {
		struct region *r = &regions[i];
		uintptr_t none = 0;
		uint32_t used = __atomic_load_n(&regions_used, __ATOMIC_RELAXED);

		if (!__atomic_compare_exchange_n(&r->begin, &none, s.begin | BUSY, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		r->size = s.size;
		__atomic_store_n(&r->begin, s.begin, __ATOMIC_RELEASE);
		while (used <= i && !__atomic_compare_exchange_n(&regions_used, &used, i + 1, true,
								 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		count((int64_t)s.size, 1);
		return;
	}
}

/* Cuts `s` out of a region that is held busy; what stays behind it becomes a region of its own. */
static size_t cut(struct region *r, uintptr_t begin, struct span s)
{
	uintptr_t end = begin + r->size, s_end = s.begin + s.size;
	uintptr_t from = begin > s.begin ? begin : s.begin, to = end < s_end ? end : s_end;
	struct span behind = { to, end - to };

	r->size = from - begin;
	count(-(int64_t)(end - from), r->size ? 0 : -1);
	__atomic_store_n(&r->begin, r->size ? begin : 0, __ATOMIC_RELEASE);
	if (behind.size)
		remember(behind);
	return to - from;
}

/* Bytes in `s` that were counted; they are no longer. */
static size_t forget(struct span s)
{
	uint32_t used = __atomic_load_n(&regions_used, __ATOMIC_ACQUIRE);
	size_t forgotten = 0;

	for (uint32_t i = 0; i < used; i++) {
		struct region *r = &regions[i];
		uintptr_t begin = __atomic_load_n(&r->begin, __ATOMIC_RELAXED);

		if (!begin || begin & BUSY || begin >= s.begin + s.size || begin + r->size <= s.begin)
			continue;
		if (__atomic_compare_exchange_n(&r->begin, &begin, begin | BUSY, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			forgotten += cut(r, begin, s);
	}
	return forgotten;
}

/*
 * By the table, which is as old as the child: the parent may have unmapped more before the child could look at
 * its counter. What another thread was changing then is counted nowhere.
 */
void dlt_map_after_fork(void)
{
	struct dlt_box_pair live = { 0, 0 };

	for (uint32_t i = 0; i < regions_used; i++)
		if (regions[i].begin && !(regions[i].begin & BUSY)) {
			live.bytes += regions[i].size;
			live.count++;
		}
	dlt_box->mapped = live;
}

/* The application's own, and worth a look. */
static bool is_wanted(struct dlt_thread *t)
{
	return dlt_process.counted && !dlt_is_guarded(t) && !t->helper;
}

static void emit(struct dlt_thread *t, struct dlt_ev_map_map *e, const void *caller)
{
	uint64_t size = e->size > e->old_size ? e->size : e->old_size;

	if (!dlt_enabled(DLT_EV_MAP_MAP) || size < dlt_process.threshold ||
	    dlt_library_is_loader(caller))
		return;
	e->thread = t->id;
	e->library = dlt_library_of(caller);
	dlt_emit(t, DLT_EV_MAP_MAP, e);
}

static void mapped(const void *address, struct dlt_ev_map_map *e, const void *caller)
{
	struct dlt_thread *t = dlt_thread_self();
	int saved = errno;

	if (!is_wanted(t))
		return;
	e->result = address == MAP_FAILED ? saved : 0;
	e->address = address == MAP_FAILED ? 0 : (uintptr_t)address;
	if (!e->result) {
		if (e->flags & MAP_FIXED)
			forget(span_of(address, e->size));
		if (e->prot != PROT_NONE && e->size >= dlt_process.threshold)
			remember(span_of(address, e->size));
	}
	emit(t, e, caller);
	errno = saved;
}

DLT_EXPORT void *mmap(void *hint, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct dlt_ev_map_map e = {
		.function = DLT_FN_mmap, .size = size, .prot = (uint8_t)prot, .flags = (uint32_t)flags,
	};
	void *p = dlt_real()->mmap(hint, size, prot, flags, fd, offset);

	mapped(p, &e, __builtin_return_address(0));
	return p;
}

DLT_EXPORT void *mmap64(void *hint, size_t size, int prot, int flags, int fd, off64_t offset)
{
	struct dlt_ev_map_map e = {
		.function = DLT_FN_mmap, .size = size, .prot = (uint8_t)prot, .flags = (uint32_t)flags,
	};
	void *p = dlt_real()->mmap64(hint, size, prot, flags, fd, offset);

	mapped(p, &e, __builtin_return_address(0));
	return p;
}

/* Recorded before, since the addresses may be another thread's right after. */
DLT_EXPORT int munmap(void *address, size_t size)
{
	const void *caller = __builtin_return_address(0);
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_ev_map_map e = {
		.function = DLT_FN_munmap, .address = (uintptr_t)address,
		.old_address = (uintptr_t)address, .old_size = size,
	};
	int saved = errno, err;
	size_t forgotten;

	if (!is_wanted(t))
		return dlt_real()->munmap(address, size);
	forgotten = forget(span_of(address, size));
	emit(t, &e, caller);
	errno = saved;
	err = dlt_real()->munmap(address, size);
	if (err && forgotten) {
		saved = errno;
		remember(span_of(address, forgotten));
		errno = saved;
	}
	return err;
}

DLT_EXPORT void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	const void *caller = __builtin_return_address(0);
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_ev_map_map e = {
		.function = DLT_FN_mremap, .old_address = (uintptr_t)old, .old_size = old_size,
		.size = size, .flags = (uint32_t)flags,
	};
	size_t counted;
	va_list list;
	void *to, *p;
	int saved;

	va_start(list, flags);
	to = va_arg(list, void *);
	va_end(list);
	if (!is_wanted(t))
		return dlt_real()->mremap(old, old_size, size, flags, to);
	counted = forget(span_of(old, old_size));
	p = dlt_real()->mremap(old, old_size, size, flags, to);
	saved = errno;
	e.result = p == MAP_FAILED ? saved : 0;
	e.address = p == MAP_FAILED ? 0 : (uintptr_t)p;
	if (p != MAP_FAILED && flags & MREMAP_FIXED)
		forget(span_of(p, size));	/* what was there */
	if (p != MAP_FAILED && !counted)
		counted = old_size < dlt_process.threshold && size >= dlt_process.threshold;
	if (counted)
		remember(p == MAP_FAILED ? span_of(old, old_size) : span_of(p, size));
	emit(t, &e, caller);
	errno = saved;
	return p;
}

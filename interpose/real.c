/* SPDX-License-Identifier: MIT */
/* Resolves the wrapped functions once, by RTLD_NEXT. */
#include "real.h"

#include <dlfcn.h>

#include "dlsym.h"
#include "scope.h"

struct dlt_real dlt_real_table;
bool dlt_real_resolved;

/* dlsym is declared leaf, so gcc may move stores to the table across it. */
#define RESOLVE(ret, name, args) \
	dlt_real_table.name = (ret (*) args)dlt_dlsym(RTLD_NEXT, #name); \
	__asm__ volatile("" ::: "memory");

/*
 * dlsym allocates when it fails. jemalloc calls mmap and pthread_atfork, and so us, while it holds the lock of its own
 * initialisation: an allocation would wait for that for ever. So what a C library may lack is looked for first.
 */
#define RESOLVE_IF_THERE(ret, name, args) \
	if (dlt_scope_is_next(#name)) { \
		RESOLVE(ret, name, args) \
	}

void dlt_real_init_heap(void)
{
	if (dlt_real_table.malloc)
		return;
	DLT_REAL_HEAP(RESOLVE)
	DLT_REAL_PAGES(RESOLVE)
	DLT_REAL_C23(RESOLVE_IF_THERE)
	RESOLVE_IF_THERE(int, _dl_find_object, (void *, struct dl_find_object *))
	/* What a failed lookup left behind is not for the application's dlerror(). */
	dlerror();
}

void dlt_real_init(void)
{
	if (dlt_real_resolved)
		return;
	dlt_real_init_heap();
	DLT_REAL_REST(RESOLVE)
	DLT_REAL_NEWER(RESOLVE_IF_THERE)
	dlerror();
	dlt_real_resolved = true;
}

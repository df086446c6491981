/* SPDX-License-Identifier: MIT */
/*
 * The heap besides counting: whose malloc it is, events of large blocks and, at the level full, of
 * each call.
 */
#ifndef DLT_INTERPOSE_HEAP_H
#define DLT_INTERPOSE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "functions.h"
#include "thread.h"

extern void *__libc_malloc(size_t size) __attribute__((weak));
extern void __libc_free(void *p) __attribute__((weak));

#pragma GCC visibility push(hidden)	/* of declarations too: no detour by the GOT */

enum heap_operation { HEAP_ALLOC = 1, HEAP_FREE, HEAP_FAILED };

struct heap_call {
	enum heap_operation operation;
	enum dlt_fn function;
	const void *caller;	/* return address */
	const void *ptr;
	uint64_t size;		/* bytes: usable; asked for, when it failed */
};

/* ---- whose malloc it is (heap_provider.c) -------------------------------------------------- */

extern struct dlt_heap {
	size_t (*usable)(void *);
	bool resolved;		/* the real functions are known */
	bool has_header;	/* chunks begin as glibc's do: no call for the size */
	bool counts;		/* false: providers are mixed, nothing can be said; or nobody asks */
	bool pages_apart;	/* valloc and pvalloc are not the heap's: jemalloc has no pvalloc */
} dlt_heap;

/* Runs once, in the first allocation of the process: mostly ld.so's, before all constructors. */
void dlt_heap_resolve(void);

/* True where somebody before us defines malloc. */
bool dlt_heap_is_foreign(void);

#define DLT_HEAD_FLAGS 7	/* of a chunk's size in glibc; all sizes are multiples of 8 */
#define DLT_HEAD_MAPPED 2	/* the chunk is a mapping of its own */

/* glibc: the word before the block is its chunk's size and three flags. */
static inline uint64_t dlt_head(const void *p)
{
	return ((const uint64_t *)p)[-1];
}

/* A mapped chunk has two words of overhead, any other one. */
static inline uint64_t dlt_head_usable(const void *p)
{
	return (dlt_head(p) & ~(uint64_t)DLT_HEAD_FLAGS) - (dlt_head(p) & DLT_HEAD_MAPPED ? 16 : 8);
}

/* ---- records ------------------------------------------------------------------------------- */

/* Everything but counting: emits or notes the call as the enabled events ask. errno is kept. */
void dlt_heap_record(struct dlt_thread *t, const struct heap_call *call);

#pragma GCC visibility pop

#endif

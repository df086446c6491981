/* SPDX-License-Identifier: MIT */
/*
 * The functions that dltrace wraps by hand, as the next library on the search path has them.
 *
 * One row each; a new wrapper adds its row and calls dlt_real()->NAME. All are resolved at
 * once through RTLD_NEXT: at the first call of any wrapper, which is before the constructors of
 * most libraries. A function that this system does not have stays NULL.
 */
#ifndef DLT_INTERPOSE_REAL_H
#define DLT_INTERPOSE_REAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The heap comes first: a dlsym that fails allocates, and then needs it. */
#define DLT_REAL_HEAP(X) \
	X(void *, malloc, (size_t)) \
	X(void, free, (void *)) \
	X(void *, calloc, (size_t, size_t)) \
	X(void *, realloc, (void *, size_t)) \
	X(int, posix_memalign, (void **, size_t, size_t)) \
	X(void *, aligned_alloc, (size_t, size_t)) \
	X(void *, memalign, (size_t, size_t)) \
	X(void *, valloc, (size_t)) \
	X(void *, pvalloc, (size_t)) \
	X(size_t, malloc_usable_size, (void *)) \
	X(void, free_sized, (void *, size_t)) \
	X(void, free_aligned_sized, (void *, size_t, size_t))

#define DLT_REAL_REST(X) \
	X(void *, mmap, (void *, size_t, int, int, int, off_t)) \
	X(void *, mmap64, (void *, size_t, int, int, int, off64_t)) \
	X(int, munmap, (void *, size_t)) \
	X(void *, mremap, (void *, size_t, size_t, int, ...)) \
	X(int, dlclose, (void *)) \
	X(int, __register_atfork, (void (*)(void), void (*)(void), void (*)(void), void *))

struct dlt_real {
#define DLT_REAL_FIELD(ret, name, args) ret (*name) args;
	DLT_REAL_HEAP(DLT_REAL_FIELD)
	DLT_REAL_REST(DLT_REAL_FIELD)
#undef DLT_REAL_FIELD
};

extern struct dlt_real dlt_real_table;
extern bool dlt_real_resolved;

/* Resolves the rows; again does nothing. Not before ld.so has relocated this library. */
void dlt_real_init(void);

/* The heap's rows alone, for the very first allocation of a process. */
void dlt_real_init_heap(void);

static inline const struct dlt_real *dlt_real(void)
{
	if (__builtin_expect(!dlt_real_resolved, 0))
		dlt_real_init();
	return &dlt_real_table;
}

#endif

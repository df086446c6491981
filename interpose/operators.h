/* SPDX-License-Identifier: MIT */
/*
 * C++'s operators new and delete, of which every library exports the same names.
 *
 * The C++ library's call malloc and free, and are counted there. An allocator that is preloaded behind us (jemalloc,
 * tcmalloc, mimalloc) has operators of its own beside its malloc: they allocate past any malloc, and some of them free
 * by free, so that of such blocks only the frees would be counted. With such an allocator they are passed on to the C++
 * library's, which get the same memory of the same allocator by malloc and free.
 *
 * Without one they are seen by nobody but what was relocated before us, and pass on to what that would have had.
 */
#ifndef DLT_INTERPOSE_OPERATORS_H
#define DLT_INTERPOSE_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

/* Mangled names and types; size_t is m in them, std::align_val_t a size_t, std::nothrow_t a reference. */
#define DLT_OPERATORS(X) \
	X(void *, _Znwm, (size_t size), (size)) \
	X(void *, _Znam, (size_t size), (size)) \
	X(void *, _ZnwmRKSt9nothrow_t, (size_t size, const void *tag), (size, tag)) \
	X(void *, _ZnamRKSt9nothrow_t, (size_t size, const void *tag), (size, tag)) \
	X(void *, _ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment)) \
	X(void *, _ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment)) \
	X(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *tag), \
	  (size, alignment, tag)) \
	X(void *, _ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *tag), \
	  (size, alignment, tag)) \
	X(void, _ZdlPv, (void *p), (p)) \
	X(void, _ZdaPv, (void *p), (p)) \
	X(void, _ZdlPvm, (void *p, size_t size), (p, size)) \
	X(void, _ZdaPvm, (void *p, size_t size), (p, size)) \
	X(void, _ZdlPvRKSt9nothrow_t, (void *p, const void *tag), (p, tag)) \
	X(void, _ZdaPvRKSt9nothrow_t, (void *p, const void *tag), (p, tag)) \
	X(void, _ZdlPvSt11align_val_t, (void *p, size_t alignment), (p, alignment)) \
	X(void, _ZdaPvSt11align_val_t, (void *p, size_t alignment), (p, alignment)) \
	X(void, _ZdlPvmSt11align_val_t, (void *p, size_t size, size_t alignment), (p, size, alignment)) \
	X(void, _ZdaPvmSt11align_val_t, (void *p, size_t size, size_t alignment), (p, size, alignment)) \
	X(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t alignment, const void *tag), \
	  (p, alignment, tag)) \
	X(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t alignment, const void *tag), \
	  (p, alignment, tag))

/* True where they are an allocator's own, since there was no C++ library to pass them on to. */
extern bool dlt_operators_past_us __attribute__((visibility("hidden")));

#endif

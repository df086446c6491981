/* SPDX-License-Identifier: MIT */
/*
 * Which library does an address belong to: ids of the process's libraries, given at first use.
 *
 * Lookup goes through glibc's _dl_find_object (lock-free, since 2.35; dladdr's walk without it)
 * and the table in the black box, which only grows. Ids are 16 bits, from 1; 0 is "unknown" (JIT
 * code, too many).
 */
#ifndef DLT_INTERPOSE_LIBRARY_H
#define DLT_INTERPOSE_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

struct dlt_elf;
struct dlt_thread;

/*
 * Id of the library that holds `address`; announces it at first sight. Hook-safe. It is a library that is not being
 * unloaded, such as the caller's.
 */
uint16_t dlt_library_of(const void *address);

/* The same for any address: takes the loader's list lock. Announces nothing. */
uint16_t dlt_library_at(const void *address);

/* The same for who calls again and again: remembered by the calling thread. */
uint16_t dlt_library_of_caller(struct dlt_thread *t, const void *caller);

/* Gives it an id, if it has none, and flags (library_flags.h) that are announced with it. */
void dlt_library_mark(const void *address, uint32_t flags);

/* Announces what was marked and not said yet. Not in a hook. */
void dlt_library_tell(void);

/* Base address of that library; 0 when unknown. Hook-safe. */
uintptr_t dlt_library_base(const void *address);

/* The loader's name of that library, borrowed; NULL when unknown. Hook-safe. */
const char *dlt_library_path(const void *address);

/* Where the library that holds `address` ends; NULL: in none. Hook-safe. */
const char *dlt_library_end(const void *address);

/* The loader's own record of it; NULL when unknown. */
struct link_map *dlt_library_map(const void *address);

/* Its dynamic symbols; false when it is unknown or has none. Hook-safe. */
bool dlt_library_elf(const void *address, struct dlt_elf *e);

/* True for an address inside ld.so: nothing may be emitted on its behalf (TLS resize). */
bool dlt_library_is_loader(const void *address);

void dlt_library_init(void);

/* Something was unloaded: caches by address are stale from now on. */
extern uint32_t dlt_library_generation __attribute__((visibility("hidden")));

/* Read by each call. */
static inline uint32_t dlt_library_now(void)
{
	return __atomic_load_n(&dlt_library_generation, __ATOMIC_RELAXED);
}

#endif

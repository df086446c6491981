/* SPDX-License-Identifier: MIT */
/*
 * Between ThreadSanitizer's runtime and a library that is instrumented for it, but runs before that runtime is there,
 * in threads that it has not seen begin and in those that it has seen end. Preloaded before both: what the compiler
 * has put into the library comes here, and is passed on where the runtime can take it.
 *
 * Two things that the runtime cannot see it is told: that the loader's list is locked while somebody walks over it,
 * and that what an ended thread has left happened before whatever others learn by an atomic read from then on. That
 * the loader has it locked, too, while it writes what a walk reads cannot be told: reads in walks are left out.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "interpose/elf.h"

#define EXPORT __attribute__((visibility("default")))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static bool begun;			/* asked first: before relocation there are no threads' variables */
static __thread bool known __attribute__((tls_model("initial-exec")));	/* the runtime knows this thread */
static __thread unsigned walking __attribute__((tls_model("initial-exec")));	/* ... is in the loader's list */
static char list_lock, thread_ends;					/* addresses only */

/* ---- what the compiler puts in --------------------------------------------------------------- */

#define PASS_ON(name, arguments, call, unless)						\
	static void (*next_##name) arguments;						\
	EXPORT void __tsan_##name arguments						\
	{										\
		if (begun && known && !(unless))					\
			next_##name call;						\
	}

#define READS(each)									\
	each(read1) each(read2) each(read4) each(read8) each(read16)			\
	each(unaligned_read2) each(unaligned_read4) each(unaligned_read8) each(unaligned_read16) \
	each(volatile_read1) each(volatile_read2) each(volatile_read4) each(volatile_read8)
#define OTHERS(each)									\
	each(func_entry) each(write1) each(write2) each(write4) each(write8) each(write16) \
	each(unaligned_write2) each(unaligned_write4) each(unaligned_write8) each(unaligned_write16) \
	each(volatile_write1) each(volatile_write2) each(volatile_write4) each(volatile_write8)
#define READ(name) PASS_ON(name, (void *address), (address), walking)
#define OTHER(name) PASS_ON(name, (void *address), (address), false)

READS(READ)
OTHERS(OTHER)
PASS_ON(func_exit, (void), (), false)
PASS_ON(read_range, (void *address, unsigned long size), (address, size), walking)
PASS_ON(write_range, (void *address, unsigned long size), (address, size), false)

EXPORT void __tsan_init(void)
{
}

static void learn(int order)
{
	if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
		__tsan_acquire(&thread_ends);
}

#define ATOMIC(name, result, arguments, order, call, native)				\
	static result (*next_##name) arguments;						\
	EXPORT result __tsan_##name arguments						\
	{										\
		if (!begun || !known)							\
			return native;							\
		learn(order);								\
		return next_##name call;						\
	}
#define UPDATE(bits, name, native)							\
	ATOMIC(atomic##bits##_##name, uint##bits##_t,					\
	       (volatile uint##bits##_t *at, uint##bits##_t value, int order), order,	\
	       (at, value, order), native(at, value, __ATOMIC_SEQ_CST))
#define EXCHANGE_IF(bits, name)								\
	ATOMIC(atomic##bits##_##name, int,						\
	       (volatile uint##bits##_t *at, uint##bits##_t *was, uint##bits##_t value, int order, int failed), order, \
	       (at, was, value, order, failed),						\
	       __atomic_compare_exchange_n(at, was, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define ATOMICS(bits)									\
	ATOMIC(atomic##bits##_load, uint##bits##_t, (const volatile uint##bits##_t *at, int order), order, \
	       (at, order), __atomic_load_n(at, __ATOMIC_SEQ_CST))			\
	ATOMIC(atomic##bits##_store, void, (volatile uint##bits##_t *at, uint##bits##_t value, int order), \
	       __ATOMIC_RELAXED, (at, value, order), __atomic_store_n(at, value, __ATOMIC_SEQ_CST)) \
	UPDATE(bits, exchange, __atomic_exchange_n)					\
	UPDATE(bits, fetch_add, __atomic_fetch_add)					\
	UPDATE(bits, fetch_sub, __atomic_fetch_sub)					\
	UPDATE(bits, fetch_and, __atomic_fetch_and)					\
	UPDATE(bits, fetch_or, __atomic_fetch_or)					\
	UPDATE(bits, fetch_xor, __atomic_fetch_xor)					\
	EXCHANGE_IF(bits, compare_exchange_strong)					\
	EXCHANGE_IF(bits, compare_exchange_weak)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMIC(atomic_thread_fence, void, (int order), order, (order), __atomic_thread_fence(__ATOMIC_SEQ_CST))

#define RESOLVE(name) *(void **)&next_##name = dlsym(RTLD_NEXT, "__tsan_" #name);
#define RESOLVE_ATOMICS(bits)								\
	RESOLVE(atomic##bits##_load) RESOLVE(atomic##bits##_store) RESOLVE(atomic##bits##_exchange) \
	RESOLVE(atomic##bits##_fetch_add) RESOLVE(atomic##bits##_fetch_sub) RESOLVE(atomic##bits##_fetch_and) \
	RESOLVE(atomic##bits##_fetch_or) RESOLVE(atomic##bits##_fetch_xor)		\
	RESOLVE(atomic##bits##_compare_exchange_strong) RESOLVE(atomic##bits##_compare_exchange_weak)

__attribute__((constructor)) static void begin(void)
{
	READS(RESOLVE)
	OTHERS(RESOLVE)
	RESOLVE(func_exit)
	RESOLVE(read_range)
	RESOLVE(write_range)
	RESOLVE_ATOMICS(8)
	RESOLVE_ATOMICS(16)
	RESOLVE_ATOMICS(32)
	RESOLVE_ATOMICS(64)
	RESOLVE(atomic_thread_fence)
	known = begun = true;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct thread {
	void *(*function)(void *);
	void *argument;
};

static void leave(void *unused)
{
	(void)unused;
	known = false;
	__tsan_release(&thread_ends);
}

static void *run(void *data)
{
	struct thread thread = *(struct thread *)data;
	void *result;

	free(data);
	__tsan_acquire(&thread_ends);
	known = true;
	pthread_cleanup_push(leave, NULL);
	result = thread.function(thread.argument);
	pthread_cleanup_pop(1);
	return result;
}

/* The runtime's is the next one, so what runs here has been seen to begin. */
EXPORT int pthread_create(pthread_t *to, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	struct thread *thread;

	*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	if (!known)
		return next(to, attributes, function, argument);
	thread = malloc(sizeof(*thread));
	if (!thread)
		abort();
	*thread = (struct thread){ function, argument };
	return next(to, attributes, run, thread);
}

/* ---- the loader's list ----------------------------------------------------------------------- */

typedef int each_function(struct dl_phdr_info *info, size_t size, void *data);

struct walk {
	each_function *each;
	void *data;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct walk *walk = data;
	int result;

	if (begun && known)
		__tsan_acquire(&list_lock);
	walking++;
	result = walk->each(info, size, walk->data);
	walking--;
	if (begun && known)
		__tsan_release(&list_lock);
	return result;
}

/* glibc's own, found without asking the loader: the runtime's is no good before it is there. */
static int (*real_walk(void))(each_function *, void *)
{
	static int (*found)(each_function *, void *);
	struct dlt_elf_name name = dlt_elf_name("dl_iterate_phdr"), libc = dlt_elf_name("gnu_get_libc_version");

	for (const struct link_map *m = _r_debug.r_map; m && !found; m = m->l_next) {
		const ElfW(Sym) *symbol;
		struct dlt_elf e;

		if (!dlt_elf_open(&e, m->l_addr, m->l_ld) || !dlt_elf_find(&e, &libc, NULL))
			continue;
		symbol = dlt_elf_find(&e, &name, NULL);
		*(void **)&found = symbol ? dlt_elf_address(&e, symbol) : NULL;
	}
	return found;
}

EXPORT int dl_iterate_phdr(each_function *each, void *data)
{
	struct walk walk = { each, data };

	return real_walk()(visit, &walk);
}

/* ---- strings: the runtime's may not be called before it is there, and glibc's stand behind them -- */

EXPORT size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

EXPORT size_t strnlen(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

EXPORT int strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--)
		a++, b++;
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

EXPORT int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

EXPORT char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

EXPORT char *strrchr(const char *s, int c)
{
	const char *last = NULL;

	do {
		if (*s == (char)c)
			last = s;
	} while (*s++);
	return (char *)last;
}

EXPORT char *strstr(const char *s, const char *part)
{
	size_t n = strlen(part);

	for (; strncmp(s, part, n) != 0; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

EXPORT void *memchr(const void *at, int c, size_t n)
{
	const unsigned char *p = at;

	for (; n; n--, p++)
		if (*p == (unsigned char)c)
			return (void *)p;
	return NULL;
}

EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

EXPORT void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *p = to;
	const unsigned char *q = from;

	if (p <= q)
		for (size_t i = 0; i < n; i++)
			p[i] = q[i];
	else
		while (n--)
			p[n] = q[n];
	return to;
}

EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return memmove(to, from, n);
}

EXPORT void *memset(void *to, int c, size_t n)
{
	unsigned char *p = to;

	while (n--)
		*p++ = (unsigned char)c;
	return to;
}

/* SPDX-License-Identifier: MIT */
/*
 * dltrace.h: names what a program does, for dltrace to show: epochs, steps, ranges, moments.
 *
 *	#include <dltrace.h>
 *
 *	dltrace_epoch(1);		an epoch begins, and the one before ends
 *	dltrace_step(17);		the same for a step (an iteration)
 *	dltrace_push("load");		a range begins on this thread ...
 *	dltrace_pop();			... and ends; they nest
 *	dltrace_mark("saved");		a moment
 *
 * A negative number of dltrace_epoch and dltrace_step ends the last one and begins none. Names are
 * UTF-8, copied, and cut at 103 bytes. Any thread may call these at any time.
 *
 * Nothing is linked: each source file looks a function up at its first call, by dlsym. Where the
 * program runs without dltrace a call then costs about a nanosecond; with it and nobody recording,
 * a few. Before glibc 2.34 dlsym needs -ldl. With DLTRACE_DISABLE defined nothing is left of the
 * calls. C from C99 and C++ from C++11, with gcc or clang.
 *
 * The functions are ordinary exported ones of libdltrace.so, so other languages find them too;
 * dltrace(7) shows it for Python.
 */
#ifndef DLTRACE_H
#define DLTRACE_H

#if defined(DLTRACE_IMPLEMENTATION)	/* libdltrace.so itself */

void dltrace_epoch(int number);
void dltrace_step(int number);
void dltrace_push(const char *name);
void dltrace_pop(void);
void dltrace_mark(const char *name);

#elif defined(DLTRACE_DISABLE)

#define dltrace_epoch(number)	((void)(number))
#define dltrace_step(number)	((void)(number))
#define dltrace_push(name)	((void)(name))
#define dltrace_pop()		((void)0)
#define dltrace_mark(name)	((void)(name))

#else

#include <dlfcn.h>
#include <stddef.h>

/* A place for the function's address; dltrace_none_ while it is known that there is none. */
union dltrace_function_ {
	void *found;
	void (*number)(int);
	void (*name)(const char *);
	void (*nothing)(void);
};

static __inline__ __attribute__((__unused__)) void dltrace_none_(void)
{
}

/* Two threads may do this at once, and find the same. The first argument is RTLD_DEFAULT. */
static __attribute__((__noinline__, __unused__)) void *dltrace_find_(void **place, const char *name)
{
	union dltrace_function_ f;

	f.found = dlsym(NULL, name);
	if (!f.found) {
		dlerror();	/* what failed here is not for the program to hear of */
		f.nothing = dltrace_none_;
	}
	__atomic_store_n(place, f.found, __ATOMIC_RELAXED);
	return f.found;
}

/* Defines a function that calls the one in libdltrace.so, if there is any. */
#define DLTRACE_DEFINE_(function, parameters, member, arguments) \
	static __inline__ __attribute__((__unused__)) void function parameters \
	{ \
		static void *place; \
		union dltrace_function_ f; \
		f.found = __atomic_load_n(&place, __ATOMIC_RELAXED); \
		if (__builtin_expect(!f.found, 0)) \
			f.found = dltrace_find_(&place, #function); \
		if (f.nothing != dltrace_none_) \
			f.member arguments; \
	}

DLTRACE_DEFINE_(dltrace_epoch, (int number), number, (number))
DLTRACE_DEFINE_(dltrace_step, (int number), number, (number))
DLTRACE_DEFINE_(dltrace_push, (const char *name), name, (name))
DLTRACE_DEFINE_(dltrace_pop, (void), nothing, ())
DLTRACE_DEFINE_(dltrace_mark, (const char *name), name, (name))

#undef DLTRACE_DEFINE_

#endif
#endif

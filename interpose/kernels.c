/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels, as they become known: a library registers its host functions with mangled
 * names, CUDA 13's compiler and the driver turn those into handles, programs ask by name. A
 * library with thousands of kernels registers all of them at once, so this only notes where the
 * name lies; what is launched becomes an object with its name (objects.c). PyTorch 1.10 registers 46,000
 * when it is imported, without a GPU too: they are listed as they come, and only when somebody asks for
 * a kernel they get their places in the table, which are all over it.
 */
#include "kernels.h"

#include <stdbool.h>
#include <string.h>

#include "library.h"
#include "object_types.h"
#include "objects.h"

#define PLACES 65536		/* of the hash table; a power of 2 */
#define PLACE_BITS 16
#define FULL (PLACES / 4 * 3)
#define TEXT (1 << 20)		/* bytes for names that are in no library */

/* `name` is stored last; one that lies in a library may go with it, see name_at. */
struct place {
	uintptr_t kernel;	/* host function or handle; 0: free */
	const void *code;	/* the host function; NULL: not known */
	const char *name;
};

/* Untouched until the first kernel is named. */
static struct place places[PLACES];
static uint32_t used;
static struct {
	const void *function;	/* stored last; NULL: not yet */
	const char *name;
} registered[PLACES];
static uint32_t registered_count;	/* may be more than there is room for */
static uint32_t indexed;		/* of them, from the first on */
static char text[TEXT];
static uint32_t text_used;

static struct place *place_of(const void *kernel, bool make)
{
	uint64_t at = (uintptr_t)kernel * 0x9e3779b97f4a7c15 >> (64 - PLACE_BITS);

	for (;; at = (at + 1) % PLACES) {
		struct place *p = &places[at];
		uintptr_t seen = __atomic_load_n(&p->kernel, __ATOMIC_ACQUIRE);

		if (seen == (uintptr_t)kernel)
			return p;
		if (seen)
			continue;
		if (!make || __atomic_load_n(&used, __ATOMIC_RELAXED) >= FULL)
			return NULL;
		if (__atomic_compare_exchange_n(&p->kernel, &seen, (uintptr_t)kernel, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			__atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
			return p;
		}
		if (seen == (uintptr_t)kernel)
			return p;
	}
}

/* A copy for ever; NULL when there is no room. */
static const char *keep(const char *name)
{
	size_t size = strnlen(name, DLT_OBJECT_NAME - 1) + 1;
	uint32_t at = __atomic_fetch_add(&text_used, (uint32_t)size, __ATOMIC_RELAXED);

	if (at + size > TEXT) {
		__atomic_fetch_sub(&text_used, (uint32_t)size, __ATOMIC_RELAXED);
		return NULL;
	}
	memcpy(text + at, name, size - 1);
	return text + at;
}

/* Up to the end of the library that it lies in, where that is still there. */
static size_t length_of(const char *name)
{
	const char *end = name >= text && name < text + TEXT ? text + TEXT : dlt_library_end(name);
	size_t most = DLT_OBJECT_NAME - 1;

	if (!end)
		return 0;
	return strnlen(name, (size_t)(end - name) < most ? (size_t)(end - name) : most);
}

static void note(const void *kernel, const void *code, const char *name)
{
	struct place *p = kernel ? place_of(kernel, true) : NULL;
	const char *before;

	if (!p)
		return;
	before = p->name;
	__atomic_store_n(&p->code, code, __ATOMIC_RELAXED);
	if (!name)
		return;
	__atomic_store_n(&p->name, name, __ATOMIC_RELEASE);
	if (before && before != name)
		dlt_kernel_renamed(kernel, name, length_of(name));
}

static void note_registered(const void *function, const char *name)
{
	note(function, function, name && dlt_library_end(name) ? name : NULL);
}

void dlt_kernel_registered(const void *function, const char *name)
{
	uint32_t at = __atomic_fetch_add(&registered_count, 1, __ATOMIC_RELAXED);

	if (at >= PLACES) {
		__atomic_fetch_sub(&registered_count, 1, __ATOMIC_RELAXED);
		note_registered(function, name);
		return;
	}
	registered[at].name = name;
	__atomic_store_n(&registered[at].function, function ? function : registered, __ATOMIC_RELEASE);
}

/* Two threads may do the same ones: each is in the table before it is counted as being there. */
static void index_registered(void)
{
	uint32_t count = __atomic_load_n(&registered_count, __ATOMIC_RELAXED);
	uint32_t at = __atomic_load_n(&indexed, __ATOMIC_ACQUIRE);

	while (at < count && at < PLACES) {
		const void *function = __atomic_load_n(&registered[at].function, __ATOMIC_ACQUIRE);

		if (!function)
			return;		/* its thread is about to store it, and nobody launches it before */
		note_registered(function, registered[at].name);
		if (__atomic_compare_exchange_n(&indexed, &at, at + 1, false, __ATOMIC_RELEASE,
						__ATOMIC_ACQUIRE))
			at++;
	}
}

/* NULL: nothing is known of it. */
static const struct place *find(const void *kernel)
{
	if (__builtin_expect(indexed < registered_count, 0))
		index_registered();
	return place_of(kernel, false);
}

/* What it was called before may be gone, with its library. */
static bool is_named(const struct place *p, const char *name)
{
	const char *known = __atomic_load_n(&p->name, __ATOMIC_ACQUIRE);
	size_t length = known ? length_of(known) : 0;

	return length && strncmp(known, name, length) == 0 && (!name[length] || length == DLT_OBJECT_NAME - 1);
}

void dlt_kernel_named(const void *kernel, const char *name)
{
	const struct place *p = kernel ? find(kernel) : NULL;

	/* Mostly it is asked for again. */
	if (!name || (p && is_named(p, name)))
		return;
	note(kernel, p ? p->code : NULL, dlt_library_end(name) ? name : keep(name));
}

void dlt_kernel_known(const void *kernel, const void *function)
{
	const struct place *p = find(function);

	note(kernel, p && p->code ? p->code : function, p ? p->name : NULL);
}

size_t dlt_kernel_name(const void *kernel, const void **code, const char **name)
{
	const struct place *p = find(kernel);

	*name = p ? __atomic_load_n(&p->name, __ATOMIC_ACQUIRE) : NULL;
	*code = p && p->code ? p->code : kernel;
	return *name ? length_of(*name) : 0;
}

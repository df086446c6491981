/* SPDX-License-Identifier: MIT */
/* Bindings of wrappers to real functions, and thunks for those that need one. */
#include "targets.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "coverage.h"
#include "elf.h"
#include "guard.h"
#include "library.h"
#include "log.h"
#include "lookup.h"
#include "process.h"
#include "scope.h"
#include "sys.h"
#include "thread.h"
#include "thunks.h"
#include "walk.h"

/* ---- bindings: by function, newest first; nodes are never given back ------------------------ */

struct binding {
	struct binding *next;
	void *real;
	uint32_t generation;	/* of the libraries, when `real` was last known to be there */
	uint16_t library;	/* who calls, or who asked */
	uint16_t target;	/* asked for: the library that holds `real`; else 0 */
	bool asked;
};

#define CHUNK 1023

struct chunk {
	uint64_t used;
	struct binding bindings[CHUNK];
};

static struct chunk first_chunk;
static struct chunk *chunk = &first_chunk;
static struct binding *by_function[DLT_FNS];

/* NULL: no memory. */
static struct binding *new_binding(void)
{
	for (;;) {
		struct chunk *c = __atomic_load_n(&chunk, __ATOMIC_ACQUIRE), *more;
		uint64_t index = __atomic_fetch_add(&c->used, 1, __ATOMIC_RELAXED);

		if (index < CHUNK)
			return &c->bindings[index];
		more = dlt_sys_map(NULL, sizeof(*more), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1);
		if (!more)
			return NULL;
		/* Somebody else's is as good; then ours was for nothing. */
		if (!__atomic_compare_exchange_n(&chunk, &c, more, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
			dlt_sys_unmap(more, sizeof(*more));
	}
}

/* `real` before the generation that makes it valid. */
static void renew(struct binding *b, const struct binding *now)
{
	__atomic_store_n(&b->real, now->real, __ATOMIC_RELAXED);
	__atomic_store_n(&b->target, now->target, __ATOMIC_RELAXED);
	__atomic_store_n(&b->generation, now->generation, __ATOMIC_RELEASE);
}

static void remember(unsigned function, struct binding binding)
{
	struct binding *b = __atomic_load_n(&by_function[function], __ATOMIC_ACQUIRE);

	if (!binding.library)
		return;
	while (b && (b->library != binding.library || b->asked != binding.asked))
		b = b->next;
	if (b) {
		renew(b, &binding);
		return;
	}
	b = new_binding();
	if (!b)
		return;
	*b = binding;
	b->next = __atomic_load_n(&by_function[function], __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&by_function[function], &b->next, b, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* What was asked for stays as long as the library that holds it does. */
static bool is_valid(struct binding *b)
{
	uint32_t generation = dlt_library_now();
	uint16_t target;

	if (__atomic_load_n(&b->generation, __ATOMIC_ACQUIRE) == generation)
		return true;
	target = __atomic_load_n(&b->target, __ATOMIC_RELAXED);
	if (!b->asked || !target || dlt_library_at(__atomic_load_n(&b->real, __ATOMIC_RELAXED)) != target)
		return false;
	__atomic_store_n(&b->generation, generation, __ATOMIC_RELEASE);
	return true;
}

static struct binding *binding_of(unsigned function, uint16_t library)
{
	struct binding *b = __atomic_load_n(&by_function[function], __ATOMIC_ACQUIRE);

	/* Without a library (code made at run time) one caller is like another. */
	while (b && (b->library != library || !library || !is_valid(b)))
		b = b->next;
	return b;
}

static struct binding *any_asked(unsigned function)
{
	struct binding *b = __atomic_load_n(&by_function[function], __ATOMIC_ACQUIRE);

	while (b && (!b->asked || !is_valid(b)))
		b = b->next;
	return b;
}

/* In the order in which it is sure: bound, linked, asked for by somebody else, loaded at all. */
void *dlt_target(unsigned function, uint16_t library, const void *caller)
{
	struct binding *b = binding_of(function, library);
	void *found;

	if (b)
		return __atomic_load_n(&b->real, __ATOMIC_RELAXED);
	found = dlt_scope_find_linked(caller, dlt_function_symbol(function));
	if (!found) {
		b = any_asked(function);
		found = b ? b->real : dlt_scope_find(caller, dlt_function_symbol(function));
	}
	if (dlt_walk_returns())
		dlt_coverage_look();
	if (found)
		remember(function, (struct binding){ .real = found, .library = library,
						     .generation = dlt_library_now() });
	else
		dlt_log(DLT_LOG_CALLS, "no real function:", dlt_function_symbol(function), 0);
	return found;
}

void dlt_targets_after_fork(uint32_t before)
{
	for (unsigned function = 0; function < DLT_FNS; function++)
		for (struct binding *b = by_function[function]; b; b = b->next)
			if (b->generation == before)
				b->generation = dlt_library_now();
}

/* ---- thunks -------------------------------------------------------------------------------- */

__thread const struct dlt_handed *dlt_handed_over;
struct dlt_handed dlt_handed[DLT_THUNKS];
static uint32_t handed_used;
static uint32_t handed_by_function[DLT_FNS];	/* index + 1 */

/* The thunk of (function, real); NULL: none is left. */
static void *thunk_of(unsigned function, void *real)
{
	uint32_t first = __atomic_load_n(&handed_by_function[function], __ATOMIC_ACQUIRE), index;
	struct dlt_handed *h;

	for (uint32_t i = first; i; i = dlt_handed[i - 1].next)
		if (dlt_handed[i - 1].real == real)
			return dlt_thunk(i - 1);
	index = __atomic_fetch_add(&handed_used, 1, __ATOMIC_RELAXED);
	if (index >= DLT_THUNKS) {
		__atomic_store_n(&handed_used, DLT_THUNKS, __ATOMIC_RELAXED);
		return NULL;
	}
	h = &dlt_handed[index];
	*h = (struct dlt_handed){ .real = real, .wrapper = dlt_wrappers[function],
				  .function = function, .next = first };
	while (!__atomic_compare_exchange_n(&handed_by_function[function], &h->next, index + 1,
					    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return dlt_thunk(index);
}

/* ---- handing out --------------------------------------------------------------------------- */

/* By library: whether its dynamic symbols have any name that is wrapped, and when that was seen. */
static struct {
	uint32_t generation;
	bool known, any;
} mentioning[DLT_BOX_LIBRARIES];

static bool is_wrapped(const char *name, const void *data)
{
	(void)data;
	return dlt_lookup_may_be(name) && dlt_lookup_name(name) != DLT_FN_NONE;
}

static bool is_name(const char *name, const void *data)
{
	return strcmp(name, data) == 0;
}

static bool mentions(uint16_t library, const void *address, const char *name)
{
	uint32_t generation = dlt_library_now();
	struct dlt_elf e;

	if (library >= DLT_BOX_LIBRARIES || !dlt_library_elf(address, &e))
		return true;
	if (!mentioning[library].known || mentioning[library].generation != generation) {
		mentioning[library].any = dlt_elf_any(&e, is_wrapped, NULL);
		mentioning[library].generation = generation;
		mentioning[library].known = true;
	}
	if (!mentioning[library].any)
		return false;
	return dlt_elf_any(&e, is_name, name);
}

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

/*
 * Would the wrapper itself, called by that library, call the same? A library that has no symbol
 * of that name can only mean what it asked for.
 */
static bool is_plain(unsigned function, uint16_t library, const void *caller, void *real)
{
	struct binding *b = binding_of(function, library);
	void *linked;

	if (b && (b->asked || b->real != real))
		return b->real == real;
	b = any_asked(function);
	if (!library || (b && b->real != real))
		return false;
	if (mentions(library, caller, dlt_function_symbol(function))) {
		linked = dlt_scope_find_linked(caller, dlt_function_symbol(function));
		if (linked && linked != real)
			return false;
	}
	dlt_coverage_look();
	remember(function, (struct binding){
		.real = real, .library = library, .generation = dlt_library_now(),
		.target = dlt_library_of(real), .asked = true,
	});
	return true;
}

void *dlt_target_hand_out(unsigned function, const void *caller, void *real)
{
	struct dlt_thread *t = dlt_thread_self();
	uint16_t library;
	void *thunk;

	if (!dlt_wrappers[function] || dlt_is_guarded(t) || t->helper || !dlt_process.traced ||
	    dlt_library_base(real) == (uintptr_t)own_header)
		return real;
	library = dlt_library_of(caller);
	if (is_plain(function, library, caller, real))
		return dlt_wrappers[function];
	thunk = thunk_of(function, real);
	return thunk ? thunk : real;
}

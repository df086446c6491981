/* SPDX-License-Identifier: MIT */
/* Passes C++'s operators new and delete on (see operators.h). */
#include "operators.h"

#include <stdint.h>
#include <string.h>

#include "elf.h"
#include "export.h"
#include "library.h"
#include "real.h"
#include "walk.h"

#define EXPORTED(ret, name, args, values) DLT_EXPORT ret name args;
DLT_OPERATORS(EXPORTED)

#define INDEX(ret, name, args, values) AT_##name,
enum { DLT_OPERATORS(INDEX) COUNT };

#define NAME(ret, name, args, values) #name,
static const char *const names[COUNT] = { DLT_OPERATORS(NAME) };

/* All are decided at once: what one of them allocated another one frees. */
static uintptr_t targets[COUNT];
static bool decided;
bool dlt_operators_past_us;

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

/* Who has what, of all that is behind us in the order in which the loader looks. */
struct search {
	uintptr_t allocator;		/* whose malloc it is */
	bool behind;			/* we have come by ourselves */
	uintptr_t own[COUNT];		/* the allocator's */
	uintptr_t next[COUNT];		/* the next one that is not; if there is its own, a C++ library's */
};

static bool is_cxx_library(const struct dlt_elf *e)
{
	return e->soname && (!strncmp(e->soname, "libstdc++.so", 12) || !strncmp(e->soname, "libc++", 6));
}

static bool has_own(const struct search *s)
{
	return s->own[AT__Znwm] != 0;
}

static void look_into(struct search *s, const struct dlt_elf *e)
{
	uintptr_t *found = e->base == s->allocator ? s->own : s->next;

	if (found == s->next && has_own(s) && !is_cxx_library(e))
		return;
	for (int i = 0; i < COUNT; i++) {
		struct dlt_elf_name name;
		const ElfW(Sym) *symbol;

		if (found[i])
			continue;
		name = dlt_elf_name(names[i]);
		symbol = dlt_elf_find(e, &name, NULL);
		if (symbol)
			found[i] = (uintptr_t)dlt_elf_address(e, symbol);
	}
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	struct dlt_elf e;

	(void)size;
	if (info->dlpi_addr == (uintptr_t)own_header) {
		s->behind = true;
		return 0;
	}
	for (int i = 0; s->behind && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC &&
		    dlt_elf_open(&e, info->dlpi_addr, (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr)))
			look_into(s, &e);
	}
	return 0;
}

/* Out of line, and at the first call: who allocates by an operator has its C++ library by then. */
static __attribute__((noinline, cold)) void decide(void)
{
	struct search s = { 0 };

	s.allocator = dlt_library_base((const void *)dlt_real()->malloc);
	dlt_walk(look_at, &s);
	dlt_operators_past_us = has_own(&s) && !s.next[AT__Znwm];
	for (int i = 0; i < COUNT; i++)
		targets[i] = dlt_operators_past_us || !s.next[i] ? s.own[i] : s.next[i];
	__atomic_store_n(&decided, true, __ATOMIC_RELEASE);
}

static inline uintptr_t target(int index)
{
	if (__builtin_expect(!__atomic_load_n(&decided, __ATOMIC_ACQUIRE), 0))
		decide();
	return targets[index];
}

/* Each is a jump: exceptions, and the caller's address, are between those two. */
#define PASS(ret, name, args, values) \
	ret name args \
	{ \
		return ((ret (*) args)target(AT_##name)) values; \
	}
DLT_OPERATORS(PASS)

/* SPDX-License-Identifier: MIT */
/*
 * dlsym and dlvsym: who asks for a function of the tables by its exact name gets our wrapper of it.
 *
 * The real dlsym looks at its return address: RTLD_NEXT and RTLD_DEFAULT mean something else for
 * each caller. So whatever is not ours goes on to it by a jump that leaves the caller's return
 * address in place, in assembler, since a compiler may make a call of it. With a handle the caller
 * does not matter, and the result can be looked at.
 *
 * RTLD_DEFAULT and the program's own handle find our exported wrappers by themselves. These are
 * there for all as soon as anybody has the function, even one that was loaded for itself alone
 * (RTLD_LOCAL): then the question is put again with the wrapper hidden. What RTLD_NEXT finds is
 * handed out as it is: it is for those who wrap functions themselves, and their callers come by us.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "audited.h"
#include "cupti.h"
#include "dlsym.h"
#include "elf.h"
#include "exists.h"
#include "export.h"
#include "library.h"
#include "lookup.h"
#include "objects.h"
#include "targets.h"
#include "walk.h"

#define UNKNOWN DLT_FNS		/* in place of a function: sounds like CUDA or NCCL, is in no table */

/* The real ones; the assembler jumps through them. */
__attribute__((visibility("hidden"))) void *(*dlt_real_dlsym)(void *, const char *);
__attribute__((visibility("hidden"))) void *(*dlt_real_dlvsym)(void *, const char *, const char *);

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

/* The C library's, for ourselves: between us and it others may wrap it. */
static void *(*c_library_dlsym)(void *, const char *);

static struct link_map *own_map;

/* ---- the real dlsym ------------------------------------------------------------------------ */

struct search {
	bool after_us;
	void *dlsym, *dlvsym, *c_library_dlsym;
};

static void *find(const struct dlt_elf *e, const char *name)
{
	struct dlt_elf_name n = dlt_elf_name(name);
	const ElfW(Sym) *s = dlt_elf_find(e, &n, NULL);

	return s ? dlt_elf_address(e, s) : NULL;
}

/* Only objects after us: one before us that wraps dlsym too has us for the next one. */
static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct dlt_elf e;

	(void)size;
	if (info->dlpi_addr == (uintptr_t)own_header)
		search->after_us = true;
	else if (search->after_us)
		for (int i = 0; i < info->dlpi_phnum; i++) {
			const ElfW(Phdr) *p = &info->dlpi_phdr[i];

			if (p->p_type != PT_DYNAMIC ||
			    !dlt_elf_open(&e, info->dlpi_addr,
					  (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr)))
				continue;
			search->dlsym = search->dlsym ? search->dlsym : find(&e, "dlsym");
			search->dlvsym = search->dlvsym ? search->dlvsym : find(&e, "dlvsym");
			if (find(&e, "gnu_get_libc_version"))
				search->c_library_dlsym = find(&e, "dlsym");
		}
	return search->dlsym && search->dlvsym && search->c_library_dlsym;
}

static void resolve(void)
{
	struct search search = { 0 };

	own_map = dlt_library_map(own_header);

	dlt_walk(search_object, &search);
	/* Before glibc 2.34 it is not in libc.so. */
	if (!search.c_library_dlsym)
		search.c_library_dlsym = search.dlsym;
	c_library_dlsym = (void *(*)(void *, const char *))search.c_library_dlsym;
	dlt_real_dlvsym = (void *(*)(void *, const char *, const char *))search.dlvsym;
	/* Last: it says that both are there. */
	__atomic_store_n(&dlt_real_dlsym, (void *(*)(void *, const char *))search.dlsym,
			 __ATOMIC_RELEASE);
}

void *dlt_dlsym(void *handle, const char *name)
{
	if (__builtin_expect(!dlt_real_dlsym, 0))
		resolve();
	return c_library_dlsym(handle, name);
}

/* ---- what is asked for --------------------------------------------------------------------- */

static bool sounds_like_ours(const char *name)
{
	if (strncmp(name, "nccl", 4) == 0)
		return name[4] >= 'A' && name[4] <= 'Z';
	if (name[0] != 'c' || name[1] != 'u')
		return false;
	if (strncmp(name + 2, "pti", 3) == 0)
		return true;
	name += name[2] == 'd' && name[3] == 'a' ? 4 : 2;
	return *name >= 'A' && *name <= 'Z';
}

/* ---- who sees our exported wrappers -------------------------------------------------------- */

static bool is_before_us(const struct link_map *map)
{
	const struct link_map *m = own_map;

	while (m && m != map)
		m = m->l_prev;
	return m != NULL;
}

static struct link_map *program(void)
{
	return _r_debug.r_map;
}

/* Only the program's scope has us in it, which is everybody's default one too. */
static bool sees_us(void *handle, const void *caller)
{
	if (handle == RTLD_NEXT)
		return is_before_us(dlt_library_map(caller));
	return handle == RTLD_DEFAULT || handle == program();
}

/* Loaded with the program, and never unloaded: its scope is the global one. */
static bool is_startup(const struct link_map *map)
{
	const struct link_map *m = program();

	for (unsigned i = 0; i < dlt_exists_startup_objects && m; i++, m = m->l_next)
		if (m == map)
			return true;
	return false;
}

/*
 * It is our wrapper that would be found, and nothing real in the global scope. A caller that came
 * later may have brought the function with it, in ways that only the loader knows: then what the
 * wrapper finds does for it.
 */
static bool must_hide(void *handle, const char *name, const void *caller)
{
	return dlt_exists_is_shown(name) && !dlt_real_dlsym(RTLD_NEXT, name) &&
	       (handle == program() || is_startup(dlt_library_map(caller)));
}

/*
 * A library's own handle is searched in its name, so that the text of dlerror() is as it was. But
 * not where the loader itself has called somebody's malloc that asks: dlopen would end the process.
 */
static void *ask_without_us(void *handle, const char *name, const void *caller)
{
	struct link_map *map = handle == program() ? program() : dlt_library_map(caller);
	void *opened, *real;

	if (map != program() && _r_debug.r_state == RT_CONSISTENT) {
		/* Makes a handle of it, which takes no more than a count. */
		opened = dlopen(map->l_name, RTLD_NOW | RTLD_NOLOAD);
		real = opened ? dlt_real_dlsym(opened, name) : NULL;
		return real;
	}
	dlt_exists_hide(name, true);
	real = dlt_real_dlsym(program(), name);
	dlt_exists_hide(name, false);
	return real;
}

static unsigned function_of(const char *name)
{
	unsigned function = dlt_lookup_may_be(name) ? dlt_lookup_name(name) : DLT_FN_NONE;

	return function || !sounds_like_ours(name) ? function : UNKNOWN;
}

/*
 * The loader answers by who asks, so nobody can ask for him: he gets the real function, and that is told. Whoever
 * defines it himself passes on what has come to him.
 */
static unsigned pass_on(const char *name, const void *caller)
{
	struct dlt_elf_name wanted;
	struct dlt_elf e;

	if (!sounds_like_ours(name) || strncmp(name, "cupti", 5) == 0 || dlt_audited_active ||
	    !dlt_library_elf(caller, &e))
		return DLT_FN_NONE;
	wanted = dlt_elf_name(name);
	if (!dlt_elf_find(&e, &wanted, NULL))
		dlt_uncovered(DLT_ASKED_PAST);
	return DLT_FN_NONE;
}

/* These are called by the assembler below; DLT_FN_NONE: the question is passed on. */
__attribute__((used, visibility("hidden"))) unsigned
dlt_dlsym_wants(void *handle, const char *name, const void *caller);
unsigned dlt_dlsym_wants(void *handle, const char *name, const void *caller)
{
	unsigned function;

	if (__builtin_expect(!dlt_real_dlsym, 0))
		resolve();
	if (!sees_us(handle, caller))
		return handle == RTLD_NEXT ? pass_on(name, caller) : function_of(name);
	function = dlt_lookup_may_be(name) ? dlt_lookup_name(name) : DLT_FN_NONE;
	return function && must_hide(handle, name, caller) ? function : DLT_FN_NONE;
}

/* A version never means us. */
__attribute__((used, visibility("hidden"))) unsigned
dlt_dlvsym_wants(void *handle, const char *name, const void *caller);
unsigned dlt_dlvsym_wants(void *handle, const char *name, const void *caller)
{
	if (__builtin_expect(!dlt_real_dlsym, 0))
		resolve();
	return handle == RTLD_NEXT || handle == RTLD_DEFAULT ? pass_on(name, caller) : function_of(name);
}

/* A function of the CUDA driver or runtime, or of NCCL, that the tables do not have: the report shall say so. */
static void note_unknown(const char *name, void *real)
{
	struct dlt_elf e;

	if (dlt_library_elf(real, &e) && (dlt_elf_is_cuda(&e) || dlt_elf_is_nccl(&e)) && !dlt_lookup_passes(name))
		dlt_uncovered(name);
}

static void *hand_out(void *real, const char *name, unsigned function, const void *caller)
{
	void *ours;

	if (!real)
		return NULL;
	if (function != UNKNOWN)
		return dlt_target_hand_out(function, caller, real);
	ours = dlt_cupti_hand_out(name, real, caller);
	if (!ours)
		note_unknown(name, real);
	return ours ? ours : real;
}

__attribute__((used, visibility("hidden"))) void *
dlt_dlsym_answer(void *handle, const char *name, unsigned function, const void *caller);
void *dlt_dlsym_answer(void *handle, const char *name, unsigned function, const void *caller)
{
	void *real = sees_us(handle, caller) && must_hide(handle, name, caller)
			     ? ask_without_us(handle, name, caller)
			     : dlt_real_dlsym(handle, name);

	return hand_out(real, name, function, caller);
}

__attribute__((used, visibility("hidden"))) void *
dlt_dlvsym_answer(void *handle, const char *name, const char *version, unsigned function,
		  const void *caller);
void *dlt_dlvsym_answer(void *handle, const char *name, const char *version, unsigned function,
			const void *caller)
{
	return hand_out(dlt_real_dlvsym(handle, name, version), name, function, caller);
}

/* ---- the exported functions ---------------------------------------------------------------- */

#if defined(__x86_64__)
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov 24(%rsp), %rdx\n"
	"	call dlt_dlsym_wants\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	test %eax, %eax\n"
	"	jnz 1f\n"
	"	jmp *dlt_real_dlsym(%rip)\n"
	"1:	mov %eax, %edx\n"
	"	mov (%rsp), %rcx\n"
	"	jmp dlt_dlsym_answer\n"
	"	.cfi_endproc\n"
	".size dlsym, . - dlsym\n"

	".globl dlvsym\n"
	".type dlvsym, @function\n"
	"dlvsym:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov 24(%rsp), %rdx\n"
	"	call dlt_dlvsym_wants\n"
	"	pop %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	test %eax, %eax\n"
	"	jnz 1f\n"
	"	jmp *dlt_real_dlvsym(%rip)\n"
	"1:	mov %eax, %ecx\n"
	"	mov (%rsp), %r8\n"
	"	jmp dlt_dlvsym_answer\n"
	"	.cfi_endproc\n"
	".size dlvsym, . - dlvsym\n");
#else
/* Here the jump is the compiler's, which makes it when it optimises. */
#define JUMPS __attribute__((optimize("O2")))

JUMPS DLT_EXPORT void *dlsym(void *restrict handle, const char *restrict name)
{
	unsigned function = dlt_dlsym_wants(handle, name, __builtin_return_address(0));

	if (function)
		return dlt_dlsym_answer(handle, name, function, __builtin_return_address(0));
	return dlt_real_dlsym(handle, name);
}

JUMPS DLT_EXPORT void *dlvsym(void *restrict handle, const char *restrict name,
			      const char *restrict version)
{
	unsigned function = dlt_dlvsym_wants(handle, name, __builtin_return_address(0));

	if (function)
		return dlt_dlvsym_answer(handle, name, version, function, __builtin_return_address(0));
	return dlt_real_dlvsym(handle, name, version);
}
#endif

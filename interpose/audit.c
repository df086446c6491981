/* SPDX-License-Identifier: MIT */
/*
 * libdltrace-audit.so: the companion that dltrace-record --audit names in LD_AUDIT.
 *
 * A preload stands first in the global search order, and a library bound with RTLD_DEEPBIND, one in
 * a namespace of dlmopen, or one that takes functions by dlsym from where that is not wrapped does
 * not look there. The loader tells an audit library of every binding, wherever it was found; for
 * functions of CUDA this one asks libdltrace.so what to bind to instead.
 *
 * It lives in a namespace of its own with a C library of its own, so it does next to nothing:
 * only objects that define CUDA functions are asked to be told of, and all that is known stays in
 * libdltrace.so. The heap stays as it is bound: another namespace has another heap.
 */
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "audited.h"
#include "elf.h"
#include "export.h"

DLT_EXPORT unsigned la_version(unsigned version);
DLT_EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
DLT_EXPORT void la_preinit(uintptr_t *cookie);
DLT_EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
				  unsigned *flags, const char *name);

/* libdltrace.so in the application's namespace; not loaded: nothing is changed. */
static struct dlt_elf ours;
static dlt_audited_bind *bind;

unsigned la_version(unsigned version)
{
	/* From 2 on the loader tells of references that are bound at once, too (glibc 2.35). */
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static bool defines(const struct dlt_elf *e, const char *name)
{
	struct dlt_elf_name n = dlt_elf_name(name);

	return dlt_elf_find(e, &n, NULL) != NULL;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	struct dlt_elf e;

	*cookie = (uintptr_t)map->l_ld;
	if (!dlt_elf_open(&e, map->l_addr, map->l_ld))
		return LA_FLG_BINDFROM;
	if (space == LM_ID_BASE && defines(&e, DLT_AUDITED_BIND))
		ours = e;
	for (size_t i = 0; i < sizeof(dlt_audited_marks) / sizeof(*dlt_audited_marks); i++)
		if (defines(&e, dlt_audited_marks[i]))
			return LA_FLG_BINDFROM | LA_FLG_BINDTO;
	return LA_FLG_BINDFROM;
}

/* All that was linked is relocated: until now the preload is found without us. */
void la_preinit(uintptr_t *cookie)
{
	struct dlt_elf_name name = dlt_elf_name(DLT_AUDITED_BIND);
	const ElfW(Sym) *s = ours.symbols ? dlt_elf_find(&ours, &name, NULL) : NULL;

	(void)cookie;
	if (!s)
		return;
	bind = (dlt_audited_bind *)dlt_elf_address(&ours, s);
	bind(NULL, 0, 0);
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
		       unsigned *flags, const char *name)
{
	(void)index;
	(void)to;
	*flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
	/* What libdltrace.so looks up itself it does for somebody, and knows for whom. */
	if (!bind || !symbol->st_value || *from == (uintptr_t)ours.dynamic)
		return symbol->st_value;
	return bind(name, symbol->st_value, *from);
}

/* SPDX-License-Identifier: MIT */
/* Symbol lookup in loaded objects: GNU and System V hash tables, symbol versions, IFUNCs. */
#include "elf.h"

#include <stddef.h>
#include <string.h>

#define PAGE		4096
#define VERSION_INDEX	0x7fff
#define VERSION_HIDDEN	0x8000

/*
 * glibc relocates most of a dynamic section in place, but not the vdso's. The base is below 0 where a library lies
 * lower than it was linked for.
 */
static const void *at(const struct dlt_elf *e, ElfW(Addr) address)
{
	return (const void *)((ElfW(Sxword))address < (ElfW(Sxword))e->base ? address + e->base : address);
}

const ElfW(Phdr) *dlt_elf_headers(uintptr_t begin, unsigned *count)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)begin;

	if (memcmp(header, ELFMAG, SELFMAG) != 0 || header->e_phoff > PAGE - sizeof(ElfW(Phdr)) ||
	    header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > PAGE)
		return NULL;
	*count = header->e_phnum;
	return (const ElfW(Phdr) *)(begin + header->e_phoff);
}

bool dlt_elf_open(struct dlt_elf *e, uintptr_t base, const ElfW(Dyn) *dynamic)
{
	ElfW(Xword) soname = 0;

	*e = (struct dlt_elf){ .base = base, .dynamic = dynamic };
	if (!dynamic)
		return false;
	for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SYMTAB: e->symbols = (ElfW(Sym) *)at(e, d->d_un.d_ptr); break;
		case DT_STRTAB: e->strings = at(e, d->d_un.d_ptr); break;
		case DT_GNU_HASH: e->gnu_hash = at(e, d->d_un.d_ptr); break;
		case DT_HASH: e->sysv_hash = at(e, d->d_un.d_ptr); break;
		case DT_VERSYM: e->versions = at(e, d->d_un.d_ptr); break;
		case DT_VERDEF: e->defined = at(e, d->d_un.d_ptr); break;
		case DT_VERNEED: e->needed = at(e, d->d_un.d_ptr); break;
		case DT_SONAME: soname = d->d_un.d_val; break;
		}
	}
	if (soname && e->strings)
		e->soname = e->strings + soname;
	return e->symbols && e->strings && (e->gnu_hash || e->sysv_hash);
}

struct dlt_elf_name dlt_elf_name(const char *name)
{
	struct dlt_elf_name n = { .name = name, .gnu = 5381 };

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		n.gnu = n.gnu * 33 + *c;
	return n;
}

/* Hardly anything still has only this one. */
static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
		hash = (hash << 4) + *c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	return hash;
}

/* The name of version `index` that e defines; NULL: none. */
static const char *defined_version(const struct dlt_elf *e, unsigned index)
{
	const ElfW(Verdef) *d = e->defined;

	while (d) {
		if (d->vd_ndx == index)
			return e->strings +
			       ((const ElfW(Verdaux) *)((const char *)d + d->vd_aux))->vda_name;
		d = d->vd_next ? (const ElfW(Verdef) *)((const char *)d + d->vd_next) : NULL;
	}
	return NULL;
}

enum match { NO, PERHAPS, YES };

/* As the loader's check_match does. PERHAPS: an old version, when nothing better is there. */
static enum match matches(const struct dlt_elf *e, uint32_t index, const struct dlt_elf_name *name,
			  const char *version)
{
	const ElfW(Sym) *s = &e->symbols[index];
	unsigned type = ELF64_ST_TYPE(s->st_info), bind = ELF64_ST_BIND(s->st_info);
	const char *own;

	if (!s->st_value || s->st_shndx == SHN_UNDEF || bind == STB_LOCAL ||
	    (name->data ? type != STT_OBJECT
			: type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    strcmp(e->strings + s->st_name, name->name) != 0)
		return NO;
	if (!e->versions)
		return YES;
	if (!version)
		return e->versions[index] & VERSION_HIDDEN ? PERHAPS : YES;
	own = defined_version(e, e->versions[index] & VERSION_INDEX);
	if ((e->versions[index] & VERSION_INDEX) <= VER_NDX_GLOBAL)
		return YES;
	return own && strcmp(own, version) == 0 ? YES : NO;
}

static const ElfW(Sym) *find_gnu(const struct dlt_elf *e, const struct dlt_elf_name *name,
				 const char *version)
{
	const uint32_t *table = e->gnu_hash;
	uint32_t nbuckets = table[0], first = table[1], words = table[2], shift = table[3];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)(table + 4);
	const uint32_t *buckets = (const uint32_t *)(bloom + words), *chain = buckets + nbuckets;
	const unsigned bits = 8 * sizeof(ElfW(Addr));
	ElfW(Addr) word = bloom[name->gnu / bits & (words - 1)];
	const ElfW(Sym) *old = NULL;
	uint32_t i;

	if (!(word >> (name->gnu % bits) & word >> ((name->gnu >> shift) % bits) & 1))
		return NULL;
	i = buckets[name->gnu % nbuckets];
	if (i < first)
		return NULL;
	for (;; i++) {
		uint32_t hash = chain[i - first];

		if ((hash | 1) == (name->gnu | 1)) {
			switch (matches(e, i, name, version)) {
			case YES: return &e->symbols[i];
			case PERHAPS: old = &e->symbols[i]; break;
			case NO: break;
			}
		}
		if (hash & 1)
			return old;
	}
}

bool dlt_elf_has_hash(const struct dlt_elf *e, uint32_t hash)
{
	const uint32_t *buckets = dlt_elf_buckets(e);

	for (uint32_t full = hash & ~1u; full <= (hash | 1); full++) {
		uint32_t i = buckets[full % e->gnu_hash[0]], own = 0;

		for (; i >= e->gnu_hash[1] && !(own & 1); i++) {
			own = dlt_elf_hash(e, i);
			if ((own | 1) == (hash | 1))
				return true;
		}
	}
	return false;
}

static const ElfW(Sym) *find_sysv(const struct dlt_elf *e, const struct dlt_elf_name *name,
				  const char *version)
{
	const uint32_t *buckets = e->sysv_hash + 2, *chain = buckets + e->sysv_hash[0];
	const ElfW(Sym) *old = NULL;

	for (uint32_t i = buckets[sysv_hash(name->name) % e->sysv_hash[0]]; i; i = chain[i]) {
		switch (matches(e, i, name, version)) {
		case YES: return &e->symbols[i];
		case PERHAPS: old = &e->symbols[i]; break;
		case NO: break;
		}
	}
	return old;
}

const ElfW(Sym) *dlt_elf_find(const struct dlt_elf *e, const struct dlt_elf_name *name,
			      const char *version)
{
	if (e->gnu_hash)
		return e->gnu_hash[0] ? find_gnu(e, name, version) : NULL;
	return e->sysv_hash[0] ? find_sysv(e, name, version) : NULL;
}

void *dlt_elf_address(const struct dlt_elf *e, const ElfW(Sym) *symbol)
{
	union {
		uintptr_t address;
		void *(*resolve)(void);
	} u = { .address = symbol->st_value };

	if (symbol->st_shndx != SHN_ABS)
		u.address += e->base;
	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		return u.resolve();
	return (void *)u.address;
}

/* The largest symbol index that relocations of one table use. */
static uint32_t last_relocated(const struct dlt_elf *e, ElfW(Sxword) which, ElfW(Sxword) which_size)
{
	struct dlt_elf_relocations r = dlt_elf_relocations(e, which, which_size);
	uint32_t last = 0;

	for (size_t i = 0; i < r.count; i++)
		if (ELF64_R_SYM(r.table[i].r_info) > last)
			last = (uint32_t)ELF64_R_SYM(r.table[i].r_info);
	return last;
}

struct dlt_elf_relocations dlt_elf_relocations(const struct dlt_elf *e, ElfW(Sxword) which,
					       ElfW(Sxword) which_size)
{
	struct dlt_elf_relocations r = { NULL, 0 };
	size_t size = 0;

	for (const ElfW(Dyn) *d = e->dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == which)
			r.table = at(e, d->d_un.d_ptr);
		else if (d->d_tag == which_size)
			size = d->d_un.d_val;
	}
	if (r.table)
		r.count = size / sizeof(*r.table);
	return r;
}

uint32_t dlt_elf_references(const struct dlt_elf *e)
{
	const uint32_t *table = e->gnu_hash, *buckets;
	uint32_t plt, data;

	if (!table)
		return e->sysv_hash[1];
	buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / 4);
	for (uint32_t i = 0; i < table[0]; i++)
		if (buckets[i])
			return table[1];
	/* It defines nothing, and then its hash table does not say where symbols end. */
	plt = last_relocated(e, DT_JMPREL, DT_PLTRELSZ);
	data = last_relocated(e, DT_RELA, DT_RELASZ);
	return (plt > data ? plt : data) + 1;
}

uint32_t dlt_elf_count(const struct dlt_elf *e)
{
	const uint32_t *table = e->gnu_hash, *buckets, *chain;
	uint32_t last = 0;

	if (!table)
		return e->sysv_hash[1];
	buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / 4);
	chain = buckets + table[0];
	for (uint32_t i = 0; i < table[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < table[1])
		return dlt_elf_references(e);
	while (!(chain[last - table[1]] & 1))
		last++;
	return last + 1;
}

bool dlt_elf_any(const struct dlt_elf *e, bool (*test)(const char *name, const void *data),
		 const void *data)
{
	uint32_t count = dlt_elf_count(e);

	for (uint32_t i = 1; i < count; i++)
		if (test(e->strings + e->symbols[i].st_name, data))
			return true;
	return false;
}

/* The name of version `index` that e needs of others; NULL: none. */
static const char *needed_version(const struct dlt_elf *e, unsigned index)
{
	const ElfW(Verneed) *n = e->needed;

	while (n) {
		const ElfW(Vernaux) *a = (const ElfW(Vernaux) *)((const char *)n + n->vn_aux);

		for (unsigned i = 0; i < n->vn_cnt; i++) {
			if (a->vna_other == index)
				return e->strings + a->vna_name;
			a = (const ElfW(Vernaux) *)((const char *)a + a->vna_next);
		}
		n = n->vn_next ? (const ElfW(Verneed) *)((const char *)n + n->vn_next) : NULL;
	}
	return NULL;
}

const char *dlt_elf_wanted_version(const struct dlt_elf *e, const char *name)
{
	uint32_t count = dlt_elf_references(e);

	if (!e->versions || !e->needed)
		return NULL;
	for (uint32_t i = 1; i < count; i++) {
		const ElfW(Sym) *s = &e->symbols[i];

		if (s->st_shndx == SHN_UNDEF && strcmp(e->strings + s->st_name, name) == 0)
			return needed_version(e, e->versions[i] & VERSION_INDEX);
	}
	return NULL;
}

const char *dlt_elf_next_needed(const struct dlt_elf *e, const ElfW(Dyn) **place)
{
	const ElfW(Dyn) *d = *place ? *place + 1 : e->dynamic;

	while (d->d_tag != DT_NULL && d->d_tag != DT_NEEDED)
		d++;
	*place = d;
	return d->d_tag == DT_NEEDED ? e->strings + d->d_un.d_val : NULL;
}

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

const char *dlt_elf_own_path(void)
{
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (m->l_addr == (uintptr_t)own_header)
			return m->l_name[0] ? m->l_name : NULL;
	return NULL;
}

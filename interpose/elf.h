/* SPDX-License-Identifier: MIT */
/*
 * Looking into the dynamic symbol tables of loaded objects without the loader's help: no lock,
 * no allocation, so it can be done in a hook and while the loader itself is at work.
 *
 * A struct dlt_elf only points into the mapped object: valid while that is loaded.
 */
#ifndef DLT_INTERPOSE_ELF_H
#define DLT_INTERPOSE_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dlt_elf {
	uintptr_t base;			/* what is added to the file's addresses */
	const ElfW(Dyn) *dynamic;
	ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *gnu_hash;	/* NULL: none */
	const uint32_t *sysv_hash;	/* NULL: none */
	const ElfW(Half) *versions;	/* by symbol; NULL: unversioned */
	const ElfW(Verdef) *defined;
	const ElfW(Verneed) *needed;
	const char *soname;		/* NULL: none */
};

/* A CUDA driver or runtime, by its name. */
static inline bool dlt_elf_is_cuda(const struct dlt_elf *e)
{
	return e->soname && (strncmp(e->soname, "libcuda.so", 10) == 0 || strncmp(e->soname, "libcudart", 9) == 0);
}

/* NCCL or RCCL, by its name; no plugin of theirs (libnccl-net.so). */
static inline bool dlt_elf_is_nccl(const struct dlt_elf *e)
{
	return e->soname && (strncmp(e->soname, "libnccl.so", 10) == 0 || strncmp(e->soname, "librccl.so", 10) == 0);
}

/* A name to look for, with its hash. */
struct dlt_elf_name {
	const char *name;
	uint32_t gnu;
	bool data;			/* of a variable, else of a function */
};

/*
 * The program headers of the object that is mapped from `begin` on, in memory; NULL: its first page does not have
 * them.
 */
const ElfW(Phdr) *dlt_elf_headers(uintptr_t begin, unsigned *count);

/* False for what has no dynamic symbols. */
bool dlt_elf_open(struct dlt_elf *e, uintptr_t base, const ElfW(Dyn) *dynamic);

/* The path that this library was loaded by, borrowed; NULL: not found. dladdr goes over all symbols. */
const char *dlt_elf_own_path(void);

struct dlt_elf_name dlt_elf_name(const char *name);

/*
 * The function or variable `name` that e defines; with `version` (NULL: any, the default one preferred)
 * as the loader would match it. NULL: not there.
 */
const ElfW(Sym) *dlt_elf_find(const struct dlt_elf *e, const struct dlt_elf_name *name,
			      const char *version);

/* Its address; calls the resolver of an IFUNC. */
void *dlt_elf_address(const struct dlt_elf *e, const ElfW(Sym) *symbol);

/* The first symbol that the GNU hash table has, and the hash there of each: its lowest bit is lost. */
static inline uint32_t dlt_elf_hashed(const struct dlt_elf *e)
{
	return e->gnu_hash[1];
}

static inline const uint32_t *dlt_elf_buckets(const struct dlt_elf *e)
{
	return e->gnu_hash + 4 + e->gnu_hash[2] * (sizeof(ElfW(Addr)) / 4);
}

static inline uint32_t dlt_elf_hash(const struct dlt_elf *e, uint32_t symbol)
{
	return (dlt_elf_buckets(e) + e->gnu_hash[0])[symbol - e->gnu_hash[1]];
}

/* The first symbol of the chain where `name` would be (0: none), and the name's hash. */
static inline uint32_t dlt_elf_chain(const struct dlt_elf *e, const struct dlt_elf_name *name,
				     uint32_t *hash)
{
	*hash = name->gnu;
	return dlt_elf_buckets(e)[name->gnu % e->gnu_hash[0]];
}

/* True: e defines something with this hash, whatever its lowest bit. */
bool dlt_elf_has_hash(const struct dlt_elf *e, uint32_t hash);

/* Number of symbols. */
uint32_t dlt_elf_count(const struct dlt_elf *e);

/* True if `test` says so of the name of any of its symbols, defined or referred to. */
bool dlt_elf_any(const struct dlt_elf *e, bool (*test)(const char *name, const void *data),
		 const void *data);

/* What e refers to and does not define lies below this index. */
uint32_t dlt_elf_references(const struct dlt_elf *e);

/* One of its relocation tables: DT_RELA and DT_RELASZ, or DT_JMPREL and DT_PLTRELSZ. */
struct dlt_elf_relocations {
	const ElfW(Rela) *table;
	size_t count;
};

struct dlt_elf_relocations dlt_elf_relocations(const struct dlt_elf *e, ElfW(Sxword) which,
					       ElfW(Sxword) which_size);

/* The version that e asks for when it refers to `name`; NULL: none, or no reference. */
const char *dlt_elf_wanted_version(const struct dlt_elf *e, const char *name);

/* The next DT_NEEDED of e after `*at` (NULL: the first one); NULL at the end. */
const char *dlt_elf_next_needed(const struct dlt_elf *e, const ElfW(Dyn) **at);

#endif

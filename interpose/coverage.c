/* SPDX-License-Identifier: MIT */
/* Judges loaded objects by their dynamic symbols and by where their references are bound. */
#include "coverage.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "audited.h"
#include "box_private.h"
#include "emit.h"
#include "exists.h"
#include "hash.h"
#include "library.h"
#include "library_flags.h"
#include "lookup.h"
#include "operators.h"
#include "process.h"
#include "real.h"
#include "scope.h"
#include "walk.h"

#define PLACES 8192		/* a power of 2: objects that need no second look */
#define SYMBOLS 32768		/* references of an object that are looked at */

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* What a name tells of who refers to it. */
enum reference { OTHER, RUNTIME, DRIVER, LOOKUP, HEAP, PROFILER, NCCL };

/* The loader's list lock is held while these are in use, and what `us` points to is one's own only then. */
static uint64_t judged[PLACES];
static uint8_t relevant[SYMBOLS];	/* by symbol: enum reference */
static bool ending;
static unsigned long long seen_adds;
static const struct dlt_object *us;
static bool lookups_are_ours;		/* dlsym is wrapped */

/*
 * A static CUDA runtime leaves no symbol behind, but it needs these of the C library, whatever its
 * version (true of 11.8, 12.9, 13.0, 13.2 and 13.5, see tests/source/cuda_static.sh; of all else that was
 * looked at, nothing needs the three).
 */
static const char *const fingerprint[] = {
	"dlvsym", "pthread_rwlockattr_setpshared", "mkfifo",
};
#define FINGERS (sizeof(fingerprint) / sizeof(*fingerprint))

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static enum reference reference_of(const char *name)
{
	switch (name[0]) {
	case 'c':
		if (name[1] != 'u')
			return OTHER;
		if (is_upper(name[2]))
			return DRIVER;
		if (strncmp(name, "cupti", 5) == 0 && is_upper(name[5]))
			return PROFILER;
		return strncmp(name, "cuda", 4) == 0 && is_upper(name[4]) ? RUNTIME : OTHER;
	case '_':
		return strncmp(name, "__cuda", 6) == 0 && is_upper(name[6]) ? RUNTIME : OTHER;
	case 'd':
		return strcmp(name, "dlsym") == 0 || strcmp(name, "dlvsym") == 0 ? LOOKUP : OTHER;
	case 'm':
		return strcmp(name, "malloc") == 0 ? HEAP : OTHER;
	case 'n':
		return strncmp(name, "nccl", 4) == 0 && is_upper(name[4]) ? NCCL : OTHER;
	}
	return OTHER;
}

/* ---- references ---------------------------------------------------------------------------- */

static uint32_t find_references(const struct dlt_elf *e, uint32_t count)
{
	unsigned fingers = 0;
	uint32_t flags = 0;

	for (uint32_t i = 1; i < count; i++) {
		const char *name = e->strings + e->symbols[i].st_name;

		relevant[i] = OTHER;
		if (e->symbols[i].st_shndx != SHN_UNDEF)
			continue;
		relevant[i] = (uint8_t)reference_of(name);
		flags |= relevant[i] == RUNTIME ? DLT_LIBRARY_USES_RUNTIME : 0;
		flags |= relevant[i] == DRIVER ? DLT_LIBRARY_USES_DRIVER : 0;
		for (unsigned f = 0; f < FINGERS; f++)
			if (*name == *fingerprint[f] && strcmp(name, fingerprint[f]) == 0)
				fingers |= 1u << f;
	}
	return flags | (fingers == (1u << FINGERS) - 1 ? DLT_LIBRARY_OWN_RUNTIME : 0);
}

enum binding { UNBOUND, OURS, PAST_US, NOT_WRAPPED };

/* In another namespace everything is past us but what an audit library has brought to us. */
static enum binding binding_in_space(const void *self, uintptr_t value)
{
	uintptr_t base = value ? dlt_library_base((const void *)value) : 0;

	if (!base || base == dlt_library_base(self))
		return UNBOUND;
	return base == (uintptr_t)own_header ? OURS : PAST_US;
}

/*
 * Past us: at the same function of another object that the loader would have found after us. An
 * address in the object itself is a reference that is not bound yet, or bound to itself.
 */
static enum binding binding_of(const struct dlt_object *o, const char *name, uintptr_t value)
{
	const struct dlt_object *at;
	struct dlt_elf_name wanted;
	const ElfW(Sym) *s;
	bool listed;

	if (o->end == 0)
		return binding_in_space(o->elf.dynamic, value);
	if (value - o->begin < o->end - o->begin)
		return UNBOUND;
	at = value ? dlt_scope_object((const void *)value) : NULL;
	if (!at)
		return UNBOUND;
	if (at == us || !at->elf.symbols)
		return OURS;
	wanted = dlt_elf_name(name);
	s = dlt_elf_find(&at->elf, &wanted, NULL);
	if (!s || at->elf.base + s->st_value != value)
		return OURS;	/* a place in a program's table that leads to us */
	if (!us || dlt_scope_order(at) < dlt_scope_order(us))
		return OURS;	/* somebody else's wrapper, who asks for the next one */
	if (dlt_elf_find(&us->elf, &wanted, NULL))
		return PAST_US;
	/* Others' names begin like the driver's, too (cuFileRead of libcufile.so). */
	listed = dlt_elf_is_cuda(&at->elf) || dlt_elf_is_nccl(&at->elf);
	return listed && !dlt_lookup_passes(name) ? NOT_WRAPPED : OURS;
}

static uint32_t flag_of(enum reference reference)
{
	switch (reference) {
	case LOOKUP: return DLT_LIBRARY_LOOKS_PAST_US;
	case HEAP: return DLT_LIBRARY_HEAP_PAST_US;
	case PROFILER: return DLT_LIBRARY_PROFILES_PAST_US;
	case NCCL: return 0;
	default: return DLT_LIBRARY_PAST_US;
	}
}

static uint32_t unknown_flag(enum reference reference)
{
	switch (reference) {
	case RUNTIME: case DRIVER: return DLT_LIBRARY_USES_UNKNOWN;
	case NCCL: return DLT_LIBRARY_USES_UNKNOWN_NCCL;
	default: return 0;
	}
}

/* How many at the beginning of DT_RELA have no symbol: nearly all, a million in some libraries. */
static size_t relative_count(const struct dlt_elf *e)
{
	for (const ElfW(Dyn) *d = e->dynamic; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_RELACOUNT)
			return d->d_un.d_val;
	return 0;
}

/* Of one relocation table; *open: something relevant is not bound yet. */
static uint32_t find_bindings(const struct dlt_object *o, uint32_t count, ElfW(Sxword) which,
			      ElfW(Sxword) which_size, bool *open)
{
	struct dlt_elf_relocations r = dlt_elf_relocations(&o->elf, which, which_size);
	uint32_t flags = 0;

	for (size_t i = which == DT_RELA ? relative_count(&o->elf) : 0; i < r.count; i++) {
		uint32_t symbol = (uint32_t)ELF64_R_SYM(r.table[i].r_info);
		uintptr_t value;

		if (!symbol || symbol >= count || relevant[symbol] == OTHER)
			continue;
		memcpy(&value, (const void *)(o->elf.base + r.table[i].r_offset), sizeof(value));
		switch (binding_of(o, o->elf.strings + o->elf.symbols[symbol].st_name, value)) {
		case UNBOUND: *open = true; break;
		case PAST_US: flags |= flag_of(relevant[symbol]); break;
		case NOT_WRAPPED: flags |= unknown_flag(relevant[symbol]); break;
		case OURS: break;
		}
	}
	return flags;
}

/* ---- objects ------------------------------------------------------------------------------- */

static bool defines(const struct dlt_elf *e, const char *name)
{
	struct dlt_elf_name n = dlt_elf_name(name);

	return dlt_elf_find(e, &n, NULL) != NULL;
}

/* The allocator behind us, all of whose calls come by us. */
static bool is_counted(const struct dlt_elf *e)
{
	return dlt_process.heap == DLT_HEAP_EXACT && !dlt_operators_past_us &&
	       e->base == dlt_library_base((const void *)dlt_real()->malloc);
}

static uint32_t definitions(const struct dlt_elf *e)
{
	uint32_t flags = defines(e, "cudaMalloc") ? DLT_LIBRARY_RUNTIME : 0;

	if (defines(e, "cuInit") && defines(e, "cuDriverGetVersion"))
		flags |= DLT_LIBRARY_DRIVER;
	if (defines(e, "malloc") && !defines(e, "gnu_get_libc_version") && !is_counted(e))
		flags |= DLT_LIBRARY_OWN_MALLOC;
	return flags;
}

/* After an unload something else may lie at the same place. */
static uint64_t key_of(const struct dlt_object *o)
{
	uint64_t place = dlt_hash(DLT_HASH_BASIS, &o->elf.dynamic, sizeof(o->elf.dynamic));

	return dlt_hash(place, o->path, strlen(o->path)) | 1;
}

static uint64_t *place_of(uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - 13));

	for (unsigned i = 0; i < 64; i++, at = (at + 1) % PLACES)
		if (!judged[at] || judged[at] == key)
			return &judged[at];
	return NULL;
}

static uint32_t judge(const struct dlt_object *o, bool *open)
{
	uint32_t count = dlt_elf_references(&o->elf), flags = definitions(&o->elf);

	count = count < SYMBOLS ? count : SYMBOLS;
	flags |= find_references(&o->elf, count);
	if (flags & DLT_LIBRARY_RUNTIME)
		flags &= ~(uint32_t)DLT_LIBRARY_OWN_RUNTIME;
	/* What was loaded at start is bound in the global order, in which we stand first. */
	if (o->end && dlt_scope_order(o) < dlt_exists_startup_objects)
		return flags;
	flags |= find_bindings(o, count, DT_JMPREL, DT_PLTRELSZ, open);
	return flags | find_bindings(o, count, DT_RELA, DT_RELASZ, open);
}

static void look_at(const struct dlt_object *o)
{
	uint64_t key, *place;
	bool open = false;
	uint32_t flags;

	if (!o->elf.symbols || o->elf.base == (uintptr_t)own_header)
		return;
	key = key_of(o);
	place = place_of(key);
	if (place && *place == key)
		return;
	flags = judge(o, &open);
	if (flags)
		dlt_library_mark(o->elf.dynamic, flags);
	if (!open && place)
		*place = key;
}

/* ---- other namespaces ---------------------------------------------------------------------- */

#if __GLIBC_PREREQ(2, 35)
/* LD_AUDIT: an audit library comes first, no part of the program. */
static bool is_an_auditor_s(const struct link_map *first)
{
	struct dlt_elf e;

	return first && dlt_elf_open(&e, first->l_addr, first->l_ld) && defines(&e, "la_version");
}

/* dlmopen: everything in there is bound among itself, to a C library of its own. */
static void look_at_namespaces(void)
{
	const struct r_debug_extended *space = (const struct r_debug_extended *)&_r_debug;
	struct dlt_object o = { .end = 0 };	/* of unknown extent */
	bool open;

	__asm__("" : "+r"(space));	/* it is larger than link.h declares it */
	if (space->base.r_version < 2)
		return;
	for (space = space->r_next; space; space = space->r_next) {
		if (is_an_auditor_s(space->base.r_map))
			continue;
		for (const struct link_map *m = space->base.r_map; m; m = m->l_next)
			if (dlt_elf_open(&o.elf, m->l_addr, m->l_ld))
				dlt_library_mark(m->l_ld, DLT_LIBRARY_NAMESPACE | judge(&o, &open));
	}
}
#else
static void look_at_namespaces(void)
{
}
#endif

/* ---- when ---------------------------------------------------------------------------------- */

static void begin(const struct dlt_object *o, void *data)
{
	(void)data;
	if (dlt_scope_order(o) == 0) {
		us = dlt_scope_object(own_header);
		__atomic_store_n(&lookups_are_ours, us && defines(&us->elf, "dlsym"), __ATOMIC_RELAXED);
		if (ending)
			look_at_namespaces();
	}
	look_at(o);
}

/* What holds of the whole process is a flag of our own library. */
static void mark_us(uint32_t flags)
{
	bool lookups = __atomic_load_n(&lookups_are_ours, __ATOMIC_RELAXED);

	dlt_library_mark(own_dynamic, flags | (lookups ? DLT_LIBRARY_LOOKUPS : 0) |
			 (dlt_audited_active ? DLT_LIBRARY_AUDITED : 0));
}

void dlt_coverage_look(void)
{
	if (!dlt_box || !dlt_process.traced)
		return;
	dlt_scope_each(begin, NULL, &seen_adds);
	mark_us(0);		/* it may be killed, and not look at its end */
}

void dlt_coverage_end(void)
{
	/* Hundreds of symbols are looked at: not for nobody. */
	if (!dlt_process.traced || !(dlt_box_is_read() || dlt_enabled(DLT_EV_PROC_LIBRARY)))
		return;
	/* Else a child that was forked beside dlopen or a C++ exception would never end. */
	if (!dlt_walk_returns())
		return;
	ending = true;
	seen_adds = 0;
	dlt_scope_each(begin, NULL, &seen_adds);
	ending = false;
	mark_us(DLT_LIBRARY_LOOKED_AT);
	dlt_library_tell();
}

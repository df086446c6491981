/* SPDX-License-Identifier: MIT */
/*
 * Lets our wrappers exist only while something real does (see exists.h).
 *
 * How: the loader asks the filter of our hash table (DT_GNU_HASH) first, and skips a symbol whose
 * value is 0. At process start the filter is made anew, of what is shown: one page, where clearing
 * the values of over a thousand symbols would copy ten in each process. Only what the filter lets
 * pass and what is hidden again loses its value. What was measured on the way here (glibc 2.36):
 *  - A wrapper that is a GNU IFUNC whose resolver returns NULL is not truly absent: dlsym gives
 *    NULL with no dlerror(), on which Python's ctypes before 3.13 crashes; and a plugin that
 *    cannot be loaded without the function gets loaded, and then calls NULL. Objects relocated
 *    before us that refer to it print "Relink ... for IFUNC symbol" at start.
 *  - st_shndx = SHN_UNDEF does not hide a symbol from dlsym and data relocations; st_value = 0
 *    does, from all: right error messages, right failures of dlopen.
 *
 * When to look again, without wrapping dlopen: nearly every shared library has a data relocation
 * for a weak __gmon_start__ that nobody defines. We define it as an IFUNC that resolves to an empty
 * function. So the loader calls us while it relocates each new library: all that
 * was loaded with it is already mapped, dependencies come before what depends on them, and data
 * relocations before those of functions. A library without it is noticed with the next one.
 *
 * At process start our symbols are seen by the libraries that are relocated before us (all that
 * the program is linked with). We hide them while we are relocated ourselves, before any
 * constructor runs, and clear the weak references that were bound too early. __gmon_start__ is an
 * ordinary empty function until then, so that nobody hears of "Relink".
 *
 * Not covered: a function that is only in a library loaded RTLD_LOCAL counts as there for all;
 * the wrapper then finds it by scope.c.
 */
#include "exists.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "elf.h"
#include "functions.h"
#include "library.h"
#include "sys.h"
#include "walk.h"

#define MAX_SYMBOLS 4096
#define PAGE 4096

_Static_assert(DLT_FNS + 256 <= MAX_SYMBOLS, "room for all functions and the rest");

/* What is known of our own symbols, by index less self_first: bits, for a process touches few pages. */
static uint64_t there[MAX_SYMBOLS / 64];	/* somebody defines it */
static uint64_t for_ever[MAX_SYMBOLS / 64];	/* ... who was loaded at start */
static uint8_t hidden[MAX_SYMBOLS];		/* by so many that ask what else there is */
static uint32_t values[MAX_SYMBOLS];		/* of symbols that have lost theirs */
static struct dlt_elf self;
static uint32_t self_first, self_count;	/* symbols from first up have a hash in self.gnu_hash */
static const uint32_t *self_hashes;	/* without their lowest bit */
static bool ready, paused;

/* Where the symbol table is not as it should be: these places, or all when they are too many. */
#define CHANGES 64
static uint32_t changes[CHANGES];
static unsigned change_count;
unsigned dlt_exists_startup_objects;

/* What was loaded when we looked last. */
static unsigned seen_objects;
static unsigned long long seen_adds, seen_subs;

extern const char own_header[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

static long protect(void *from, size_t size, uintptr_t prot)
{
	uintptr_t begin = (uintptr_t)from & ~(uintptr_t)(PAGE - 1);
	uintptr_t end = ((uintptr_t)from + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

	return dlt_sys(SYS_mprotect, (long)begin, (long)(end - begin), (long)prot, 0, 0);
}

static inline bool is_set(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void set(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= 1ull << i % 64;
}

static ElfW(Sym) *symbol_of(uint32_t i)
{
	return &self.symbols[self_first + i];
}

static const char *name_of(uint32_t i)
{
	return self.strings + symbol_of(i)->st_name;
}

/*
 * Our own additions to the process: what only we define must stay. So must what LTTng's libraries are
 * to be bound to when they come (descriptors.c); nobody else asks whether these exist.
 */
static inline bool is_ours(const char *name)
{
	switch (*name) {
	case 'd': return strncmp(name, "dlt_", 4) == 0 || strncmp(name, "dltrace_", 8) == 0;
	case 'I': return strncmp(name, "InitializeInjection", 19) == 0;
	case 'l': return strncmp(name, "lttng_ust_", 10) == 0;
	}
	return false;
}

/* A function of somebody else's, which is there only if that somebody is. */
static inline bool is_optional(uint32_t i)
{
	return ELF64_ST_TYPE(symbol_of(i)->st_info) == STT_FUNC && !is_ours(name_of(i));
}

static inline bool is_shown(uint32_t i)
{
	return is_set(there, i) ? !hidden[i] : !is_optional(i);
}

static bool find_exports(void)
{
	if (!self.gnu_hash || dlt_elf_count(&self) <= dlt_elf_hashed(&self))
		return false;
	self_first = dlt_elf_hashed(&self);
	self_count = dlt_elf_count(&self) - self_first;
	self_hashes = dlt_elf_buckets(&self) + self.gnu_hash[0];
	if (self_count > MAX_SYMBOLS)
		self_count = MAX_SYMBOLS;
	return true;
}

static void change(uint32_t i)
{
	if (change_count < CHANGES)
		changes[change_count] = i;
	if (change_count <= CHANGES)
		change_count++;
}

static void change_all(void)
{
	change_count = CHANGES + 1;
}

/* e defines this one of ours, or may do so: then the truth costs a lookup. */
static void look_for(const struct dlt_elf *e, uint32_t i, bool at_start)
{
	struct dlt_elf_name name;

	if (is_set(there, i) || !is_optional(i))
		return;
	name = dlt_elf_name(name_of(i));
	if (!dlt_elf_find(e, &name, NULL))
		return;
	set(there, i);
	if (at_start)
		set(for_ever, i);
	change(i);
}

/* The place of `name` among our own symbols; self_count: not there. */
static uint32_t place_of(const struct dlt_elf_name *name)
{
	uint32_t hash, i = dlt_elf_chain(&self, name, &hash);

	for (; i; i++) {
		uint32_t own = dlt_elf_hash(&self, i);

		if ((own | 1) == (hash | 1) && i - self_first < self_count &&
		    strcmp(name_of(i - self_first), name->name) == 0)
			return i - self_first;
		if (own & 1)
			break;
	}
	return self_count;
}

/* Ours with this hash, but for its lowest bit, in the bucket of `full`. */
static void look_in_bucket(const struct dlt_elf *e, uint32_t full, bool at_start)
{
	uint32_t i = dlt_elf_buckets(&self)[full % self.gnu_hash[0]], own = 0;

	for (; i >= self_first && !(own & 1) && i - self_first < self_count; i++) {
		own = dlt_elf_hash(&self, i);
		if ((own | 1) == (full | 1))
			look_for(e, i - self_first, at_start);
	}
}

/* An object with far fewer symbols than we have, as ld.so: those are looked up here. */
static void look_at_each(const struct dlt_elf *e, uint32_t count, bool at_start)
{
	if (dlt_elf_references(e) != dlt_elf_hashed(e))
		return;		/* it defines nothing */
	for (uint32_t i = dlt_elf_hashed(e); i < count; i++) {
		look_in_bucket(e, dlt_elf_hash(e, i) & ~1u, at_start);
		look_in_bucket(e, dlt_elf_hash(e, i) | 1, at_start);
	}
}

/*
 * Notes what e defines. Over a thousand functions and perhaps hundreds of objects: our own hash
 * table has the hashes (without their lowest bit), and e's filter says of nearly all of them that
 * it has none.
 */
static void look_into(const struct dlt_elf *e, bool at_start)
{
	const uint32_t *hashes = self_hashes, *table = e->gnu_hash;
	const ElfW(Addr) *filter = table ? (const ElfW(Addr) *)(table + 4) : NULL;
	const unsigned bits = 8 * sizeof(ElfW(Addr));
	const uint32_t count = dlt_elf_count(e);

	if (table && (!table[0] || !table[3]))
		table = NULL;
	if (table && count < self_count / 4) {
		look_at_each(e, count, at_start);
		return;
	}
	for (uint32_t i = 0, mask = table ? table[2] - 1 : 0; i < self_count; i++) {
		ElfW(Addr) word = table ? filter[hashes[i] / bits & mask] : 0;

		if (table && (!(word >> (hashes[i] & ~1u) % bits & 3) ||
			      !(word >> (hashes[i] >> table[3]) % bits & 1) ||
			      !dlt_elf_has_hash(e, hashes[i])))
			continue;
		look_for(e, i, at_start);
	}
}

/* ---- hiding -------------------------------------------------------------------------------- */

/* The filter of our own hash table. The lowest bit of a hash is not known, so both may be set. */
struct filter {
	ElfW(Addr) *words;
	uint32_t mask, shift;
};

#define BITS (8 * sizeof(ElfW(Addr)))

static struct filter own_filter(void)
{
	return (struct filter){ (ElfW(Addr) *)(uintptr_t)(self.gnu_hash + 4), self.gnu_hash[2] - 1, self.gnu_hash[3] };
}

/* False: the loader does not even look at symbols of this hash. */
static inline bool passes(struct filter f, uint32_t hash)
{
	ElfW(Addr) word = __atomic_load_n(&f.words[hash / BITS & f.mask], __ATOMIC_RELAXED);

	return word >> (hash & ~1u) % BITS & 3 && word >> (hash >> f.shift) % BITS & 1;
}

static inline void let_pass(struct filter f, uint32_t hash)
{
	ElfW(Addr) bits = (ElfW(Addr))3 << (hash & ~1u) % BITS | (ElfW(Addr))1 << (hash >> f.shift) % BITS;

	__atomic_fetch_or(&f.words[hash / BITS & f.mask], bits, __ATOMIC_RELAXED);
}

static long protect_tables(long prot)
{
	struct filter f = own_filter();
	long result = protect(f.words, (f.mask + 1) * sizeof(*f.words), prot);

	return result ? result : protect(symbol_of(0), self_count * sizeof(ElfW(Sym)), prot);
}

static ElfW(Addr) value_of(uint32_t i)
{
	return symbol_of(i)->st_value ? symbol_of(i)->st_value : values[i];
}

/* Brings a symbol to what is known; one store, other threads may be reading. */
static void show_or_hide(uint32_t i)
{
	ElfW(Sym) *s = symbol_of(i);
	bool show = is_shown(i);

	if (!is_optional(i) || show == (s->st_value != 0))
		return;
	if (!show)
		values[i] = (uint32_t)s->st_value;
	__atomic_store_n(&s->st_value, show ? values[i] : 0, __ATOMIC_RELAXED);
}

/* The tables can be written. What the filter lets pass by chance is hidden by its value. */
static void apply_changes(void)
{
	const uint32_t count = self_count, *hashes = self_hashes;
	const bool all = change_count > CHANGES;
	struct filter f = own_filter();

	for (uint32_t n = 0, i; n < (all ? count : change_count); n++)
		if (is_shown(i = all ? n : changes[n]))
			let_pass(f, hashes[i]);
	for (uint32_t i = 0; i < count; i++)
		if (passes(f, hashes[i]))
			show_or_hide(i);
	change_count = 0;
}

static void show_and_hide(void)
{
	if (!change_count || protect_tables(PROT_READ | PROT_WRITE) != 0)
		return;
	apply_changes();
	protect_tables(PROT_READ);
}

/* ---- while the process runs ---------------------------------------------------------------- */

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned *index = data;
	struct dlt_elf e;

	(void)size;
	if ((*index)++ < seen_objects || info->dlpi_addr == self.base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC &&
		    dlt_elf_open(&e, info->dlpi_addr,
				 (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr)))
			look_into(&e, false);
	}
	return 0;
}

/* Runs with the loader's list lock held, which also keeps two of these apart. */
static int update(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned index = 0;

	(void)size;
	(void)data;
	if (info->dlpi_adds == seen_adds && info->dlpi_subs == seen_subs)
		return 1;
	if (info->dlpi_subs != seen_subs) {
		memcpy(there, for_ever, sizeof(there));
		change_all();
		seen_objects = dlt_exists_startup_objects;
	}
	seen_adds = info->dlpi_adds;
	seen_subs = info->dlpi_subs;
	dlt_walk(look_at, &index);
	seen_objects = index;
	show_and_hide();
	return 1;
}

void dlt_exists_update(void)
{
	if (ready && !paused)
		dlt_walk(update, NULL);
}

static int count_object(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned *index = data;

	(void)size;
	(*index)++;
	seen_adds = info->dlpi_adds;
	return 0;
}

void dlt_exists_pause(bool pause)
{
	unsigned index = 0;

	/* What came before is looked at now, what comes in between never. */
	if (pause)
		dlt_exists_update();
	paused = pause;
	if (ready && !pause) {
		dlt_walk(count_object, &index);
		seen_objects = index;
	}
}

/* The place of our wrapper of this name; self_count: there is none. */
static uint32_t export_of(const char *name)
{
	struct dlt_elf_name n = dlt_elf_name(name);
	uint32_t i = ready ? place_of(&n) : self_count;

	return i < self_count && is_optional(i) ? i : self_count;
}

bool dlt_exists_is_shown(const char *name)
{
	uint32_t i = export_of(name);

	/* As the loader sees it now: what is known is not, while another thread looks anew. */
	return i < self_count && symbol_of(i)->st_value && passes(own_filter(), self_hashes[i]);
}

struct hiding {
	const char *name;
	bool hide;
};

static int hide_one(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct hiding *h = data;
	uint32_t i = export_of(h->name);

	(void)info;
	(void)size;
	if (i < self_count) {
		hidden[i] = (uint8_t)(hidden[i] + (h->hide ? 1 : -1));
		change(i);
		show_and_hide();
	}
	return 1;
}

void dlt_exists_hide(const char *name, bool hide)
{
	struct hiding h = { name, hide };

	if (ready)
		dlt_walk(hide_one, &h);
}

/* Weak: a program built with -pg has a real one, which comes before ours. */
__attribute__((visibility("default"), weak)) void __gmon_start__(void);
void __gmon_start__(void)
{
}

static void no_profiling(void)
{
}

/*
 * The resolver of __gmon_start__: the loader is relocating a library that was just mapped. What is
 * relocated before us has the function above in the place that its start-up code tests. LLVM's of
 * rustc (rewritten by BOLT) then calls through another place, which is resolved here: never 0.
 */
static void *new_library(void)
{
	dlt_exists_update();
	return (void *)(uintptr_t)no_profiling;
}

/* ---- process start ------------------------------------------------------------------------- */

/* From now on an IFUNC, which is there for ever. */
static void make_resolver(uint32_t i)
{
	union {
		void *(*function)(void);
		uintptr_t address;
	} u = { .function = new_library };

	set(there, i);
	set(for_ever, i);
	symbol_of(i)->st_value = u.address - self.base;
	symbol_of(i)->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
}

/* Nobody else is running: the filter may be empty for a moment. */
static void hide_at_start(void)
{
	struct dlt_elf_name profiling = dlt_elf_name("__gmon_start__");
	struct filter f = own_filter();

	if (protect_tables(PROT_READ | PROT_WRITE) != 0)
		return;
	make_resolver(place_of(&profiling));
	memset(f.words, 0, (f.mask + 1) * sizeof(*f.words));
	change_all();
	apply_changes();
	protect_tables(PROT_READ);
}

/*
 * False where the loader has made the place read-only after relocation. The kernel is asked, by having the mask of
 * signals written there: of an object's program headers one knows here only that they are not always at its base.
 */
static bool overwrite(uintptr_t *place)
{
	if (dlt_sys(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)place, sizeof(*place), 0) != 0)
		return false;
	*place = 0;
	return true;
}

/* Clears the places of one relocation table that hold `address` for symbol `index` of e. */
static void clear_places(const struct dlt_elf *e, ElfW(Sxword) which, ElfW(Sxword) which_size,
			 uint32_t index, uintptr_t address)
{
	struct dlt_elf_relocations r = dlt_elf_relocations(e, which, which_size);

	for (size_t i = 0; i < r.count; i++) {
		uintptr_t *place = (uintptr_t *)(e->base + r.table[i].r_offset);

		if (ELF64_R_SYM(r.table[i].r_info) != index || *place != address || overwrite(place))
			continue;
		if (protect(place, sizeof(*place), PROT_READ | PROT_WRITE) != 0)
			continue;
		*place = 0;
		protect(place, sizeof(*place), PROT_READ);
	}
}

/* Weak references that were bound to a wrapper of nothing before we could say so. */
static void clear_weak_references(const struct dlt_elf *e)
{
	uint32_t count = dlt_elf_references(e);

	for (uint32_t i = 1; i < count; i++) {
		const ElfW(Sym) *s = &e->symbols[i];
		struct dlt_elf_name name;
		uint32_t place;

		if (s->st_shndx != SHN_UNDEF || ELF64_ST_BIND(s->st_info) != STB_WEAK)
			continue;
		name = dlt_elf_name(e->strings + s->st_name);
		place = place_of(&name);
		if (place == self_count || is_set(there, place) || !is_optional(place))
			continue;
		clear_places(e, DT_RELA, DT_RELASZ, i, self.base + value_of(place));
		clear_places(e, DT_JMPREL, DT_PLTRELSZ, i, self.base + value_of(place));
	}
}

static bool defines(const struct dlt_elf *e, const char *name)
{
	struct dlt_elf_name n = dlt_elf_name(name);

	return dlt_elf_find(e, &n, NULL) != NULL;
}

/* C++'s operators new and delete: seen are ours where they lead elsewhere (operators.h). */
static void hide_operators(void)
{
	for (uint32_t i = 0; i < self_count; i++)
		hidden[i] = strncmp(name_of(i), "_Zn", 3) == 0 || strncmp(name_of(i), "_Zd", 3) == 0;
}

/*
 * Only the list of objects as debuggers see it can be used here: the loader has not yet set up
 * its locks. Nobody else is running.
 */
static void look_at_start(void)
{
	bool allocator = false;
	struct dlt_elf e;

	if (ready || !dlt_elf_open(&self, (uintptr_t)own_header, own_dynamic) || !find_exports())
		return;
	for (struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
		dlt_exists_startup_objects++;
		if (m->l_addr == self.base || !dlt_elf_open(&e, m->l_addr, m->l_ld))
			continue;
		look_into(&e, true);
		allocator |= defines(&e, "_Znwm") && defines(&e, "malloc");
	}
	if (!allocator)
		hide_operators();
	hide_at_start();
	for (struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (m->l_addr != self.base && dlt_elf_open(&e, m->l_addr, m->l_ld))
			clear_weak_references(&e);
	seen_objects = dlt_exists_startup_objects;
	ready = true;
}

static void done(void)
{
}

/* An IRELATIVE relocation is our own last one, so everything above can be used by now. */
__attribute__((used)) static void (*at_relocation(void))(void)
{
	look_at_start();
	return done;
}

/* Not static: clang's would be global then, and be resolved among functions that are not yet. */
void relocated(void) __attribute__((ifunc("at_relocation"), visibility("hidden")));

/* A call of it keeps the relocation. */
__attribute__((constructor)) static void constructed(void)
{
	relocated();
}

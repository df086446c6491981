/* SPDX-License-Identifier: MIT */
/*
 * Places in the code, in a table by address. An entry is two halves of 16 bytes, each with the address, read and
 * written in one step.
 */
#include "stack_places.h"

#include <emmintrin.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "box.h"
#include "elf.h"
#include "library.h"
#include "log.h"
#include "python.h"
#include "real.h"

#define PLACES 16384		/* a power of 2 */

/* ---- places in the code -------------------------------------------------------------------- */

struct half {
	uintptr_t at;		/* the return address, and when it was found out (at_now) */
	uint64_t value;
} __attribute__((aligned(16)));

static struct place {
	struct half rule;	/* struct dlt_cfi_rule */
	struct half what;
} places[PLACES] __attribute__((aligned(64)));

static struct half load(const struct half *h)
{
	struct half v;

	_mm_store_si128((__m128i *)&v, *(const volatile __m128i *)h);
	return v;
}

static void store(struct half *h, struct half v)
{
	*(volatile __m128i *)h = _mm_load_si128((const __m128i *)&v);
}

/* With the generation of libraries where no address of a program's has bits: it has 47. */
static uintptr_t at_now(uintptr_t at)
{
	return at ^ (uintptr_t)dlt_library_now() << 47;
}

static struct place *place_of(uintptr_t at)
{
	return &places[at * 0x9e3779b97f4a7c15u >> 50];
}

_Static_assert(PLACES == 1 << (64 - 50), "place_of() gives so many");

#if __GLIBC_PREREQ(2, 35)
/* The part of the object that its .eh_frame_hdr lies in; all of it where its program headers do not tell. */
static struct dlt_cfi_tables tables_in(const struct dl_find_object *o)
{
	uintptr_t begin = (uintptr_t)o->dlfo_map_start, header = (uintptr_t)o->dlfo_eh_frame;
	unsigned count = 0;
	const ElfW(Phdr) *p = dlt_elf_headers(begin, &count);
	struct dlt_cfi_tables all = { o->dlfo_eh_frame, o->dlfo_map_start, o->dlfo_map_end };

	for (unsigned i = 0; i < count; i++) {
		uintptr_t at = o->dlfo_link_map->l_addr + p[i].p_vaddr;

		if (p[i].p_type == PT_LOAD && header - at < p[i].p_filesz)
			return (struct dlt_cfi_tables){ o->dlfo_eh_frame, (void *)at, (void *)(at + p[i].p_filesz) };
	}
	if (count)
		all.header = NULL;
	return all;
}
#endif

/* Of the object there; without a header: it has none, or a C library before 2.35. */
static struct dlt_cfi_tables tables_of(uintptr_t at)
{
#if __GLIBC_PREREQ(2, 35)
	struct dl_find_object found;

	if (dlt_real_table._dl_find_object && !dlt_real_table._dl_find_object((void *)at, &found) &&
	    found.dlfo_eh_frame)
		return tables_in(&found);
#endif
	return (struct dlt_cfi_tables){ NULL, NULL, NULL };
}

struct dlt_cfi_rule dlt_place_rule(uintptr_t at)
{
	struct half *place = &place_of(at)->rule, h = load(place);
	uintptr_t now = at_now(at);
	struct dlt_cfi_tables tables;
	struct dlt_cfi_rule rule;

	memcpy(&rule, &h.value, sizeof(rule));
	if (h.at == now)
		return rule;
	tables = tables_of(at - 1);
	rule = dlt_cfi_find(&tables, at - 1);
	h.at = now;
	memcpy(&h.value, &rule, sizeof(rule));
	store(place, h);
	return rule;
}

/* ---- the interpreter ----------------------------------------------------------------------- */

/* Found as the library that a stack leads through; only one is known, the first. */
static struct {
	uint32_t state;			/* 0: not seen yet, 1: being looked at, 2: known, 3: another version's */
	uintptr_t begin, end;		/* of its object */
	uintptr_t evaluates, evaluates_end;	/* the function that runs code */
} interpreter;

static void *find(const struct dlt_elf *e, const char *name, bool data)
{
	struct dlt_elf_name wanted = dlt_elf_name(name);
	const ElfW(Sym) *symbol;

	wanted.data = data;
	symbol = dlt_elf_find(e, &wanted, NULL);
	return symbol ? dlt_elf_address(e, symbol) : NULL;
}

/* A program that is linked to libpython may have a copy of the variable, and then that is the one in use. */
static const void *find_bound(const struct dlt_elf *e, const char *name)
{
	struct dlt_elf program;
	const void *copy = NULL;

	if (dlt_library_elf((const void *)getauxval(AT_PHDR), &program))
		copy = find(&program, name, true);
	return copy ? copy : find(e, name, true);
}

/* Is the object that holds `at` Python's? */
static void look_for_python(uintptr_t at)
{
	struct dlt_python_symbols s = { 0 };
	struct dlt_cfi_tables tables;
	const char *(*version)(void);
	uint32_t none = 0;
	struct dlt_elf e;

	if (!dlt_library_elf((void *)at, &e))
		return;
	s.evaluate = find(&e, "_PyEval_EvalFrameDefault", false);
	if (!s.evaluate ||
	    !__atomic_compare_exchange_n(&interpreter.state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	s.get_state = find(&e, "PyGILState_GetThisThreadState", false);
	s.code_type = find_bound(&e, "PyCode_Type");
	s.string_type = find_bound(&e, "PyUnicode_Type");
	s.runtime = find_bound(&e, "_PyRuntime");
	s.finalizing = find_bound(&e, "_Py_Finalizing");
	version = (const char *(*)(void))(uintptr_t)find(&e, "Py_GetVersion", false);
	s.version = version ? version() : NULL;
	interpreter.begin = dlt_library_base((void *)at);
	interpreter.end = (uintptr_t)dlt_library_end((void *)at);
	tables = tables_of((uintptr_t)s.evaluate);
	if (!dlt_cfi_function(&tables, (uintptr_t)s.evaluate, &interpreter.evaluates, &interpreter.evaluates_end))
		interpreter.evaluates = interpreter.evaluates_end = 0;
	__atomic_store_n(&interpreter.state, dlt_python_init(&s) ? 2 : 3, __ATOMIC_RELEASE);
	dlt_log(DLT_LOG_STACKS, "python", dlt_python_why(), (long)interpreter.state);
}

/* ---- what is at a place -------------------------------------------------------------------- */

static bool is_ours(uintptr_t at)
{
	static uintptr_t begin, end;

	if (!end) {
		begin = dlt_library_base((const void *)is_ours);
		end = (uintptr_t)dlt_library_end((const void *)is_ours);
	}
	return at - begin < end - begin;
}

/* One bit a library: it was looked at. */
static bool is_looked_at(uint16_t library)
{
	static uint64_t seen[DLT_BOX_LIBRARIES / 64];
	uint64_t bit = 1ULL << library % 64;

	return library >= DLT_BOX_LIBRARIES || __atomic_fetch_or(&seen[library / 64], bit, __ATOMIC_RELAXED) & bit;
}

static unsigned kind_at(uintptr_t at)
{
	if (__atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) != 2)
		return DLT_FRAME_NATIVE;
	if (at - interpreter.evaluates < interpreter.evaluates_end - interpreter.evaluates)
		return PLACE_EVALUATES;
	return at - interpreter.begin < interpreter.end - interpreter.begin ? PLACE_INTERPRETER : DLT_FRAME_NATIVE;
}

static uint64_t find_what(uintptr_t at)
{
	uint16_t library;

	if (is_ours(at))
		return dlt_frame_what(PLACE_OURS, 0, 0);
	library = dlt_library_of((const void *)at);
	if (!library)
		return dlt_frame_what(DLT_FRAME_UNKNOWN, 0, 0);
	if (!__atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) && !is_looked_at(library))
		look_for_python(at);
	return dlt_frame_what(kind_at(at), library, at + 1 - dlt_library_base((const void *)at));
}

/* The byte before the return address is the call's. */
uint64_t dlt_place_what(uintptr_t at)
{
	struct half *place = &place_of(at)->what, h = load(place);
	uintptr_t now = at_now(at);

	if (h.at == now)
		return h.value;
	h = (struct half){ now, find_what(at - 1) };
	/* Ids are given once the process is announced; what is unknown now may be loaded there later. */
	if (dlt_frame_kind(h.value) != DLT_FRAME_UNKNOWN)
		store(place, h);
	return h.value;
}

bool dlt_place_has_python(void)
{
	return __atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) == 2;
}

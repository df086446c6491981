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
#include "clock.h"
#include "elf.h"
#include "library.h"
#include "log.h"
#include "python.h"
#include "real.h"
#include "sys.h"
#include "thread.h"

#define PARTS 8			/* of a function; compilers make two */
#define PLACES 16384		/* a power of 2 */
#define TAKERS_MOST 100000000	/* ns that a dlclose waits for them */

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

/* The segment that holds `at`, of an object mapped from `begin` on; empty: its program headers tell of none. */
static struct dlt_cfi_range segment_of(uintptr_t begin, uintptr_t base, uintptr_t at)
{
	unsigned count = 0;
	const ElfW(Phdr) *p = dlt_elf_headers(begin, &count);

	for (unsigned i = 0; i < count; i++) {
		uintptr_t from = base + p[i].p_vaddr;

		if (p[i].p_type == PT_LOAD && at - from < p[i].p_filesz)
			return (struct dlt_cfi_range){ from, from + p[i].p_filesz };
	}
	return (struct dlt_cfi_range){ 0, 0 };
}

#if __GLIBC_PREREQ(2, 35)
static struct dlt_cfi_tables tables_in(const struct dl_find_object *o)
{
	struct dlt_cfi_range in = segment_of((uintptr_t)o->dlfo_map_start, o->dlfo_link_map->l_addr,
					     (uintptr_t)o->dlfo_eh_frame);

	return (struct dlt_cfi_tables){ o->dlfo_eh_frame, (void *)in.begin, (void *)in.end };
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

enum { NOT_SEEN, BEING_LOOKED_AT, KNOWN, OTHER_VERSION };

/* Found as the library that a stack leads through; only one is known, the first, until that may be unloaded. */
static struct {
	uint32_t state;			/* as above */
	bool stays;			/* it is the program, or linked to it: no dlclose unloads it */
	uintptr_t begin, end;		/* of its object */
	struct dlt_cfi_range evaluates[PARTS];	/* the function that runs code, in as many parts as there are */
} interpreter;

static uint64_t looked_at[DLT_BOX_LIBRARIES / 64];	/* one bit a library: it is not Python's */
static uint32_t closing;		/* threads in dlclose */

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

/* The program itself, or what it is linked to directly. */
static bool is_needed(const struct dlt_elf *e)
{
	const ElfW(Dyn) *place = NULL;
	struct dlt_elf program;
	const char *name;

	if (!dlt_library_elf((const void *)getauxval(AT_PHDR), &program))
		return false;
	if (program.dynamic == e->dynamic)
		return true;
	while (e->soname && (name = dlt_elf_next_needed(&program, &place)))
		if (!strcmp(name, e->soname))
			return true;
	return false;
}

static void find_evaluates(const struct dlt_elf *e, uintptr_t at)
{
	struct dlt_cfi_tables tables = tables_of(at);
	struct dlt_cfi_range code = segment_of(dlt_library_base((void *)at), e->base, at);

	memset(interpreter.evaluates, 0, sizeof(interpreter.evaluates));
	if (dlt_cfi_function(&tables, at, &interpreter.evaluates[0]))
		dlt_cfi_parts(&tables, &interpreter.evaluates[0], &code, &interpreter.evaluates[1], PARTS - 1);
}

/* Is the object that holds `at` Python's? */
static void look_for_python(uintptr_t at)
{
	struct dlt_python_symbols s = { 0 };
	const char *(*version)(void);
	uint32_t none = NOT_SEEN;
	struct dlt_elf e;

	if (!dlt_library_elf((void *)at, &e))
		return;
	s.evaluate = find(&e, "_PyEval_EvalFrameDefault", false);
	if (!s.evaluate || !__atomic_compare_exchange_n(&interpreter.state, &none, BEING_LOOKED_AT, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
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
	interpreter.stays = is_needed(&e);
	find_evaluates(&e, (uintptr_t)s.evaluate);
	__atomic_store_n(&interpreter.state, dlt_python_init(&s) ? KNOWN : OTHER_VERSION, __ATOMIC_RELEASE);
	dlt_log(DLT_LOG_STACKS, "python", dlt_python_why(), (long)interpreter.state);
}

/* ---- what is at a place -------------------------------------------------------------------- */

static bool is_ours(uintptr_t at)
{
	static uintptr_t begin, end;
	uintptr_t known = __atomic_load_n(&end, __ATOMIC_ACQUIRE);

	if (!known) {
		__atomic_store_n(&begin, dlt_library_base((const void *)is_ours), __ATOMIC_RELAXED);
		known = (uintptr_t)dlt_library_end((const void *)is_ours);
		__atomic_store_n(&end, known, __ATOMIC_RELEASE);
	}
	return at - __atomic_load_n(&begin, __ATOMIC_RELAXED) < known - __atomic_load_n(&begin, __ATOMIC_RELAXED);
}

/* Two threads may look at once; one of them finds it. */
static void look_at(uint16_t library, uintptr_t at)
{
	uint64_t bit = 1ULL << library % 64, *word = &looked_at[library / 64];

	if (library >= DLT_BOX_LIBRARIES || __atomic_load_n(word, __ATOMIC_ACQUIRE) & bit)
		return;
	look_for_python(at);
	__atomic_fetch_or(word, bit, __ATOMIC_RELEASE);
}

static unsigned kind_at(uintptr_t at, uint32_t state)
{
	if (state != KNOWN)
		return DLT_FRAME_NATIVE;
	for (unsigned i = 0; i < PARTS; i++)
		if (at - interpreter.evaluates[i].begin < interpreter.evaluates[i].end - interpreter.evaluates[i].begin)
			return PLACE_EVALUATES;
	return at - interpreter.begin < interpreter.end - interpreter.begin ? PLACE_INTERPRETER : DLT_FRAME_NATIVE;
}

/* *lasts: it will be the same the next time. */
static uint64_t find_what(uintptr_t at, bool *lasts)
{
	uint16_t library;
	uint32_t state;

	*lasts = true;
	if (is_ours(at))
		return dlt_frame_what(PLACE_OURS, 0, 0);
	/* Ids are given once the process is announced; what is unknown now may be loaded there later. */
	library = dlt_library_of((const void *)at);
	*lasts = library != 0;
	if (!library)
		return dlt_frame_what(DLT_FRAME_UNKNOWN, 0, 0);
	if (__atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) == NOT_SEEN)
		look_at(library, at);
	/* Another thread is about to know whether this is the interpreter. */
	state = __atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE);
	*lasts = state != BEING_LOOKED_AT;
	return dlt_frame_what(kind_at(at, state), library, at + 1 - dlt_library_base((const void *)at));
}

/* The byte before the return address is the call's. */
uint64_t dlt_place_what(uintptr_t at)
{
	struct half *place = &place_of(at)->what, h = load(place);
	uintptr_t now = at_now(at);
	bool lasts;

	if (h.at == now)
		return h.value;
	h = (struct half){ now, find_what(at - 1, &lasts) };
	if (lasts)
		store(place, h);
	return h.value;
}

/* ---- unloading ----------------------------------------------------------------------------- */

/*
 * Who reads Python's frames says so first (`stack_taker`) and looks then whether somebody unloads; who unloads says
 * that first and looks then for who reads: at least one of them sees the other.
 */
bool dlt_place_has_python(void)
{
	if (__atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) != KNOWN)
		return false;
	if (interpreter.stays)
		return true;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return !__atomic_load_n(&closing, __ATOMIC_SEQ_CST) &&
	       __atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) == KNOWN;
}

/* A stack takes some microseconds. One that was left by siglongjmp looks as if it took for ever. */
static void wait_for_takers(void)
{
	const struct dlt_thread *own = dlt_thread_self();
	uint64_t begin = dlt_clock_ns();

	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		while (t != own && __atomic_load_n(&t->id, __ATOMIC_RELAXED) &&
		       __atomic_load_n(&t->stack_taker, __ATOMIC_SEQ_CST) && dlt_clock_ns() - begin < TAKERS_MOST)
			dlt_sys(SYS_sched_yield, 0, 0, 0, 0, 0);
}

void dlt_places_unload(void)
{
	__atomic_add_fetch(&closing, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE) == KNOWN && !interpreter.stays)
		wait_for_takers();
}

/* Whatever was unloaded: the interpreter is found again by the next stack that leads through it. */
void dlt_places_unloaded(void)
{
	uint32_t state = __atomic_load_n(&interpreter.state, __ATOMIC_ACQUIRE);

	if (state > BEING_LOOKED_AT && !interpreter.stays &&
	    __atomic_compare_exchange_n(&interpreter.state, &state, BEING_LOOKED_AT, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		dlt_python_forget();
		memset(looked_at, 0, sizeof(looked_at));
		__atomic_store_n(&interpreter.state, NOT_SEEN, __ATOMIC_RELEASE);
	}
	__atomic_sub_fetch(&closing, 1, __ATOMIC_SEQ_CST);
}

void dlt_places_after_fork(void)
{
	closing = 0;
	if (interpreter.state == BEING_LOOKED_AT)
		interpreter.state = NOT_SEEN;
}

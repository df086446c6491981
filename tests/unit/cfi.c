/* SPDX-License-Identifier: MIT */
/* Rules of .eh_frame lead from each frame to its caller's, as libgcc's unwinder finds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "interpose/cfi.c"

#define MOST 64

struct addresses {
	uintptr_t list[MOST];
	unsigned count;
};

static struct dlt_cfi_tables tables_of(uintptr_t pc)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)pc, &found))
		return (struct dlt_cfi_tables){ NULL, NULL, NULL };
	return (struct dlt_cfi_tables){ found.dlfo_eh_frame, found.dlfo_map_start, found.dlfo_map_end };
}

static struct dlt_cfi_rule rule_at(uintptr_t pc)
{
	struct dlt_cfi_tables t = tables_of(pc);

	return dlt_cfi_find(&t, pc);
}

/* libgcc's: the first is where it was called from. */
static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *data)
{
	struct addresses *a = data;

	if (a->count < MOST)
		a->list[a->count++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static enum dlt_cfi_base seen[MOST];

/* Ours, from here: the caller's caller and so on. */
static __attribute__((noinline)) void walk(struct addresses *a)
{
	uintptr_t pc, rsp, rbp;

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2" : "=r"(pc), "=r"(rsp), "=r"(rbp));
	for (pc++; a->count < MOST;) {
		struct dlt_cfi_rule rule = rule_at(pc - 1);
		uintptr_t cfa = (rule.base == DLT_CFI_RSP ? rsp : rbp) + (uintptr_t)(intptr_t)rule.cfa;

		seen[a->count] = rule.base;
		if (rule.base <= DLT_CFI_OUTERMOST)
			break;
		if (rule.base == DLT_CFI_AT_RBP)
			cfa = *(uintptr_t *)cfa;
		if (rule.saved != DLT_CFI_SAME)
			rbp = *(uintptr_t *)((rule.base == DLT_CFI_AT_RBP ? rbp : cfa) + (uintptr_t)(intptr_t)rule.saved);
		pc = *(uintptr_t *)(cfa - 8);
		rsp = cfa;
		a->list[a->count++] = pc;
	}
}

static struct addresses theirs, ours;

/* Both walks from one frame, whose own place differs by where each was called from. */
static __attribute__((noinline)) int look(void)
{
	theirs.count = ours.count = 0;
	walk(&ours);
	_Unwind_Backtrace(note, &theirs);
	return 0;
}

/*
 * All but the innermost are alike; libgcc has one more, the outermost, for which we have the rule that it is so: or a
 * 0 in its place.
 */
static void compare_walks(void)
{
	unsigned count = ours.count;

	assert_in_range(count, 3, MOST - 1);
	for (unsigned i = 1; i < count && i < theirs.count; i++)
		assert_int_equal(ours.list[i], theirs.list[i]);
	assert_true(theirs.count == count || theirs.count == count + 1);
	assert_int_equal(seen[count], DLT_CFI_OUTERMOST);
}

static bool was_seen(enum dlt_cfi_base base)
{
	for (unsigned i = 0; i < ours.count; i++)
		if (seen[i] == base)
			return true;
	return false;
}

static volatile int sink;

static __attribute__((noinline)) int plain(int depth)
{
	int result = depth ? plain(depth - 1) : look();

	sink++;
	return result;
}

static __attribute__((noinline)) int with_alloca(int size)
{
	volatile char *room = alloca((size_t)size);

	room[0] = 1;
	sink += plain(2) + room[0];
	return 0;
}

/* Its frame is found by an address that lies at rbp. */
static __attribute__((noinline)) int aligned(int size)
{
	volatile char room[64] __attribute__((aligned(64)));
	volatile char *more = alloca((size_t)size);

	room[0] = more[0] = 1;
	sink += with_alloca(size) + room[0] + more[0];
	return 0;
}

static int by_library(const void *a, const void *b)
{
	(void)a;
	(void)b;
	aligned(100);
	return 0;
}

static void test_frames(void **state)
{
	(void)state;
	plain(10);
	compare_walks();
	with_alloca(1000);
	compare_walks();
	assert_true(was_seen(DLT_CFI_RBP));
	aligned(100);
	compare_walks();
#ifndef __clang__	/* it aligns by rbp alone */
	assert_true(was_seen(DLT_CFI_AT_RBP));
#endif
}

static void test_through_libc(void **state)
{
	int two[2] = { 2, 1 };

	(void)state;
	qsort(two, 2, sizeof(*two), by_library);
	compare_walks();
}

static void *in_thread(void *argument)
{
	aligned(10);
	return argument;
}

static void test_thread(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	compare_walks();
}

/* Every function of the C library that others may call: its beginning is known, and the rule there. */
static void test_beginnings(void **state)
{
	static const char *const names[] = { "malloc", "qsort", "printf", "fopen", "getaddrinfo", "pthread_create" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uintptr_t at = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
		struct dlt_cfi_tables t = tables_of(at);
		struct dlt_cfi_range function;
		struct dlt_cfi_rule rule = dlt_cfi_find(&t, at);

		assert_int_equal(rule.base, DLT_CFI_RSP);
		assert_int_equal(rule.cfa, 8);
		assert_int_equal(rule.saved, DLT_CFI_SAME);
		assert_true(dlt_cfi_function(&t, at, &function));
		assert_int_equal(function.begin, at);
		assert_true(function.end > at);
	}
}

/* A signal's frame is where a stack ends for us. */
static void test_ends(void **state)
{
	static const unsigned char broken[64] = { 1, 0xff, 3, 0x3b }, other[64] = { 2 };
	const struct dlt_cfi_tables none = { NULL, NULL, NULL }, first = { broken, broken, broken + sizeof(broken) };
	const struct dlt_cfi_tables second = { other, other, other + sizeof(other) };
	struct dlt_cfi_tables t = tables_of((uintptr_t)look);
	struct dlt_cfi_range function;

	(void)state;
	assert_int_equal(dlt_cfi_find(&none, (uintptr_t)look).base, DLT_CFI_UNKNOWN);
	assert_int_equal(dlt_cfi_find(&first, (uintptr_t)look).base, DLT_CFI_UNKNOWN);
	assert_int_equal(dlt_cfi_find(&second, (uintptr_t)look).base, DLT_CFI_UNKNOWN);
	assert_false(dlt_cfi_function(&none, (uintptr_t)look, &function));
	/* Before all functions of the object. */
	assert_int_equal(dlt_cfi_find(&t, (uintptr_t)t.header & ~0xffffffULL).base, DLT_CFI_UNKNOWN);
}

/* Instructions that our own compiler does not write: each from the row before. */
static void test_instructions(void **state)
{
	static const unsigned char program[] = {
		0x0c, 7, 8,		/* CFA is rsp + 8 */
		0x90, 1,		/* return address at CFA - 8 */
		0x41, 0x0e, 16,		/* at 1: CFA is rsp + 16 */
		0x86, 2,		/* rbp at CFA - 16 */
		0x02, 1, 0x0d, 6,	/* at 2: by rbp */
		0x03, 1, 0, 0x0a,	/* at 3: remembered */
		0x04, 1, 0, 0, 0, 0xc6, 0x0c, 7, 8,	/* at 4: rbp restored, rsp + 8 */
		0x41, 0x0b,		/* at 5: as at 3 */
		0x41, 0x2e, 16, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0,	/* at 6: CFA lies at rbp - 8, rbp at rbp */
		0x41, 0x0f, 2, 0x77, 8,	/* at 7: an expression of rsp's */
		0x41, 0x0c, 7, 8, 0x07, 16,	/* at 8: nobody called it */
	};
	static const struct { enum dlt_cfi_base base; int cfa, saved; } rows[] = {
		{ DLT_CFI_RSP, 8, DLT_CFI_SAME }, { DLT_CFI_RSP, 16, -16 }, { DLT_CFI_RBP, 16, -16 },
		{ DLT_CFI_RBP, 16, -16 }, { DLT_CFI_RSP, 8, DLT_CFI_SAME }, { DLT_CFI_RBP, 16, -16 },
		{ DLT_CFI_AT_RBP, -8, 0 }, { DLT_CFI_UNKNOWN, 0, 0 }, { DLT_CFI_OUTERMOST, 0, 0 },
	};
	const struct entry e = { .code_unit = 1, .data_unit = -8ULL };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine m = { .entry = &e };
		struct dlt_cfi_rule rule;

		m.row.how = CFA_ELSEWHERE;
		assert_true(run(&m, (struct bytes){ program, program + sizeof(program), false }, i));
		rule = rule_of(&m.row);
		assert_int_equal(rule.base, rows[i].base);
		if (rule.base > DLT_CFI_OUTERMOST) {
			assert_int_equal(rule.cfa, rows[i].cfa);
			assert_int_equal(rule.saved, rows[i].saved);
		}
	}
}

/* A copy of the C library's tables, behind which and before which nothing can be read. */
static struct dlt_cfi_tables copy_tables(unsigned char **begin, size_t *size, ptrdiff_t *moved)
{
	struct dlt_cfi_tables t = tables_of((uintptr_t)malloc), copy;
	const ElfW(Ehdr) *file = (const void *)t.begin;
	const ElfW(Phdr) *p = (const void *)(t.begin + file->e_phoff);
	unsigned char *at;

	while (p->p_type != PT_LOAD || (uintptr_t)t.header - (uintptr_t)t.begin - p->p_vaddr >= p->p_filesz)
		p++;
	*size = (p->p_filesz + 4095) & ~(size_t)4095;
	at = mmap(NULL, *size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	at += 4096;
	assert_int_equal(mprotect(at, *size, PROT_READ | PROT_WRITE), 0);
	memcpy(at, t.begin + p->p_vaddr, *size);
	*begin = at;
	*moved = at - (t.begin + p->p_vaddr);
	copy = (struct dlt_cfi_tables){ t.header + *moved, at, at + *size };
	return copy;
}

static uint32_t chance = 1;

static uint32_t next_chance(void)
{
	chance = chance * 1664525 + 1013904223;
	return chance >> 8;
}

/* One byte, or a length or an offset, becomes another one, mostly where a search from the header comes by. */
static size_t place_to_break(const struct dlt_cfi_tables *t, size_t size)
{
	size_t header = (size_t)(t->header - t->begin);

	switch (next_chance() % 4) {
	case 0:
		return header + next_chance() % 16;
	case 1:
		return header + next_chance() % 4096;
	default:
		return header + next_chance() % (size - header - 8);
	}
}

/* Tables that say anything: nothing outside of them is read. */
static void test_broken(void **state)
{
	unsigned char *bytes, kept[8];
	ptrdiff_t moved;
	size_t size;
	struct dlt_cfi_tables t = copy_tables(&bytes, &size, &moved);
	uintptr_t code = (uintptr_t)qsort + (uintptr_t)moved;
	struct dlt_cfi_range function;
	static const uint32_t odd[] = { 0, 0xffffffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0x10000, 4, 1 };

	(void)state;
	assert_int_equal(dlt_cfi_find(&t, code).base, DLT_CFI_RSP);
	for (unsigned round = 0; round < 20000; round++) {
		size_t at = place_to_break(&t, size);
		uint32_t value = next_chance() % 2 ? odd[next_chance() % 8] : next_chance();

		memcpy(kept, bytes + at, sizeof(kept));
		memcpy(bytes + at, &value, next_chance() % 2 ? 1 : 4);
		for (unsigned i = 0; i < 8; i++)
			dlt_cfi_find(&t, code + next_chance() % 4096 * (i * 16 + 1));
		dlt_cfi_function(&t, code, &function);
		dlt_cfi_parts(&t, &function, &function, &function, 1);
		if (round % 64)		/* else it stays broken */
			memcpy(bytes + at, kept, sizeof(kept));
	}
	munmap(bytes - 4096, size + 8192);
}

/* Each record's length, one after the other, leads far behind the tables. */
static void test_lengths(void **state)
{
	unsigned char *bytes;
	ptrdiff_t moved;
	size_t size;
	struct dlt_cfi_tables t = copy_tables(&bytes, &size, &moved);
	uintptr_t code = (uintptr_t)qsort + (uintptr_t)moved;
	int32_t place;
	uint32_t count, length = 0x7fffffff;

	(void)state;
	memcpy(&count, t.header + 8, sizeof(count));
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&place, t.header + 12 + 8 * i + 4, sizeof(place));
		memcpy(bytes + (t.header + place - bytes), &length, sizeof(length));
		memcpy(&place, t.header + 12 + 8 * i, sizeof(place));
		assert_int_equal(dlt_cfi_find(&t, (uintptr_t)(t.header + place)).base, DLT_CFI_UNKNOWN);
	}
	memcpy(bytes + (t.header + 8 - bytes), &length, sizeof(length));
	assert_int_equal(dlt_cfi_find(&t, code).base, DLT_CFI_UNKNOWN);
	munmap(bytes - 4096, size + 8192);
}

/*
 * A function in three parts, as compilers lay them: the second is reached by a jump, the third by an address, and both
 * jump back. What is between is a function that jumps to where the first one is entered, and one that does not jump.
 */
__asm__(".pushsection .text\n"
	"whole: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
	"test %edi, %edi\n jne second\n middle: pop %rbp\n .cfi_def_cfa_offset 8\n .cfi_restore 6\n ret\n"
	".cfi_endproc\n whole_end:\n"
	"calls_whole: .cfi_startproc\n nop\n .byte 0xe9\n .long whole - . - 4\n .cfi_endproc\n"
	"second: .cfi_startproc\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n nop\n nop\n"
	".byte 0xe9\n .long middle - . - 4\n .skip 8, 0x90\n .cfi_endproc\n second_end:\n"
	"other: .cfi_startproc\n .cfi_def_cfa_offset 16\n .skip 16, 0x90\n .cfi_endproc\n"
	"third: .cfi_startproc\n .cfi_def_cfa 6, 16\n test %eax, %eax\n"
	".byte 0x0f, 0x84\n .long middle - . - 4\n .cfi_endproc\n third_end:\n"
	".popsection");
extern const char whole[], whole_end[], second[], second_end[], third[], third_end[];

static void test_parts(void **state)
{
	struct dlt_cfi_tables t = tables_of((uintptr_t)whole);
	struct dlt_cfi_range function, parts[4], code = { (uintptr_t)whole, (uintptr_t)third_end };

	(void)state;
	assert_true(dlt_cfi_function(&t, (uintptr_t)whole + 1, &function));
	assert_int_equal(function.begin, (uintptr_t)whole);
	assert_int_equal(function.end, (uintptr_t)whole_end);
	assert_int_equal(dlt_cfi_parts(&t, &function, &code, parts, 4), 2);
	assert_int_equal(parts[0].begin, (uintptr_t)second);
	assert_int_equal(parts[0].end, (uintptr_t)second_end);
	assert_int_equal(parts[1].begin, (uintptr_t)third);
	assert_int_equal(parts[1].end, (uintptr_t)third_end);
	assert_int_equal(dlt_cfi_parts(&t, &function, &code, parts, 1), 1);
	code.end--;
	assert_int_equal(dlt_cfi_parts(&t, &function, &code, parts, 4), 1);
	assert_int_equal(dlt_cfi_parts(&(struct dlt_cfi_tables){ NULL, NULL, NULL }, &function, &code, parts, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_through_libc),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_beginnings),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

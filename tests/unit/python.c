/* SPDX-License-Identifier: MIT */
/*
 * Frames of Python's, in structures as an interpreter of each kind lays them out: with its lock, and without it
 * (free-threaded), where a thread may run its own copy of the bytecode. Offsets are those of the headers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/mman.h>

#include "interpose/python.c"
#include "interpose/python_code.c"
#include "interpose/python_copies.c"

#define UNITS_OF_CODE 8
#define FIRST_LINE 40

/* ---- an interpreter ------------------------------------------------------------------------ */

/* What is at these places in it, in words. */
static struct build {
	const char *name;
	uint32_t version;
	unsigned head;			/* bytes */
	unsigned kind;			/* bit of a string's state */
	unsigned state_frame, owner, copy, copies, traceable, code;
} builds[] = {
	{ "3.13", 0x030d01f0, 0, 2, 72, 70, 0, 0, 184, 200 },
	{ "3.13t", 0x030d01f0, 16, 2, 72, 70, 0, 0, 200, 216 },
	{ "3.14", 0x030e01f0, 0, 2, 72, 74, 0, 0, 184, 200 },
	{ "3.14t", 0x030e01f0, 16, 8, 72, 78, 72, 224, 208, 232 },
	{ "3.15t", 0x030f01f0, 16, 8, 72, 78, 72, 224, 208, 232 },
};

#define BUILDS (sizeof(builds) / sizeof(builds[0]))

static uint64_t runtime[128], code_type[16], string_type[16], bytes_type[16];
static uint64_t state[16], file[32], name[32], lines[16], code[64], frames[3][16], copies[2][4], own_copy[2];
static const struct build *now;

static void put(void *base, size_t offset, uint64_t value)
{
	memcpy((char *)base + offset, &value, sizeof(value));
}

static void put_int(void *base, size_t offset, int value)
{
	memcpy((char *)base + offset, &value, sizeof(value));
}

static void *get_state(void)
{
	return state;
}

static void describe(void)
{
	const struct described *d = &described_by[now->version >> 16 & 0xff];

	memset(runtime, 0, sizeof(runtime));
	memcpy(runtime, "xdebugpy", 8);
	runtime[1] = now->version;
	runtime[2] = now->head != 0;
	put(runtime, d->finalizing, 1000);
	put(runtime, d->state_frame, now->state_frame);
	put(runtime, d->frame_code, 0);
	put(runtime, d->frame_back, 8);
	put(runtime, d->frame_at, 56);
	put(runtime, d->frame_owner, now->owner);
	put(runtime, d->code_file, 112 + now->head);
	put(runtime, d->code_name, 128 + now->head);
	put(runtime, d->code_lines, 136 + now->head);
	put(runtime, d->code_line, 68 + now->head);
	put(runtime, d->code_size, now->code);
	put(runtime, d->object_type, 8 + now->head);
	put(runtime, d->bytes_size, 16 + now->head);
	put(runtime, d->bytes_data, 32 + now->head);
	put(runtime, d->string_size, 64 + now->head);
	put(runtime, d->string_state, 32 + now->head);
	put(runtime, d->string_length, 16 + now->head);
	put(runtime, d->string_ascii, 40 + now->head);
	if (d->frame_copy) {
		put(runtime, d->frame_copy, now->copy);
		put(runtime, d->code_copies, now->copies);
	}
}

static void make_type(uint64_t *type, const char *its, uint64_t size)
{
	put(type, 24 + now->head, (uintptr_t)its);
	put(type, 32 + now->head, size);
}

static void make_string(uint64_t *string, const char *text)
{
	memset(string, 0, sizeof(file));
	put(string, 8 + now->head, (uintptr_t)string_type);
	put(string, 16 + now->head, strlen(text));
	/* interned, of one byte a character, compact, ASCII */
	put_int(string, 32 + now->head, 1 | (1 | 1 << 3 | 1 << 4) << now->kind);
	memcpy((char *)string + 40 + now->head, text, strlen(text));
}

/* Each unit on a line of its own, from FIRST_LINE on. */
static void make_code(void)
{
	unsigned char *at = (unsigned char *)lines + 32 + now->head;

	make_string(file, "train.py");
	make_string(name, "Model.step");
	memset(lines, 0, sizeof(lines));
	put(lines, 8 + now->head, (uintptr_t)bytes_type);
	put(lines, 16 + now->head, UNITS_OF_CODE * 2);
	for (unsigned i = 0; i < UNITS_OF_CODE; i++) {
		*at++ = 0x80 | NO_COLUMNS << 3;
		*at++ = i ? 1 << 1 : 0;
	}
	memset(code, 0, sizeof(code));
	put(code, 8 + now->head, (uintptr_t)code_type);
	put(code, 16 + now->head, UNITS_OF_CODE);
	put(code, 40 + now->head, (uintptr_t)lines);
	put(code, 112 + now->head, (uintptr_t)file);
	put(code, 128 + now->head, (uintptr_t)name);
	put(code, 136 + now->head, (uintptr_t)lines);
	put_int(code, 68 + now->head, FIRST_LINE);
	put_int(code, now->traceable, 2);
}

/* Innermost: a frame of the code, at that address; under it one that has not begun, and the shim of the first. */
static void make_frames(const void *at)
{
	const void *first = (char *)code + now->code;
	uint64_t tag = now->version >= 0x030e0000;

	memset(frames, 0, sizeof(frames));
	for (unsigned i = 0; i < 2; i++) {
		put(frames[i], 0, (uintptr_t)code | tag);
		put(frames[i], 8, (uintptr_t)frames[i + 1]);
		put(frames[i], 56, (uintptr_t)(i ? first : at));
	}
	((unsigned char *)frames[2])[now->owner] = SHIM;
	put(state, now->state_frame, (uintptr_t)frames[0]);
}

static bool start(const struct build *b)
{
	struct dlt_python_symbols s = {
		.get_state = (void *)(uintptr_t)get_state, .code_type = code_type, .string_type = string_type,
		.runtime = runtime, .version_hex = b->version,
	};

	now = b;
	dlt_python_forget();
	describe();
	make_type(code_type, "code", b->code);
	make_type(string_type, "str", 64 + b->head);
	make_code();
	return dlt_python_init(&s);
}

/* The line of the innermost frame, which is all there are. */
static int line_now(void)
{
	struct dlt_python_frame found[4];

	assert_int_equal(dlt_python_frames(found, 4), 1);
	assert_ptr_equal(found[0].code, code);
	assert_true(found[0].entry);
	return dlt_python_line(found[0].code, found[0].instruction);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_kinds(void **unused)
{
	char its_file[16], its_name[16];
	struct dlt_python_code c = { its_file, sizeof(its_file), its_name, sizeof(its_name), 0 };

	(void)unused;
	for (size_t i = 0; i < BUILDS; i++) {
		print_message("%s\n", builds[i].name);
		assert_true(start(&builds[i]));
		for (int unit = 2; unit < UNITS_OF_CODE; unit++) {
			make_frames((char *)code + now->code + 2 * unit);
			assert_int_equal(line_now(), FIRST_LINE + unit);
		}
		assert_true(dlt_python_code(code, &c));
		assert_string_equal(its_file, "train.py");
		assert_string_equal(its_name, "Model.step");
		assert_int_equal(c.first_line, FIRST_LINE);
		/* Not begun: no line of a program's. */
		make_frames((char *)code + now->code);
		assert_int_equal(dlt_python_frames(&(struct dlt_python_frame){ 0 }, 1), 0);
	}
}

/* The second copy of the two that `list` has. */
static void use_copy(uint64_t *list, const void *begin, int unit)
{
	list[0] = 2;
	list[1] = (uintptr_t)code + now->code;
	list[2] = (uintptr_t)begin;
	put(code, now->copies, (uintptr_t)list);
	make_frames((const char *)begin + 2 * unit);
	put_int(frames[0], now->copy, 1);
}

static void test_copies(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < BUILDS; i++) {
		if (!builds[i].copies)
			continue;
		assert_true(start(&builds[i]));
		use_copy(copies[0], own_copy, 5);
		assert_int_equal(line_now(), FIRST_LINE + 5);
		/* Another thread has made a longer list, and the former one has gone. */
		memset(copies[0], 0, sizeof(copies[0]));
		assert_int_equal(line_now(), FIRST_LINE + 5);
		use_copy(copies[1], own_copy, 6);
		assert_int_equal(line_now(), FIRST_LINE + 6);
		/* A copy that was made where the former one had been, but for some bytes. */
		use_copy(copies[1], (char *)own_copy - 16, 3);
		assert_int_equal(line_now(), FIRST_LINE + 3);
		/* Before the first line of the copy; cells are made there. */
		use_copy(copies[1], (char *)own_copy - 16, 1);
		assert_int_equal(dlt_python_frames(&(struct dlt_python_frame){ 0 }, 1), 0);
	}
}

/* What cannot be told is not told wrong, and nothing is read that is not there. */
static void test_no_copy(void **unused)
{
	char *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	for (size_t i = 0; i < BUILDS; i++) {
		if (!builds[i].copies)
			continue;
		assert_true(start(&builds[i]));
		use_copy(copies[0], own_copy, 5);
		put(code, now->copies, (uintptr_t)gone);
		assert_int_equal(line_now(), -1);
		put(code, now->copies, 0);
		assert_int_equal(line_now(), -1);
		/* An index that the list has not. */
		put(code, now->copies, (uintptr_t)copies[0]);
		put_int(frames[0], now->copy, 2);
		assert_int_equal(line_now(), -1);
		put_int(frames[0], now->copy, -1);
		assert_int_equal(line_now(), -1);
		/* What lies in the list's place begins elsewhere. */
		put_int(frames[0], now->copy, 1);
		copies[0][2] = (uintptr_t)own_copy + 4096;
		assert_int_equal(line_now(), -1);
	}
	munmap(gone, 4096);
}

static void test_refused(void **unused)
{
	struct build other;

	(void)unused;
	/* Another size of a type; and an index of copies that no description of this version has. */
	other = builds[1];
	other.code += 8;
	assert_true(start(&other));
	make_type(code_type, "code", other.code - 8);
	dlt_python_forget();
	assert_false(dlt_python_init(&(struct dlt_python_symbols){
		.get_state = (void *)(uintptr_t)get_state, .code_type = code_type, .string_type = string_type,
		.runtime = runtime, .version_hex = other.version }));
	other = builds[3];
	other.copy = 0;
	assert_false(start(&other));
	assert_non_null(dlt_python_why());
}

/* Pieces of code at one address, one after another, that differ by lines alone. */
static void test_marks(void **unused)
{
	uint64_t mark;

	(void)unused;
	for (size_t i = 0; i < BUILDS; i++) {
		assert_true(start(&builds[i]));
		mark = dlt_python_code_mark(code);
		assert_int_equal(dlt_python_code_mark(code), mark);
		((unsigned char *)lines)[32 + now->head + 3] += 2;
		assert_int_not_equal(dlt_python_code_mark(code), mark);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_copies), cmocka_unit_test(test_no_copy),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

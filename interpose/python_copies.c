/* SPDX-License-Identifier: MIT */
/*
 * Where a frame is that runs a thread's own copy of the bytecode: free-threaded Python from 3.14 on, in which each
 * thread but the first specializes a copy (thread-local bytecode; Objects/codeobject.c).
 *
 * The instruction then points into the copy. Its begin stands in an array (_PyCodeArray), which any thread replaces
 * by a larger one when it makes a copy of its own. What it replaced is freed once each thread that holds the
 * interpreter has come by (QSBR); one that let go of it to compute is not waited for, and allocates meanwhile. So the
 * array may be gone while it is looked at: the kernel copies the two words, and says so where there is nothing any
 * more. That is done once for a code and a thread, and kept. A copy itself stays as long as its thread runs.
 *
 * Nothing wrong passes for the begin, be it from an array that was freed and written to since, or kept from a copy that
 * was freed: the instruction must lie in as many bytes from there as the code has.
 */
#include <sys/uio.h>

#include "python.h"
#include "python_layout.h"
#include "sys.h"

#define KEPT 4096		/* a power of 2 */
#define ARRAY_ENTRIES 8		/* offsetof(_PyCodeArray, entries), after their number */

/* Written by any thread without a lock: what two of them have mixed has a check that is not its begin's. */
static struct {
	uint64_t check;		/* its key ^ begin */
	uint64_t begin;
} kept[KEPT];

/* The place of the code's table of lines tells it from another that lies at its address later. */
static uint64_t key_of(const void *code, int copy)
{
	return (uintptr_t)code * 0x9e3779b97f4a7c15u + word(code, dlt_python.at.code_lines) * 0xbf58476d1ce4e5b9u +
	       (uint64_t)copy * 0x94d049bb133111ebu;
}

static uintptr_t recall(uint64_t key)
{
	uint64_t begin = __atomic_load_n(&kept[key >> 52].begin, __ATOMIC_RELAXED);
	uint64_t check = __atomic_load_n(&kept[key >> 52].check, __ATOMIC_RELAXED);

	return check == (key ^ begin) ? begin : 0;
}

_Static_assert(KEPT == 1 << (64 - 52), "recall() takes so many bits");

static void keep(uint64_t key, uintptr_t begin)
{
	__atomic_store_n(&kept[key >> 52].begin, begin, __ATOMIC_RELAXED);
	__atomic_store_n(&kept[key >> 52].check, key ^ begin, __ATOMIC_RELAXED);
}

void dlt_python_forget_copies(void)
{
	for (unsigned i = 0; i < KEPT; i++)
		keep((uint64_t)i << 52, 0);
}

/* The array's entry; 0: there is none, or it cannot be read (a sandbox may forbid it). */
static uintptr_t look_up(const char *array, int copy)
{
	uintptr_t entry = 0;
	intptr_t count = 0;
	struct iovec to[2] = { { &count, sizeof(count) }, { &entry, sizeof(entry) } };
	struct iovec from[2] = {
		{ (void *)(uintptr_t)array, sizeof(count) },
		{ (void *)((uintptr_t)array + ARRAY_ENTRIES + (uintptr_t)copy * sizeof(entry)), sizeof(entry) },
	};
	long whole = sizeof(count) + sizeof(entry);

	if (!plausible(array) || copy < 0)
		return 0;
	if (dlt_sys6(SYS_process_vm_readv, dlt_sys_pid(), (long)to, 2, (long)from, 2, 0) != whole)
		return 0;
	return copy < count ? entry : 0;
}

int32_t dlt_python_in_copy(const void *frame, const void *code)
{
	uintptr_t at = word(frame, dlt_python.at.frame_at), size = word(body(code), OBJECT_SIZE) * 2;
	int copy = integer(frame, dlt_python.at.frame_copy);
	uint64_t key = key_of(code, copy);
	uintptr_t begin = recall(key);

	if (at - begin < size)
		return (int32_t)(at - begin);
	begin = look_up(pointer(code, dlt_python.at.code_copies), copy);
	if (at - begin >= size)
		return DLT_PYTHON_SOMEWHERE;
	keep(key, begin);
	return (int32_t)(at - begin);
}

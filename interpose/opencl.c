/* SPDX-License-Identifier: MIT */
/*
 * OpenCL's kernels: a handle is the address of something that comes and goes, so a kernel is known
 * by its name, kept once, whose address stands for it wherever an event needs a kernel's handle.
 */
#include "opencl.h"

#include <stdbool.h>
#include <string.h>

#include "announced.h"
#include "clock.h"
#include "emit.h"
#include "kernels.h"
#include "objects.h"
#include "process.h"

#define KERNELS		1024	/* names, a power of 2; what comes after has none */
#define HANDLES		4096	/* kernel objects, a power of 2 */
#define NAME		96
#define FIRST_ID	0x10000u	/* of their ids in dltrace_gpu; CUPTI's are below */
#define SAID		60000000000u	/* ns after which a name is said again */

static char names[KERNELS][NAME];
static uint8_t name_states[KERNELS];	/* 0 free, 1 being written, 2 there */
static uint64_t name_said[KERNELS];	/* ns CLOCK_MONOTONIC; 0: not yet */

static struct handle {
	const void *handle;	/* NULL: free */
	const char *name;
} handles[HANDLES];

static unsigned hash_name(const char *name)
{
	uint32_t hash = 0x811c9dc5;

	for (unsigned i = 0; i < NAME - 1 && name[i]; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x1000193;
	return hash ^ hash >> 16;
}

/* NULL when there is no room. Two threads may keep one name twice: then it has two ids. */
static const char *keep(const char *name)
{
	unsigned at = hash_name(name) % KERNELS;

	for (unsigned i = 0; i < KERNELS; i++, at = (at + 1) % KERNELS) {
		uint8_t state = __atomic_load_n(&name_states[at], __ATOMIC_ACQUIRE);

		if (state == 2 && strncmp(names[at], name, NAME - 1) == 0)
			return names[at];
		if (state || !__atomic_compare_exchange_n(&name_states[at], &state, 1, false,
							  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		strncpy(names[at], name, NAME - 1);
		dlt_kernel_named(names[at], names[at]);
		__atomic_store_n(&name_states[at], 2, __ATOMIC_RELEASE);
		return names[at];
	}
	return NULL;
}

/* Its place, or a free one if `make`; NULL without. */
static struct handle *place_of(const void *handle, bool make)
{
	unsigned at = (unsigned)(((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 52) % HANDLES;

	for (unsigned i = 0; i < HANDLES; i++, at = (at + 1) % HANDLES) {
		const void *seen = __atomic_load_n(&handles[at].handle, __ATOMIC_ACQUIRE);

		if (!seen && (!make || __atomic_compare_exchange_n(&handles[at].handle, &seen, handle,
								   false, __ATOMIC_ACQ_REL,
								   __ATOMIC_ACQUIRE)))
			return make ? &handles[at] : NULL;
		if (seen == handle)
			return &handles[at];
	}
	return NULL;
}

static const char *name_of(const void *handle)
{
	const struct handle *h = place_of(handle, false);

	return h ? __atomic_load_n(&h->name, __ATOMIC_ACQUIRE) : NULL;
}

static void set_name(const void *handle, const char *name)
{
	struct handle *h = place_of(handle, true);

	if (h)
		__atomic_store_n(&h->name, name, __ATOMIC_RELEASE);
}

void dlt_cl_kernel_made(const void *kernel, const char *name)
{
	set_name(kernel, keep(name));
}

void dlt_cl_kernel_cloned(const void *kernel, const void *from)
{
	set_name(kernel, name_of(from));
}

/* They may have the handles of kernels that had names. How many there are is asked where the program does not. */
int dlt_cl_kernels_in_program(int (*real)(void *, unsigned, void **, unsigned *), void *program, unsigned room,
			      void **kernels, unsigned *count_ret)
{
	unsigned own = 0, *count = count_ret ? count_ret : &own;
	int result = real(program, room, kernels, count);

	for (unsigned i = 0; !result && kernels && i < room && i < *count; i++) {
		struct handle *h = place_of(kernels[i], false);

		if (h)
			__atomic_store_n(&h->name, NULL, __ATOMIC_RELEASE);
	}
	return result;
}

uint32_t dlt_cl_kernel_id(const void *kernel)
{
	const char *name = name_of(kernel);
	unsigned at = name ? (unsigned)((name - names[0]) / NAME) : 0;
	uint64_t said = name ? __atomic_load_n(&name_said[at], __ATOMIC_RELAXED) : 0, now = dlt_clock_ns();
	const struct dlt_ev_proc_object e = {
		.process = dlt_process.id, .type = DLT_OBJECT_CUPTI, .id = FIRST_ID + at,
		.state = said ? DLT_ANNOUNCED_AGAIN : DLT_ANNOUNCED_FIRST, .name = name,
	};

	if (!name)
		return 0;
	if ((!said || now - said > SAID) &&
	    __atomic_compare_exchange_n(&name_said[at], &said, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		dlt_emit_aside(dlt_thread_self(), DLT_EV_PROC_OBJECT, &e, said != 0);
	return FIRST_ID + at;
}

void dlt_cl_kernels_after_fork(void)
{
	memset(name_said, 0, sizeof(name_said));
}

/* Work-groups and their size along one axis. */
static void axis(const size_t *global, const size_t *local, unsigned i, unsigned *groups, unsigned *size)
{
	size_t items = global ? global[i] : 1, group = local ? local[i] : 0;

	*size = (unsigned)group;
	*groups = (unsigned)(group ? (items + group - 1) / group : items);
}

uint32_t dlt_cl_shape(const void *kernel, unsigned dim, const size_t *global, const size_t *local)
{
	const char *name = name_of(kernel);
	unsigned groups[3] = { 1, 1, 1 }, sizes[3] = { 1, 1, 1 };

	for (unsigned i = 0; i < dim && i < 3; i++)
		axis(global, local, i, &groups[i], &sizes[i]);
	return dlt_shape(name ? name : kernel, dlt_dim3(groups[0], groups[1], groups[2]),
			 dlt_dim3(sizes[0], sizes[1], sizes[2]), 0);
}

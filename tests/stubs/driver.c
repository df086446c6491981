/* SPDX-License-Identifier: MIT */
/* The stub driver's entry points, contexts, modules and kernels. */
#include "driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INVALID_VALUE 1
#define INVALID_CONTEXT 201
#define INVALID_HANDLE 400
#define NEWEST 13050
#define DEPTH 16
#define KERNELS 256

enum { FOUND, NOT_FOUND, TOO_OLD };

/* ---- entry points -------------------------------------------------------------------------- */

int cuStubNewer(void);
int cuStubNewer(void)
{
	return 0;
}

/* A form of cuMemFree that CUDA may have some day: with other arguments. */
static int newer_free(int nothing, void *p)
{
	(void)p;
	return nothing;
}

static int driver_version(void)
{
	const char *version = getenv("DLTRACE_STUB_CUDA");

	return version ? atoi(version) : NEWEST;
}

int stub_version(int *version)
{
	*version = driver_version();
	return 0;
}

static void *newer_form(const char *name, int version)
{
	if (driver_version() <= NEWEST || version <= NEWEST)
		return NULL;
	if (strcmp(name, "cuStubNewer") == 0)
		return (void *)cuStubNewer;
	return strcmp(name, "cuMemFree") == 0 ? (void *)newer_free : NULL;
}

static int answer(void **p, void *found, int *status, int how)
{
	*p = found;
	if (status)
		*status = how;
	return found ? 0 : STUB_NOT_FOUND;
}

int stub_proc_address(const char *name, void **p, int version, unsigned long long flags, int *status)
{
	const struct stub_form *best = NULL;
	void *newer = newer_form(name, version);
	int known = 0;

	if (newer)
		return answer(p, newer, status, FOUND);
	for (const struct stub_form *f = stub_forms; f->name; f++) {
		if (strcmp(f->name, name) != 0)
			continue;
		known = 1;
		if (f->version <= version && f->version <= driver_version())
			best = f;
	}
	if (!best)
		return answer(p, NULL, status, known ? TOO_OLD : NOT_FOUND);
	return answer(p, flags & 2 && best->per_thread ? best->per_thread : best->plain, status, FOUND);
}

/* ---- contexts: one a device, a stack of them a thread --------------------------------------- */

static char contexts[STUB_DEVICES];
static __thread void *stack[DEPTH];
static __thread unsigned depth;

int stub_device(int *device, int ordinal)
{
	*device = ordinal;
	return ordinal >= 0 && ordinal < STUB_DEVICES ? 0 : INVALID_VALUE;
}

int stub_context(void **context, int device)
{
	if (device < 0 || device >= STUB_DEVICES)
		return INVALID_VALUE;
	*context = &contexts[device];
	return 0;
}

int stub_context_set(void *context)
{
	if (!depth)
		depth = 1;
	stack[depth - 1] = context;
	return 0;
}

int stub_context_get(void **context)
{
	*context = depth ? stack[depth - 1] : NULL;
	return 0;
}

int stub_context_push(void *context)
{
	if (depth == DEPTH)
		return INVALID_CONTEXT;
	stack[depth++] = context;
	return 0;
}

int stub_context_pop(void **context)
{
	if (!depth)
		return INVALID_CONTEXT;
	depth--;
	if (context)
		*context = stack[depth];
	return 0;
}

int stub_context_device(int *device)
{
	char *context = depth ? stack[depth - 1] : NULL;

	if (context < contexts || context >= contexts + STUB_DEVICES)
		return INVALID_CONTEXT;
	*device = (int)(context - contexts);
	return 0;
}

/* ---- modules and kernels ------------------------------------------------------------------- */

static struct kernel {
	const void *module;
	char name[256];
} kernels[KERNELS];
static unsigned kernel_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int stub_new(void **handle)
{
	static uintptr_t last = 0x2000;

	*handle = (void *)__atomic_add_fetch(&last, 16, __ATOMIC_RELAXED);
	return 0;
}

int stub_kernel(void **kernel, const void *module, const char *name)
{
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	while (i < kernel_count && (kernels[i].module != module || strcmp(kernels[i].name, name) != 0))
		i++;
	/* A new one has the place, and so the handle, of one whose module is gone. */
	for (unsigned free = 0; i == kernel_count && free < kernel_count; free++)
		if (!*kernels[free].name)
			i = free;
	if (i < KERNELS && (i == kernel_count || !*kernels[i].name)) {
		kernels[i].module = module;
		strncpy(kernels[i].name, name, sizeof(kernels[i].name) - 1);
		kernel_count += i == kernel_count;
	}
	pthread_mutex_unlock(&lock);
	*kernel = i < KERNELS ? &kernels[i] : NULL;
	return i < KERNELS ? 0 : INVALID_VALUE;
}

int stub_unload(const void *module)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < kernel_count; i++)
		if (kernels[i].module == module)
			memset(kernels[i].name, 0, sizeof(kernels[i].name));
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_kernel_name(const char **name, const void *kernel)
{
	const struct kernel *k = kernel;

	if (k < kernels || k >= kernels + kernel_count)
		return INVALID_HANDLE;
	*name = k->name;
	return 0;
}

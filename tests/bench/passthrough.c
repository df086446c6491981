/* SPDX-License-Identifier: MIT */
/* build: -shared -fPIC */
/* The least that a preload can cost: malloc and free that only pass on. To compare with. */
#include <dlfcn.h>
#include <stddef.h>

void *malloc(size_t size);
void free(void *p);

static void *(*real_malloc)(size_t);
static void (*real_free)(void *);

static void resolve(void)
{
	real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
}

void *malloc(size_t size)
{
	if (__builtin_expect(!real_malloc, 0))
		resolve();
	return real_malloc(size);
}

void free(void *p)
{
	if (__builtin_expect(!real_free, 0))
		resolve();
	real_free(p);
}

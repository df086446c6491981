/* SPDX-License-Identifier: MIT */
/*
 * Calls stub CUDA: 5 allocations, 7 launches, 5 frees in work(). How it gets at the functions:
 *	LINKED          by symbols
 *	POINTER         by symbols, from a table of addresses that the loader fills before anybody runs
 *	OPEN="FILE"     dlopen and dlsym; with VERSION="NODE" dlvsym
 *	HANDLE          dlsym by this one (RTLD_NEXT, RTLD_DEFAULT); with VERSION dlvsym
 *	DRIVER          cuda driver functions rather than the runtime's
 *	PROC=VERSION    the driver's, by cuGetProcAddress of that version (0: cuGetProcAddress itself,
 *	                else cuGetProcAddress_v2), for the driver of that version
 *	ENTRY=VERSION   the driver's, by the runtime's cudaGetDriverEntryPoint (0), else ...ByVersion;
 *	                of a stub with DLTRACE_STUB_OVER=1, where it is the driver that answers
 * PROGRAM: with a main() that does it.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct dim3 {
	unsigned x, y, z;
};

typedef int alloc_function(void **, size_t);
typedef int free_function(void *);
typedef int launch_function(const void *, struct dim3, struct dim3, void **, size_t, void *);
typedef int driver_launch_function(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				   unsigned, void *, void **, void **);

#ifdef DRIVER
#define ALLOC cuMemAlloc_v2
#define FREE cuMemFree_v2
#define LAUNCH cuLaunchKernel
typedef driver_launch_function a_launch_function;
#define CALL_LAUNCH(f) f((void *)name_of, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL)
#else
#define ALLOC cudaMalloc
#define FREE cudaFree
#define LAUNCH cudaLaunchKernel
typedef launch_function a_launch_function;
#define CALL_LAUNCH(f) f((const void *)name_of, (struct dim3){ 1, 1, 1 }, (struct dim3){ 1, 1, 1 }, NULL, 0, NULL)
#endif
#define NAME_(x) #x
#define NAME(x) NAME_(x)

static const char *const name_of = "ways";
void work(void);

#if defined(LINKED) || defined(POINTER)
alloc_function ALLOC;
free_function FREE;
a_launch_function LAUNCH;
#endif

#if defined(LINKED)	/* calls, not addresses: through the table of the linker */
#define get_alloc() ALLOC
#define get_free() FREE
#define get_launch() LAUNCH
#elif defined(POINTER)
static alloc_function *volatile the_alloc = ALLOC;
static free_function *volatile the_free = FREE;
static a_launch_function *volatile the_launch = LAUNCH;
static alloc_function *get_alloc(void) { return the_alloc; }
static free_function *get_free(void) { return the_free; }
static a_launch_function *get_launch(void) { return the_launch; }
#else
static void *get(const char *name)
{
	static void *handle;
	void *p = NULL;

#if defined(ENTRY)
	setenv("DLTRACE_STUB_OVER", "1", 1);
#endif
#if defined(HANDLE)
#define HAS_HANDLE true
	handle = HANDLE;
#else
#define HAS_HANDLE handle
	if (!handle)
		handle = dlopen(OPEN, RTLD_NOW | RTLD_LOCAL);
#endif
#if defined(PROC)
	int (*ask)(const char *, void **, int, uint64_t);
	int (*ask2)(const char *, void **, int, uint64_t, int *);
	int found = -1;

	*(void **)&ask = handle ? dlsym(handle, "cuGetProcAddress") : NULL;
	*(void **)&ask2 = handle ? dlsym(handle, "cuGetProcAddress_v2") : NULL;
	if (PROC ? ask2 && ask2(name, &p, PROC, 0, &found) : ask && ask(name, &p, 11030, 0))
		p = NULL;
#elif defined(ENTRY)
	int (*ask)(const char *, void **, unsigned long long, int *);
	int (*ask2)(const char *, void **, unsigned, unsigned long long, int *);
	int found = -1;

	*(void **)&ask = handle ? dlsym(handle, "cudaGetDriverEntryPoint") : NULL;
	*(void **)&ask2 = handle ? dlsym(handle, "cudaGetDriverEntryPointByVersion") : NULL;
	if (ENTRY ? ask2 && ask2(name, &p, ENTRY, 0, &found) : ask && ask(name, &p, 0, &found))
		p = NULL;
#elif defined(VERSION)
	p = HAS_HANDLE ? dlvsym(handle, name, VERSION) : NULL;
#else
	p = HAS_HANDLE ? dlsym(handle, name) : NULL;
#endif
	if (!p) {
		const char *error = dlerror();

		fprintf(stderr, "caller: %s: %s\n", name, error ? error : "not found");
		exit(1);
	}
	return p;
}
#if defined(PROC) || defined(ENTRY)	/* names without their version: the driver gives the one of the time */
static alloc_function *get_alloc(void) { return (alloc_function *)get("cuMemAlloc"); }
static free_function *get_free(void) { return (free_function *)get("cuMemFree"); }
#else
static alloc_function *get_alloc(void) { return (alloc_function *)get(NAME(ALLOC)); }
static free_function *get_free(void) { return (free_function *)get(NAME(FREE)); }
#endif
static a_launch_function *get_launch(void) { return (a_launch_function *)get(NAME(LAUNCH)); }
#endif

void work(void)
{
	void *p[5];

	for (int i = 0; i < 5; i++)
		if (get_alloc()((void *)&p[i], 4096) != 0)
			abort();
	for (int i = 0; i < 7; i++)
		CALL_LAUNCH(get_launch());
	for (int i = 0; i < 5; i++)
		get_free()(p[i]);
}

#ifdef PROGRAM
int main(void)
{
	work();
	return 0;
}
#endif

/* SPDX-License-Identifier: MIT */
/* Gets at the driver as the real runtime does, and knows the kernels that were registered. */
#include "over.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KERNELS 64

typedef int ask(const char *, void **, int, unsigned long long, int *);

#ifndef STUB_STATIC
int stub_over;

__attribute__((constructor)) static void choose(void)
{
	stub_over = getenv("DLTRACE_STUB_OVER") != NULL;
}
#endif

static struct stub_driver driver;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *module;

static struct kernel {
	const void *host;
	const char *name;
	void *function;
} kernels[KERNELS];
static unsigned kernel_count;

static void *must(void *p, const char *what)
{
	if (p)
		return p;
	fprintf(stderr, "stub runtime: no %s: %s\n", what, dlerror());
	abort();
}

static void *ask_for(ask *get, const char *name, int version)
{
	void *p = NULL;
	int status;

	if (get(name, &p, version, 0, &status) != 0)
		p = NULL;
	return must(p, name);
}

static void open_driver(void)
{
	void *library = must(dlopen("libcuda.so.1", RTLD_NOW), "libcuda.so.1");
	ask *first = (ask *)must(dlsym(library, "cuGetProcAddress_v2"), "cuGetProcAddress_v2");
	void *context;
	int device;

	/* Both forms of itself, as the real one; the newer is used for the rest. */
	ask_for(first, "cuGetProcAddress", 11030);
	driver.ask = (ask *)ask_for(first, "cuGetProcAddress", 12000);
#define STUB_ASK(name, version, args) \
	driver.name = (int (*) args)ask_for(driver.ask, #name, version);
	STUB_DRIVER(STUB_ASK)
	driver.cuInit(0);
	driver.cuDeviceGet(&device, 0);
	driver.cuDevicePrimaryCtxRetain(&context, device);
	driver.cuCtxSetCurrent(context);
	driver.cuModuleLoadData(&module, "image");
}

const struct stub_driver *stub_driver(void)
{
	pthread_once(&once, open_driver);
	return &driver;
}

int stub_register(const void *host, const char *name)
{
	if (kernel_count < KERNELS)
		kernels[kernel_count++] = (struct kernel){ host, name, NULL };
	return 0;
}

void *stub_function(const void *host)
{
	for (unsigned i = 0; i < kernel_count; i++) {
		if (kernels[i].host != host)
			continue;
		if (!kernels[i].function)
			stub_driver()->cuModuleGetFunction(&kernels[i].function, module, kernels[i].name);
		return kernels[i].function;
	}
	return (void *)host;
}

#ifdef STUB_STATIC
/* The C library's functions by which a static runtime is recognised: it needs them, so do we. */
void stub_needs(void);
void stub_needs(void)
{
	pthread_rwlockattr_t shared;

	pthread_rwlockattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	dlvsym(NULL, "none", "none");
	mkfifo("", 0600);
}
#endif

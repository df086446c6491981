/* build: -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * entry_points forms: asks cuGetProcAddress for every form of every function of the stub driver,
 *	twice (the library is unloaded between), and calls one. Each pointer must be what dlsym gives
 *	for that form's own name. Prints how many there were.
 * entry_points newer: asks a driver that is newer than all tables; prints whose each answer is.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../stubs/driver.h"

typedef int ask(const char *, void **, int, uint64_t, int *);
typedef int ask_before(const char *, void **, int, uint64_t);

static void *library;
static ask *get;
static ask_before *get_before;
static unsigned wrong;

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "entry_points: %s\n", dlerror());
		exit(1);
	}
	return p;
}

/* By dlsym, then by itself: the way of the runtime. */
static void open_driver(void)
{
	void *p;

	library = must(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
	get = (ask *)must(dlsym(library, "cuGetProcAddress_v2"));
	if (get("cuGetProcAddress", &p, 11030, 0, NULL) != 0)
		exit(1);
	get_before = (ask_before *)p;
	if (get_before("cuGetProcAddress", &p, 12000, 0) != 0)
		exit(1);
	get = (ask *)p;
}

/* `real` lies in the stub; its name there says which wrapper is to be given. */
static void check(const struct stub_form *f, uint64_t flags, void *real)
{
	Dl_info info;
	void *p = NULL, *before = NULL;

	if (!dladdr(real, &info) || get(f->name, &p, f->version, flags, NULL) != 0 ||
	    get_before(f->name, &before, f->version, flags) != 0 || p != before ||
	    p != dlsym(library, info.dli_sname)) {
		fprintf(stderr, "%s %d, flags %d: not %s\n", f->name, f->version, (int)flags, info.dli_sname);
		wrong++;
	}
}

static unsigned check_forms(void)
{
	const struct stub_form *f = must(dlsym(library, "stub_forms"));
	unsigned count = 0;

	for (; f->name; f++, count++) {
		check(f, 0, f->plain);
		check(f, 1, f->plain);
		check(f, 2, f->per_thread ? f->per_thread : f->plain);
	}
	return count;
}

static void call_one(void)
{
	int (*synchronize)(void);
	void *p;

	if (get("cuCtxSynchronize", &p, 2000, 0, NULL) != 0)
		exit(1);
	*(void **)&synchronize = p;
	synchronize();
}

static void whose(const char *name)
{
	Dl_info info;
	void *p = NULL;
	int status = -1, result = get(name, &p, 14000, 0, &status);
	const char *file = p && dladdr(p, &info) ? strrchr(info.dli_fname, '/') + 1 : "none";

	printf("%s: %d %d %s\n", name, result, status, file);
}

int main(int argc, char **argv)
{
	unsigned count;

	open_driver();
	if (argc > 1 && strcmp(argv[1], "newer") == 0) {
		whose("cuMemAlloc");
		whose("cuMemFree");
		whose("cuStubNewer");
		whose("cuNothing");
		return 0;
	}
	count = check_forms();
	call_one();
	dlclose(library);
	open_driver();
	count += check_forms();
	call_one();
	printf("%u forms, %u wrong\n", count, wrong);
	return wrong != 0;
}

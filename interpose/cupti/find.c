/* SPDX-License-Identifier: MIT */
/* Looks for libcupti: among what is loaded, beside the CUDA runtime, in Python's packages, on the loader's path. */
#include "find.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define NEWEST 13
#define OLDEST 12
#define PATHS 512	/* bytes of a path */
#define PACKAGES 4	/* folders of Python's packages: the environment's, the user's, the system's */

struct loaded {
	char cupti[PATHS], runtime[PATHS], driver[PATHS];	/* paths; "": not there */
	char packages[PACKAGES][PATHS];			/* folders, with a / at the end; "": no more */
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libcudart.so.13", and what repackagers make of it: "libcudart-c3a75b33.so.12.8.90". */
static bool is_library(const char *name, const char *stem)
{
	size_t length = strlen(stem);

	return strncmp(name, stem, length) == 0 && (name[length] == '.' || name[length] == '-') &&
	       strstr(name, ".so");
}

/* What has a static runtime, as CuPy's modules, still comes from where PyPI's libcupti would be. */
static void note_packages(struct loaded *l, const char *path)
{
	static const char *const names[] = { "/site-packages/", "/dist-packages/" };
	const char *found = NULL;
	size_t length, i;

	for (i = 0; !found && i < sizeof(names) / sizeof(names[0]); i++)
		found = strstr(path, names[i]);
	if (!found)
		return;
	length = (size_t)(found - path) + strlen(names[i - 1]);
	for (i = 0; i < PACKAGES && *l->packages[i]; i++)
		if (strncmp(l->packages[i], path, length) == 0)
			return;
	if (i < PACKAGES && length < PATHS)
		snprintf(l->packages[i], PATHS, "%.*s", (int)length, path);
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *l = data;
	const char *name = file_name(info->dlpi_name);

	(void)size;
	note_packages(l, info->dlpi_name);
	if (is_library(name, "libcupti"))
		snprintf(l->cupti, sizeof(l->cupti), "%s", info->dlpi_name);
	else if (is_library(name, "libcudart"))
		snprintf(l->runtime, sizeof(l->runtime), "%s", info->dlpi_name);
	else if (is_library(name, "libcuda"))
		snprintf(l->driver, sizeof(l->driver), "%s", info->dlpi_name);
	return 0;
}

static int major_of(const char *path)
{
	const char *so = strstr(file_name(path), ".so.");

	return so ? atoi(so + 4) : 0;
}

/*
 * The CUDA that a driver can serve, from its branch: NVIDIA's "CUDA Compatibility", table 1. 0: not known, as of
 * WSL's libcuda.so.1.1. It is not asked itself: it may be what calls us, from within cuInit.
 */
static int driver_major(const struct loaded *l)
{
	char path[PATH_MAX];
	int branch = *l->driver && realpath(l->driver, path) ? major_of(path) : 0;

	return branch >= 580 ? 13 : branch >= 525 ? 12 : branch >= 300 ? 11 : 0;
}

static void *open_in(const char *folder, int length, const char *below, int major)
{
	char path[1024];

	snprintf(path, sizeof(path), "%.*s%slibcupti.so.%d", length, folder, below, major);
	return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

/* Seen from the runtime: toolkits, PyPI's packages of one environment. */
static void *open_beside(const struct loaded *l, int major)
{
	static const char *const beside[] = {
		"", "../../cuda_cupti/lib/", "../extras/CUPTI/lib64/", "../../extras/CUPTI/lib64/",
	};
	int folder = (int)(file_name(l->runtime) - l->runtime);
	void *library = NULL;

	for (size_t i = 0; folder && !library && i < sizeof(beside) / sizeof(beside[0]); i++)
		library = open_in(l->runtime, folder, beside[i], major);
	return library;
}

/* PyPI's: nvidia-cuda-cupti (since 13) and nvidia-cuda-cupti-cu12. */
static void *open_package(const struct loaded *l, int major)
{
	char since_13[32];
	void *library = NULL;

	snprintf(since_13, sizeof(since_13), "nvidia/cu%d/lib/", major);
	for (size_t i = 0; !library && i < PACKAGES && *l->packages[i]; i++) {
		int length = (int)strlen(l->packages[i]);

		library = open_in(l->packages[i], length, since_13, major);
		if (!library)
			library = open_in(l->packages[i], length, "nvidia/cuda_cupti/lib/", major);
	}
	return library;
}

static void *open_of_system(const struct loaded *l, int major)
{
	void *library = open_in("", 0, "", major);	/* the loader's path */
	char toolkit[64];

	(void)l;
	snprintf(toolkit, sizeof(toolkit), "/usr/local/cuda-%d/extras/CUPTI/lib64/", major);
	return library ? library : open_in(toolkit, (int)strlen(toolkit), "", major);
}

/* The nearest one of these majors, the newest of those that are equally near. */
static void *open_nearest(const struct loaded *l, int newest, int oldest)
{
	static void *(*const places[])(const struct loaded *, int) = { open_beside, open_package, open_of_system };
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(places) / sizeof(places[0]); i++)
		for (int major = newest; !library && major >= oldest; major--)
			library = places[i](l, major);
	return library;
}

static void *open_library(void)
{
	struct loaded l = { .cupti = "" };
	int runtime, driver;
	void *library;

	dl_iterate_phdr(look, &l);
	if (*l.cupti)
		return dlopen(l.cupti, RTLD_LAZY | RTLD_NOLOAD);
	runtime = major_of(l.runtime);
	driver = driver_major(&l);
	library = runtime ? open_nearest(&l, runtime, runtime) : NULL;
	return library ? library : open_nearest(&l, driver && driver < NEWEST ? driver : NEWEST, OLDEST);
}

static bool resolve(struct cupti *c, void *library)
{
	struct link_map *map;
	bool all = true;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0)
		snprintf(c->path, sizeof(c->path), "%s", map->l_name);
#define RESOLVE(name, arguments) all &= (c->name = dlsym(library, #name)) != NULL;
#define RESOLVE_OF_OTHERS(name, ...) c->name = dlsym(library, #name);
	CUPTI_OWN_CALLS(RESOLVE)
	CUPTI_OPTIONAL_CALLS(RESOLVE_OF_OTHERS)
	DLT_CUPTI_CALLS(RESOLVE_OF_OTHERS)
	return all && c->cuptiActivityRegisterCallbacks && c->cuptiActivityEnable &&
	       c->cuptiActivityDisable && c->cuptiActivityFlushAll && c->cuptiSetThreadIdType;
}

int cupti_find(struct cupti *c)
{
	void *library = open_library();
	int result = 0;

	memset(c, 0, sizeof(*c));
	if (!library)
		result = -ENOENT;
	else if (!resolve(c, library) || c->cuptiGetVersion(&c->version) != 0)
		result = -ENOSYS;
	else if (!cupti_version_is_known(c->version))
		result = -EPROTO;
	dlerror();	/* nothing of this is for the application */
	return result;
}

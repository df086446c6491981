/* SPDX-License-Identifier: MIT */
/* Looks for libcupti: among what is loaded, beside the CUDA runtime, on the loader's path. */
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

struct loaded {
	char cupti[512], runtime[512], driver[512];	/* paths; "": not there */
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

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *l = data;
	const char *name = file_name(info->dlpi_name);

	(void)size;
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

/* Where a libcupti of this major lies, seen from the runtime: toolkits, PyPI's packages. */
static void *open_major(const struct loaded *l, int major)
{
	static const char *const beside[] = {
		"", "../../cuda_cupti/lib/", "../extras/CUPTI/lib64/", "../../extras/CUPTI/lib64/",
	};
	int folder = (int)(file_name(l->runtime) - l->runtime);
	char path[1024];
	void *library;

	for (size_t i = 0; folder && i < sizeof(beside) / sizeof(beside[0]); i++) {
		snprintf(path, sizeof(path), "%.*s%slibcupti.so.%d", folder, l->runtime, beside[i],
			 major);
		library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		if (library)
			return library;
	}
	snprintf(path, sizeof(path), "libcupti.so.%d", major);
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (library)
		return library;
	snprintf(path, sizeof(path), "/usr/local/cuda-%d/extras/CUPTI/lib64/libcupti.so.%d", major,
		 major);
	return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
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
	library = runtime ? open_major(&l, runtime) : NULL;
	for (int major = NEWEST; !library && major >= OLDEST; major--)
		if (major != runtime && (!driver || major <= driver))
			library = open_major(&l, major);
	return library;
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

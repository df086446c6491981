/* SPDX-License-Identifier: MIT */
/* libdltrace-cupti.so: what the CUDA driver calls, and what libdltrace.so gets of it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "helper.h"
#include "interpose/export.h"
#include "others.h"
#include "session.h"

/* Registered at cuInit, so it runs before anything of CUDA's is taken down. */
static void at_exit(void)
{
	helper_fetch(true);
}

static void begin(const struct dlt_cupti_host *host)
{
	if (!session_init(host))
		return;
	if (helper_start() == 0)
		atexit(at_exit);
	else
		session_stop();
}

static void end(void)
{
	helper_fetch(false);
}

static void after_fork(void)
{
	helper_after_fork();
	session_after_fork();
}

extern const struct dlt_cupti_bridge dlt_cupti_bridge;

DLT_EXPORT const struct dlt_cupti_bridge dlt_cupti_bridge = {
	.version = DLT_CUPTI_VERSION,
	.events = DLT_EVENTS,
	.begin = begin,
	.end = end,
	.after_fork = after_fork,
	.thread_ended = calls_thread_ended,
	.handlers = &others_handlers,
};

/* "libdltrace.so" in the folder of this library. */
static void beside(char *path, size_t size)
{
	Dl_info self;
	const char *slash;
	int folder;

	*path = '\0';
	if (!dladdr(&dlt_cupti_bridge, &self) || !self.dli_fname)
		return;
	slash = strrchr(self.dli_fname, '/');
	folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
	snprintf(path, size, "%.*slibdltrace.so", folder, self.dli_fname);
}

/*
 * The driver calls this in cuInit (CUDA_INJECTION64_PATH). Where libdltrace.so was not preloaded
 * (a child that dropped LD_PRELOAD and kept this variable) there is nothing to do.
 */
DLT_EXPORT int InitializeInjection(void);
DLT_EXPORT int InitializeInjection(void)
{
	char path[1024];
	void *library;
	int (*inject)(void);

	beside(path, sizeof(path));
	library = *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
	inject = library ? dlsym(library, "InitializeInjection") : NULL;
	if (!inject) {
		dlerror();
		return 1;
	}
	/* No tail call: the other side looks who calls. */
	return inject() ? 1 : 0;
}

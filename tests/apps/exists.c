/* SPDX-License-Identifier: MIT */
/*
 * Asks in every way whether functions are there that dltrace wraps, and prints the answers, which
 * must be the same with and without it: exists [PLUGIN...]. Before each dlopen and after it.
 * A plugin has `int plugin_weak(void)` (1: its weak reference to cudaMalloc is set), or none.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

__attribute__((weak)) int cudaMalloc(void **p, size_t size);
__attribute__((weak)) void sgemm_(void);
__attribute__((weak)) void free_sized(void *p, size_t size);
__attribute__((weak)) void GOMP_parallel(void (*function)(void *), void *data, unsigned width,
					 unsigned flags);
__attribute__((weak)) void *malloc(size_t size);

static void ask(const char *name)
{
	const char *error;
	void *p;

	dlerror();
	p = dlsym(RTLD_DEFAULT, name);
	error = dlerror();
	printf(" %s=%s%s", name, p ? "there" : "absent", error ? "" : p ? "" : "(no error)");
}

static void ask_all(const char *when)
{
	static const char *const names[] = {
		"cudaMalloc", "cudaLaunchKernel", "sgemm_", "cblas_dgemm", "GOMP_parallel",
		"malloc", "free_sized", "free_aligned_sized", "__kmpc_fork_call", "dlclose",
	};

	printf("%s:", when);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ask(names[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	printf("weak: cudaMalloc=%d sgemm_=%d free_sized=%d GOMP_parallel=%d malloc=%d\n",
	       cudaMalloc != NULL, sgemm_ != NULL, free_sized != NULL, GOMP_parallel != NULL,
	       malloc != NULL);
	ask_all("start");
	for (int i = 1; i < argc; i++) {
		int global = argv[i][0] == '+';
		void *plugin = dlopen(argv[i] + global, RTLD_NOW | (global ? RTLD_GLOBAL : 0));
		int (*weak)(void) = plugin ? dlsym(plugin, "plugin_weak") : NULL;

		printf("%s: %s", argv[i],
		       plugin ? "loaded" : strstr(dlerror(), "undefined symbol"));
		if (weak)
			printf(" weak=%d", weak());
		printf("\n");
		if (global)
			ask_all(argv[i]);
		if (plugin && !global)
			dlclose(plugin);
	}
	ask_all("end");
	return 0;
}

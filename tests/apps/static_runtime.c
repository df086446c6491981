/* build: -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * static_runtime [STEPS]: loads a plugin that has a CUDA runtime linked in, for itself alone, and
 * lets it work: no symbol of CUDA is to be seen anywhere.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *plugin = dlopen("libstaticplugin.so", RTLD_NOW | RTLD_LOCAL);
	void (*work)(int) = plugin ? (void (*)(int))dlsym(plugin, "work") : NULL;

	if (!work) {
		fprintf(stderr, "static_runtime: %s\n", dlerror());
		return 1;
	}
	work(argc > 1 ? atoi(argv[1]) : 10);
	return 0;
}

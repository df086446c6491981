/* SPDX-License-Identifier: MIT */
/*
 * A program that loads plugins as its arguments say, one after another:
 *	NAME            a label; does nothing
 *	local:PATH global:PATH deep:PATH namespace:PATH      dlopen, or dlmopen
 *	lazy:PATH       local, references bound at first use
 *	work            calls the plugin's work()
 *	close           unloads it
 * Exit status 0; anything that goes wrong is said and ends it with 1.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int flags;
} ways[] = {
	{ "local:", RTLD_NOW | RTLD_LOCAL },
	{ "lazy:", RTLD_LAZY | RTLD_LOCAL },
	{ "global:", RTLD_NOW | RTLD_GLOBAL },
	{ "deep:", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND },
	{ "namespace:", RTLD_NOW | RTLD_LOCAL },
};

static void *check(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "host: %s\n", dlerror());
	exit(1);
}

int main(int argc, char **argv)
{
	void *plugin = NULL;
	void (*work)(void);

	for (int i = 1; i < argc; i++) {
		for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
			size_t length = strlen(ways[w].name);

			if (strncmp(argv[i], ways[w].name, length) != 0)
				continue;
			plugin = check(*argv[i] == 'n' ? dlmopen(LM_ID_NEWLM, argv[i] + length, ways[w].flags)
						       : dlopen(argv[i] + length, ways[w].flags));
		}
		if (strcmp(argv[i], "work") == 0) {
			*(void **)&work = check(dlsym(plugin, "work"));
			work();
		} else if (strcmp(argv[i], "close") == 0) {
			dlclose(plugin);
		}
	}
	return 0;
}

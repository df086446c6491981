/* SPDX-License-Identifier: MIT */
/*
 * fails HOW LIBRARY: asks the library for a batch that is too large (under ulimit -v or prlimit
 * --data), and then, elsewhere,
 *	unchecked	writes into what it got
 *	abort		aborts		exit	ends with status 1
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEPT  (64UL << 20)	/* bytes that are live then */
#define BATCH (100UL * 64 * 224 * 224 * 4 * 100)	/* bytes: a hundred images' activations, and more */

/* Far away from where the block was asked for. */
static __attribute__((noinline)) void use(volatile float *batch)
{
	batch[0] = 1;
}

int main(int argc, char **argv)
{
	void *handle = argc == 3 ? dlopen(argv[2], RTLD_NOW) : NULL;
	void *(*allocate)(size_t) = handle ? dlsym(handle, "_ZN5singa6Device6MallocEm") : NULL;
	const struct timespec pause = { 0, 200000000 };
	void *kept, *batch;

	if (!allocate) {
		fprintf(stderr, "fails: %s\n", dlerror());
		return 2;
	}
	kept = allocate(KEPT);
	if (kept)
		memset(kept, 1, KEPT);
	nanosleep(&pause, NULL);	/* what is live is sampled */
	batch = allocate(BATCH);
	if (batch) {
		fprintf(stderr, "fails: there is room for it\n");
		return 2;
	}
	nanosleep(&pause, NULL);
	if (strcmp(argv[1], "unchecked") == 0)
		use(batch);
	if (strcmp(argv[1], "abort") == 0)
		abort();
	return 1;
}

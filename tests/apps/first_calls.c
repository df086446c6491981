/* build: -Wl,--no-as-needed -Ltests/stubs -l:libcudart.so.13 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * first_calls THREADS LIBRARIES [ROUNDS]: makes as many copies of libfirstcalls.so for each thread in the current
 * folder, loads them, and lets all threads at once call what is in theirs: every CUDA call is the first one of its
 * library. In further rounds each library is unloaded and loaded anew first, and others are looked up.
 * Exit status 1 if one of them says that a call failed.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_barrier_t all;
static int libraries, rounds = 1;

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	struct stat size;

	if (in < 0 || out < 0 || fstat(in, &size) != 0 ||
	    sendfile(out, in, NULL, (size_t)size.st_size) != size.st_size) {
		perror(to);
		exit(1);
	}
	close(in);
	close(out);
}

static int call(void *library)
{
	int (*part)(void);

	*(void **)&part = dlsym(library, "first_calls");
	return part();
}

static int look_up(void)
{
	int (*count)(int *), n;

	dlvsym(RTLD_DEFAULT, "malloc", "GLIBC_2.2.5");
	*(void **)&count = dlsym(RTLD_DEFAULT, "cudaGetDeviceCount");
	return count(&n);
}

static void *calls(void *number)
{
	char (*names)[64] = calloc((size_t)libraries, sizeof(*names));
	void **parts = calloc((size_t)libraries, sizeof(*parts));
	int failed = 0;

	for (int n = 0; n < libraries; n++) {
		snprintf(names[n], sizeof(names[n]), "./part-%ld-%d.so", (long)number, n);
		copy(getenv("FIRST_CALLS"), names[n]);
		parts[n] = dlopen(names[n], RTLD_NOW);
	}
	pthread_barrier_wait(&all);
	for (int round = 0; round < rounds; round++) {
		for (int n = 0; n < libraries; n++) {
			if (round > 0) {
				dlclose(parts[n]);
				parts[n] = dlopen(names[n], n % 2 ? RTLD_NOW : RTLD_LAZY);
				failed |= look_up();
			}
			failed |= call(parts[n]);
		}
	}
	free(parts);
	free(names);
	return failed ? number : NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0, failed = argc < 3;
	pthread_t threads[64];
	void *result;

	libraries = argc > 2 ? atoi(argv[2]) : 0;
	rounds = argc > 3 ? atoi(argv[3]) : rounds;
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (long t = 0; t < count; t++)
		pthread_create(&threads[t], NULL, calls, (void *)(t + 1));
	for (int t = 0; t < count; t++) {
		pthread_join(threads[t], &result);
		failed |= result != NULL;
	}
	return failed;
}

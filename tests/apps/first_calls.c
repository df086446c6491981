/* build: -Wl,--no-as-needed -Ltests/stubs -l:libcudart.so.13 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/*
 * first_calls THREADS LIBRARIES: makes as many copies of libfirstcalls.so for each thread in the current folder, loads
 * them, and lets all threads at once call what is in theirs: every CUDA call is the first one of its library.
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
static int libraries;

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	struct stat size;

	if (in < 0 || out < 0 || fstat(in, &size) != 0 || sendfile(out, in, NULL, (size_t)size.st_size) != size.st_size) {
		perror(to);
		exit(1);
	}
	close(in);
	close(out);
}

static void *calls(void *number)
{
	int (**parts)(void) = calloc((size_t)libraries, sizeof(*parts)), failed = 0;
	char name[64];

	for (int n = 0; n < libraries; n++) {
		snprintf(name, sizeof(name), "./part-%ld-%d.so", (long)number, n);
		copy(getenv("FIRST_CALLS"), name);
		*(void **)&parts[n] = dlsym(dlopen(name, RTLD_NOW), "first_calls");
	}
	pthread_barrier_wait(&all);
	for (int n = 0; n < libraries; n++)
		failed |= parts[n]();
	free(parts);
	return failed ? number : NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0, failed = argc < 3;
	pthread_t threads[64];
	void *result;

	libraries = argc > 2 ? atoi(argv[2]) : 0;
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (long t = 0; t < count; t++)
		pthread_create(&threads[t], NULL, calls, (void *)(t + 1));
	for (int t = 0; t < count; t++) {
		pthread_join(threads[t], &result);
		failed |= result != NULL;
	}
	return failed;
}

# SPDX-License-Identifier: MIT
# Threads that call functions for the first time, all at once, each from libraries of its own: where
# a call goes is asked, and the loaded objects are judged, while other threads list them anew.
. "$top_srcdir/tests/lib.sh"
need gcc

readonly threads=6 libraries=12
cat >part.c <<'E2'
int cudaGetDevice(int *), cudaGetDeviceCount(int *), cudaDriverGetVersion(int *), cudaRuntimeGetVersion(int *);
int cudaGetLastError(void), cudaPeekAtLastError(void), cudaDeviceSynchronize(void), cudaFree(void *);

int part(void)
{
	int n;

	return cudaGetDevice(&n) + cudaGetDeviceCount(&n) + cudaDriverGetVersion(&n) + cudaRuntimeGetVersion(&n) +
	       cudaGetLastError() + cudaPeekAtLastError() + cudaDeviceSynchronize() + cudaFree(0);
}
E2
gcc -shared -fPIC -o part.so part.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"
for t in $(seq $threads); do
	for n in $(seq $libraries); do
		cp part.so "part-$t-$n.so"
	done
done
cat >first.c <<'E2'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t all;
static int libraries;

static void *calls(void *number)
{
	int (**parts)(void) = calloc((size_t)libraries, sizeof(*parts)), failed = 0;

	for (int n = 0; n < libraries; n++) {
		char name[64];

		snprintf(name, sizeof(name), "./part-%ld-%d.so", (long)number, n + 1);
		*(void **)&parts[n] = dlsym(dlopen(name, RTLD_NOW), "part");
	}
	pthread_barrier_wait(&all);
	for (int n = 0; n < libraries; n++)
		failed |= parts[n]();
	free(parts);
	return failed ? number : NULL;
}

int main(int argc, char **argv)
{
	int count = atoi(argv[1]), failed = argc < 3;
	pthread_t threads[64];
	void *result;

	libraries = atoi(argv[2]);
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (long t = 0; t < count; t++)
		pthread_create(&threads[t], NULL, calls, (void *)(t + 1));
	for (int t = 0; t < count; t++) {
		pthread_join(threads[t], &result);
		failed |= result != NULL;
	}
	return failed;
}
E2
gcc -o first first.c -lpthread
for turn in $(seq 20); do
	boxes
	LD_PRELOAD=$DLTRACE_LIB ./first $threads $libraries || fail "turn $turn: exit status $?"
	rm -rf "$DLTRACE_BOX"
done
"$RECORD" -q -o trace -- ./first $threads $libraries || fail "recorded: exit status $?"
"$REPORT" -q -f json trace >report.json
holds "calls of each function" '[.breakdown[] | select(.layer == "runtime")] | group_by(.function) |
	map(map(.calls) | add) == [range(8) | '$((threads * libraries))']'

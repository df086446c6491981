# SPDX-License-Identifier: MIT
# A library that is loaded where another one was before is judged by its own symbols: one with a CUDA runtime inside
# at the place of one without, and the other way round.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >c.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#ifdef INSIDE
int make(const char *name) { return mkfifo(name, 0600); }
int share(pthread_rwlockattr_t *a) { return pthread_rwlockattr_setpshared(a, PTHREAD_PROCESS_SHARED); }
#else
int make(const char *name) { return mkdir(name, 0700); }
int share(pthread_rwlockattr_t *a) { return pthread_rwlockattr_destroy(a); }
#endif
void *look(void *handle) { return dlvsym(handle, "a", "b"); }
C
gcc -shared -fPIC -DINSIDE -o with.so c.c
gcc -shared -fPIC -o without.so c.c
cat >program.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

int cudaGetDevice(int *device), cudaGetDeviceCount(int *count), cudaGetLastError(void);

static const void *place_of(void *handle)
{
	struct link_map *map = NULL;

	return handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_ld : NULL;
}

/* program FIRST SECOND: one after the other at one place; all are judged at a first call of anything. */
int main(int argc, char **argv)
{
	void *first = dlopen(argv[argc - 2], RTLD_NOW), *second;
	const void *place = place_of(first);
	int n, failed = cudaGetDevice(&n);

	dlclose(first);
	failed |= cudaGetDeviceCount(&n);
	second = dlopen(argv[argc - 1], RTLD_NOW);
	failed |= cudaGetLastError();
	if (!place || place_of(second) != place)
		return puts("not at the same place");
	return failed;
}
C
gcc -o program program.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"

for order in "without with" "with without" "with with"; do
	# shellcheck disable=SC2086
	set -- $order
	"$RECORD" -q -o "$1.$2" -- ./program "./$1.so" "./$2.so" || fail "$order: exit status $?"
	"$REPORT" -q -f json -o report.json "$1.$2"
	same "$order" '["with.so"]' "$(jq -c '[.coverage[] | select(.kind == "static cuda runtime").library]' report.json)"
done

# SPDX-License-Identifier: MIT
# What libraries are, by their symbols: a CUDA runtime that has all that a static one needs is no second one; two
# of the three functions that only a static runtime needs together make none; who has a malloc of its own, and who
# refers to functions of CUDA or NCCL that no table has, or looks them up.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >c.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#ifdef RUNTIME
int cudaMalloc(void **p, size_t size) { return !(*p = malloc(size)); }
int cudaNewestOfAll(void) { return 0; }
int __cudaPushCallConfiguration(void) { return 0; }
#endif
#ifdef DEEP
int cuptiSubscribe(void **, void *, void *);
void *deep(void **p) { return cuptiSubscribe(p, NULL, NULL) ? NULL : malloc(1); }
#endif
#ifdef FILES
int cuFileRead(void) { return 0; }
#endif
#ifdef KNOWN
int cuFileRead(void), __cudaPushCallConfiguration(void);
int known(void) { return cuFileRead() + __cudaPushCallConfiguration(); }
#endif
#ifdef OWN_MALLOC
void *malloc(size_t size) { return size ? NULL : NULL; }
#endif
#ifdef NEWEST
int cudaNewestOfAll(void);
int newest(void) { return cudaNewestOfAll(); }
#endif
#ifdef NCCL
int ncclNewestOfAll(void) { return 0; }
int ncclNewerStill(void) { return 0; }
int ncclTeamWorld(void) { return 0; }
#endif
#ifdef NCCL_NEWEST
int ncclNewestOfAll(void);
int newest(void) { return ncclNewestOfAll(); }
#endif
#ifdef NCCL_KNOWN
int ncclTeamWorld(void);
int known(void) { return ncclTeamWorld(); }
#endif
#ifdef NEEDS
void *look(void *handle) { return dlvsym(handle, "a", "b"); }
int pipe_of(const char *name) { return mkfifo(name, 0600); }
#if NEEDS == 3
int share(pthread_rwlockattr_t *a) { return pthread_rwlockattr_setpshared(a, PTHREAD_PROCESS_SHARED); }
#endif
#endif
C
gcc -shared -fPIC -fno-builtin -DRUNTIME -DNEEDS=3 -o libcudart.so.14 -Wl,-soname,libcudart.so.14 c.c
gcc -shared -fPIC -DNEEDS=3 -o three.so c.c
gcc -shared -fPIC -DNEEDS=2 -o two.so c.c
gcc -shared -fPIC -fno-builtin -DOWN_MALLOC -o malloc.so c.c
gcc -shared -fPIC -DNEWEST -o newest.so c.c ./libcudart.so.14 -Wl,-rpath,"$TMP"
gcc -shared -fPIC -DFILES -o libcufile.so.0 -Wl,-soname,libcufile.so.0 c.c
gcc -shared -fPIC -DKNOWN -o known.so c.c ./libcudart.so.14 ./libcufile.so.0 -Wl,-rpath,"$TMP"
gcc -shared -fPIC -fno-builtin -DDEEP -o deep.so c.c "$STUBS/libcupti.so.13" -Wl,-rpath,"$STUBS"
gcc -shared -fPIC -DNCCL -o libnccl.so.9 -Wl,-soname,libnccl.so.9 c.c
gcc -shared -fPIC -DNCCL_NEWEST -o nccl_newest.so c.c ./libnccl.so.9 -Wl,-rpath,"$TMP"
gcc -shared -fPIC -DNCCL_KNOWN -o nccl_known.so c.c ./libnccl.so.9 -Wl,-rpath,"$TMP"
gcc -shared -fPIC -DNCCL -o libnccl-net.so -Wl,-soname,libnccl-net.so c.c
cat >program.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	static const char *const names[] = { "libnccl.so", "ncclNewerStill", "libnccl.so", "ncclTeamWorld",
		"libnccl-net", "ncclNewestOfAll" };
	for (int i = 1; i < argc; i++) {
		void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | (strstr(argv[i], "deep") ? RTLD_DEEPBIND : 0));
		if (!handle)
			return puts(dlerror());
		for (int n = 0; n < 6; n += 2)
			if (strstr(argv[i], names[n]) && !dlsym(handle, names[n + 1]))
				return puts(names[n + 1]);
	}
	return 0;
}
C
gcc -o program program.c
"$RECORD" -q -o run -- ./program ./libcudart.so.14 ./three.so ./two.so ./malloc.so ./newest.so ./known.so ./deep.so \
	./libnccl.so.9 ./nccl_newest.so ./nccl_known.so ./libnccl-net.so
"$REPORT" -q -f json -o report.json run
of() {
	jq -c "[.coverage[] | select(.library == \"$1\") | [.kind, .covered]] | sort" report.json
}
same "a runtime" '[["cuda runtime","symbol"]]' "$(of libcudart.so.14)"
same "a static runtime" '[["static cuda runtime","driver"]]' "$(of three.so)"
same "none" '[]' "$(of two.so)"
same "a malloc of its own" '[["heap","no"]]' "$(of malloc.so)"
same "functions that pass, and those of other libraries" '[]' "$(of known.so)"
same "a heap and a profiler past us" '[["heap","no"],["profiler","no"]]' "$(of deep.so)"
same "a function that no table has" '[["cuda functions","no"]]' "$(of newest.so)"
same "a function of NCCL that no table has" '[["nccl functions","no"]]' "$(of nccl_newest.so)"
same "one of NCCL's that passes" '[]' "$(of nccl_known.so)"
holds "one that was looked up" '[.coverage[] | select(.kind == "nccl function") | .text] ==
	["ncclNewerStill is in no table of dltrace: calls of it are not seen"]'
holds "both are among the limits" '[.limits[] | select(.text | contains("of NCCL"))] | length == 2'
holds "the heap, but for these" '.coverage[] | select(.kind == "heap" and .library == null) | .text | endswith("named below")'

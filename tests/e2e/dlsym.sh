# SPDX-License-Identifier: MIT
# dlsym and dlvsym answer as without dltrace: RTLD_NEXT and RTLD_DEFAULT for the library that asks
# (built without and with optimisation), the text of dlerror(), errno, functions that are not there.
# What is handed out calls what it would have been: with two runtimes, with a library that has a
# function of that name itself, and after one is unloaded and another comes.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >first.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
const char *which(void) { return "first"; }
const char *next_of_first(void)
{
	const char *(*f)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "which");
	return f ? f() : "none";
}
void ask(const char *who, void *handle, const char *name, const char *version)
{
	errno = 77;
	void *p = version ? dlvsym(handle, name, version) : dlsym(handle, name);
	int after = errno;
	const char *error = dlerror();
	printf("%s: %s %s: %s, errno %d, %s\n", who, name, version ? version : "", p ? "there" : "absent", after,
	       error ? error : "no error");
}
C
cat >second.c <<'C'
const char *which(void) { return "second"; }
C
cat >main.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
const char *which(void);
const char *next_of_first(void);
void ask(const char *who, void *handle, const char *name, const char *version);
void own(void *handle, const char *name)
{
	void *p = dlsym(handle, name);
	const char *error = dlerror();
	printf("main: %s: %s, %s\n", name, p ? "there" : "absent", error ? error : "no error");
}
int main(int argc, char **argv)
{
	static const char *const names[] = { "cudaMalloc", "cuInit", "cuNothing", "cudaNothing", "nothing", "which",
		"cuGetProcAddress_v2", "printf", "GOMP_parallel", "" };
	void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	const char *(*f)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "which");

	printf("%s, after main %s, after first %s\n", which(), f ? f() : "none", next_of_first());
	for (int i = 0; i < 10; i++) {
		own(RTLD_DEFAULT, names[i]);
		own(RTLD_NEXT, names[i]);
		own(dlopen(NULL, RTLD_NOW), names[i]);
		ask("default", RTLD_DEFAULT, names[i], NULL);
		ask("next", RTLD_NEXT, names[i], NULL);
		ask("default", RTLD_DEFAULT, names[i], "libcudart.so.12");
		if (handle) {
			ask("handle", handle, names[i], NULL);
			ask("handle", handle, names[i], "libcudart.so.12");
		}
	}
	return 0;
}
C
# each of RTLD_NEXT's users without and with optimisation
for level in 0 2; do
	gcc -O$level -shared -fPIC -o second.so second.c
	gcc -O$level -shared -fPIC -o first.so first.c
	gcc -O$level -o main main.c -Wl,--no-as-needed ./first.so ./second.so
	for library in "" libcuda.so.1 libcudart.so.12 libcudart.so.13; do
		./main ${library:+"$STUBS/$library"} >plain 2>&1
		LD_PRELOAD=$DLTRACE_LIB ./main ${library:+"$STUBS/$library"} >traced 2>&1
		diff plain traced || fail "-O$level, ${library:-nothing} loaded"
		grep -q '^first, after main first, after first second$' plain || fail "the test does not test: $(head -n 3 plain)"
	done
	# linked: addresses are the same, however they are asked for
	cat >same.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int cudaMalloc(void **, unsigned long);
int main(int argc, char **argv)
{
	printf("%d %d\n", dlsym(dlopen(argv[argc - 1], RTLD_NOW), "cudaMalloc") == (void *)cudaMalloc,
	       dlsym(NULL, "cudaMalloc") == (void *)cudaMalloc);
	return 0;
}
C
	gcc -O$level -fPIC -o same same.c "$STUBS/libcudart.so.12" -Wl,-rpath,"$STUBS"
	same "addresses" "1 1" "$(LD_PRELOAD=$DLTRACE_LIB ./same "$STUBS/libcudart.so.12")"
done

# Pointers of two runtimes asked for by one library and called by another.
cat >caller.c <<'C'
int call(int (*f)(void **, unsigned long)) { void *p; return f(&p, 64); }
C
cat >both.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef int (*alloc)(void **, unsigned long);
int call(alloc f);
static alloc get(void *handle)
{
	alloc f = (alloc)dlsym(handle, "cudaMalloc");
	if (!f)
		abort();
	return f;
}
#ifdef OWN	/* a function of that name of its own, which passes on what it is asked */
static alloc behind;
int cudaMalloc(void **p, unsigned long size) { return behind(p, size); }
#endif
int main(int argc, char **argv)
{
	void *a = dlopen(argv[1], RTLD_NOW), *b = dlopen(argv[2], RTLD_NOW);
	alloc fa = get(a), fb = get(b);
	void *p;

	for (int i = 0; i < 3; i++)
		call(fa), fa(&p, 64);
	for (int i = 0; i < 5; i++)
		call(fb), fb(&p, 64);
#ifdef OWN
	behind = fa;
	cudaMalloc(&p, 64);
#endif
	dlclose(b);
	dlclose(a);
	b = dlopen(argv[2], RTLD_NOW);
	fb = get(b);
	for (int i = 0; i < 7; i++)
		call(fb), fb(&p, 64);
	return argc != 3;
}
C
gcc -shared -fPIC -o caller.so caller.c
gcc -o both both.c ./caller.so
gcc -rdynamic -DOWN -o both_own both.c ./caller.so
for program in both both_own; do
	DLTRACE_STUB_REPORT=$TMP/plain.$program ./$program "$STUBS/libcudart.so.12" "$STUBS/libcudart.so.13"
	DLTRACE_STUB_REPORT=$TMP/traced.$program LD_PRELOAD=$DLTRACE_LIB ./$program "$STUBS/libcudart.so.12" "$STUBS/libcudart.so.13"
	cut -d' ' -f 1-3 plain.$program >plain
	cut -d' ' -f 1-3 traced.$program >traced
	diff plain traced || fail "$program: another runtime was called"
	grep -q '^libcudart.so.13 cudaMalloc 14$' plain || fail "the test does not test: $(cat plain)"
done

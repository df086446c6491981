# SPDX-License-Identifier: MIT
# cudaGraphAddNode has an argument more in CUDA 13 than in 12: which one it is is known by the runtime's SONAME, not by
# what its file, its folder or who passes the call on is called. Nothing is followed that is no argument.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >main.c <<'C'
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static void *library;
static void *get(const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return function;
}
int main(int count, char **args)
{
	int (*create)(void **, unsigned), (*make)(void **, void *, unsigned long long), (*launch)(void *, void *);
	int (*add)(void **, void *, void *, void *, void *, void *);
	struct { int type, reserved[3]; char rest[240]; } params = { 0 };	/* a kernel */
	void *graph, *node, *exec, *nonsense = (void *)0x1234;

	library = dlopen(args[2], RTLD_NOW);
	if (count > 3)
		library = dlopen(args[3], RTLD_NOW);
	create = get("cudaGraphCreate");
	add = get("cudaGraphAddNode");
	make = get("cudaGraphInstantiateWithFlags");
	launch = get("cudaGraphLaunch");
	create(&graph, 0);
	for (int i = 0; i < 4; i++)
		if (atoi(args[1]) == 12)
			add(&node, graph, NULL, NULL, &params, nonsense);
		else
			add(&node, graph, NULL, NULL, NULL, &params);
	make(&exec, graph, 0);
	return launch(exec, NULL);
}
C
gcc -o main main.c
mkdir by-name lib.so.13x
ln -s "$STUBS/libcudart.so.12" by-name/libcudart.so
ln -s "$STUBS/libcudart.so.13" by-name/libcudart-13.so
cp "$STUBS/libcudart.so.12" lib.so.13x/
# Passes on, as TensorFlow's own library does.
cat >pass.c <<'C'
#include <dlfcn.h>
#define PASS(name, args, ...) \
int name args { static int (*real)args; if (!real) *(void **)&real = dlsym(dlopen("libcudart.so.12", RTLD_NOW | RTLD_NOLOAD), #name); return real(__VA_ARGS__); }
PASS(cudaGraphCreate, (void **a, unsigned b), a, b)
PASS(cudaGraphAddNode, (void **a, void *b, void *c, void *d, void *e), a, b, c, d, e)
PASS(cudaGraphInstantiateWithFlags, (void **a, void *b, unsigned long long c), a, b, c)
PASS(cudaGraphLaunch, (void *a, void *b), a, b)
C
gcc -shared -fPIC -o libtensorflow_framework.so.2 pass.c -Wl,-soname,libtensorflow_framework.so.2

# counts WHAT ARGUMENT...: four kernels in one graph
counts() {
	what=$1
	shift
	rm -rf run
	"$RECORD" -q -o run -- ./main "$@" || fail "$what: status $?"
	"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
	holds "$what" '[.graphs[] | select(.graph != null) | [.launches, .kernels, .unsure]] == [[1, 4, 0]]'
}
counts "a name without a version" 12 "$TMP/by-name/libcudart.so"
counts "the same of 13" 13 "$TMP/by-name/libcudart-13.so"
counts "a folder that looks like one" 12 "$TMP/lib.so.13x/libcudart.so.12"
counts "passed on" 12 "$STUBS/libcudart.so.12" "$TMP/libtensorflow_framework.so.2"

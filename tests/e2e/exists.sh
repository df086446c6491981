# SPDX-License-Identifier: MIT
# Wrapped functions exist when they really do and not otherwise: weak references, dlsym with its
# dlerror, plugins with weak and strong references; at start and in what is loaded later; nothing
# is said on stderr ("Relink ..."), and the symbol table is read-only again.
. "$top_srcdir/tests/lib.sh"
need gcc
need g++

cat >weak.c <<'C'
__attribute__((weak)) int cudaMalloc(void **, unsigned long);
int plugin_weak(void) { return cudaMalloc != 0; }
C
cat >strong.c <<'C'
int cudaMalloc(void **, unsigned long);
int plugin_strong(void) { return cudaMalloc(0, 1); }
C
cat >atstart.c <<'C'
#include <stdio.h>
__attribute__((weak)) int cudaMalloc(void **, unsigned long);
__attribute__((weak)) void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
static int (*volatile table[])(void **, unsigned long) = { cudaMalloc };
__attribute__((constructor)) static void begin(void)
{
	printf("constructor: cudaMalloc=%d table=%d GOMP_parallel=%d\n", cudaMalloc != 0, table[0] != 0,
	       GOMP_parallel != 0);
}
C
gcc -shared -fPIC -o weak.so weak.c
gcc -shared -fPIC -o strong.so strong.c
gcc -shared -fPIC -o weak12.so weak.c -Wl,--no-as-needed -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
gcc -shared -fPIC -Wl,-z,now -o atstart.so atstart.c
# linked at start with BIND_NOW and really using OpenMP
cat >omp.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void begin(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
	n++;
	printf("OpenMP: %d\n", n);
}
C
gcc -shared -fPIC -fopenmp -Wl,-z,now -o omp.so omp.c

# check NAME PRELOADED-BEFORE PROGRAM...: the same output with and without dltrace, also with all
# references bound at once
check() {
	what=$1 more=$2
	shift 2
	LD_PRELOAD=$more "$@" >plain 2>&1
	LD_PRELOAD="$DLTRACE_LIB $more" "$@" >traced 2>&1
	diff plain traced || fail "$what"
	LD_BIND_NOW=1 LD_PRELOAD="$more" "$@" >plain 2>&1
	LD_BIND_NOW=1 LD_PRELOAD="$DLTRACE_LIB $more" "$@" >traced 2>&1
	diff plain traced || fail "$what, bound at once"
}
check "nothing there" "" "$APPS/exists" ./weak.so ./strong.so ./weak.so
grep -q 'start: cudaMalloc=absent ' traced || fail "the test does not test"
check "a library that is linked at start" "$TMP/atstart.so" "$APPS/exists" ./weak.so
: >linked
for place in 0x71000000 0x7ffb80000000; do
	gcc -shared -fPIC -Wl,-z,now -Wl,-Ttext-segment=$place -o $place.so atstart.c
	cp $place.so elsewhere-$place.so
	printf ' %s' "$TMP/$place.so" "$TMP/elsewhere-$place.so" >>linked
done
check "libraries that are linked for an address, there and elsewhere" "$(cat linked)" "$APPS/exists"
same "their constructors" 4 "$(grep -c 'constructor: cudaMalloc=0 table=0' traced)"
check "CUDA linked at start" "$TMP/atstart.so $STUBS/libcudart.so.12" "$APPS/exists" ./weak.so ./strong.so
grep -q 'constructor: cudaMalloc=1 table=1 GOMP_parallel=0' traced || fail "the test does not test"
check "OpenMP linked at start, BIND_NOW" "$TMP/omp.so" "$APPS/exists" ./weak.so
check "CUDA comes with a plugin" "" "$APPS/exists" ./weak.so ./weak12.so +./weak12.so ./weak.so ./strong.so
grep -q '^./weak12.so: loaded weak=1' traced || fail "the test does not test"
check "CUDA loaded for all" "" "$APPS/exists" "+$STUBS/libcudart.so.13" ./weak.so ./strong.so
# C++'s operators are the C++ library's, or its caller's own, and are absent without one
cat >operator.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
__attribute__((weak)) void *_Znwm(unsigned long);
static void *(*volatile table[])(unsigned long) = { _Znwm };
__attribute__((constructor)) static void begin(void)
{
	Dl_info i;
	void *found = dlsym(RTLD_DEFAULT, "_Znwm");

	printf("operator new: linked=%d table=%d dlsym=%s\n", _Znwm != 0, table[0] != 0,
	       found && dladdr(found, &i) ? i.dli_fname : "none");
}
C
gcc -shared -fPIC -Wl,-z,now -o operator.so operator.c
gcc -shared -fPIC -Wl,-z,now,--no-as-needed -o operator-cxx.so operator.c -l:libstdc++.so.6
echo 'void *operator new(unsigned long) { static char own[64]; return own; }' >own.cc
g++ -shared -fPIC -o own.so own.cc
check "operators of nobody" "$TMP/operator.so" "$APPS/exists"
grep -q 'linked=0 table=0 dlsym=none' traced || fail "the test does not test"
check "operators linked at start" "$TMP/operator-cxx.so" "$APPS/exists"
grep -q 'linked=1 table=1 dlsym=.*libstdc++' traced || fail "the test does not test"
check "a library's own operators" "$TMP/operator-cxx.so $TMP/own.so" "$APPS/exists"
check "operators with a plugin" "" "$APPS/exists" ./operator-cxx.so ./operator.so
check "operators with a plugin for all" "" "$APPS/exists" +./operator-cxx.so ./operator.so

# ctypes of Python before 3.13 crashes where dlsym gives NULL without an error
check "ctypes" "" python3 -c 'import ctypes; print([hasattr(ctypes.CDLL(None), n) for n in ("cudaMalloc", "free_sized", "malloc")])'

LD_PRELOAD=$DLTRACE_LIB cat /proc/self/maps >maps
head -n 1 maps >/dev/null
grep 'libdltrace.so' maps | head -n 1 | grep -q ' r--p ' || fail "the symbol table stays writable"

# SPDX-License-Identifier: MIT
# Kernels that are given back at exit by a jump, as nvcc's code does: two runtimes in one process, each gets
# the handles of its own, also of a library that is unloaded before.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >runtime.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static void *own = (void *)NAME;
void **__cudaRegisterFatBinary(void *binary)
{
	void **handle = malloc(sizeof(*handle));

	*handle = own;
	return handle;
}
void __cudaUnregisterFatBinary(void **handle)
{
	puts(*handle == own ? "its own, of " NAME : "another one's, to " NAME);
	fflush(stdout);
	free(handle);
}
C
cat >plugin.c <<'C'
#include <stdlib.h>
void **__cudaRegisterFatBinary(void *binary);
void __cudaUnregisterFatBinary(void **handle);
static void **handle;
static void gone(void)
{
	__cudaUnregisterFatBinary(handle);
}
static __attribute__((constructor)) void come(void)
{
	handle = __cudaRegisterFatBinary(&handle);
	atexit(gone);
}
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <stddef.h>
int main(int argc, char **argv)
{
	void *first = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *second = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);

	return !first || !second || (argc > 3 && dlclose(first));
}
C
for name in 11 13; do
	gcc -O2 -w -shared -fPIC -DNAME="\"$name\"" -Wl,-soname,libcudart.so.$name -o libcudart.so.$name runtime.c
	gcc -O2 -w -shared -fPIC -o plugin$name.so plugin.c -L. -l:libcudart.so.$name -Wl,-rpath,"$PWD"
done
gcc -w -o main main.c -ldl
objdump -d plugin11.so | grep -q 'jmp.*__cudaUnregisterFatBinary@plt' || skip "the compiler makes a call of it, not a jump"
for unload in "" unload; do
	./main ./plugin11.so ./plugin13.so $unload | sort >expected
	same "without" "its own, of 11,its own, of 13," "$(tr '\n' ',' <expected)"
	LD_PRELOAD=$DLTRACE_LIB ./main ./plugin11.so ./plugin13.so $unload >out || fail "the library alone: status $?"
	sort out | diff expected - || fail "the wrong one, under the library alone"
	rm -rf run
	"$RECORD" -q -o run -- ./main ./plugin13.so ./plugin11.so $unload >out 2>err || fail "status $?: $(cat err)"
	sort out | diff expected - || fail "the wrong one, when recorded"
done
"$REPORT" -q -o report.json run
holds "whose they are" '[.breakdown[] | select(.function == "__cudaUnregisterFatBinary") | .library | sub(".*/"; "")] | sort ==
	["plugin11.so", "plugin13.so"]'

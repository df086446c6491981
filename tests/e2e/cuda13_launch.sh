# SPDX-License-Identifier: MIT
# What CUDA 13's compiler makes of <<<>>>: a kernel's handle is traced back to the program's host
# function, and launches of one shape share one object.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >launch.c <<'C'
#include <stddef.h>
struct dim3 { unsigned x, y, z; };
int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(void *, struct dim3, struct dim3, void **, size_t, void *);
void kernel_one(void) {}
int main(void)
{
	void *kernel;
	struct dim3 grid = { 7, 5, 3 }, block = { 128, 2, 1 };
	__cudaGetKernel(&kernel, (const void *)kernel_one);
	for (int i = 0; i < 10; i++) {
		grid.x = 7 + i % 2;
		__cudaLaunchKernel(kernel, grid, block, NULL, 48, NULL);
	}
	return 0;
}
C
gcc -rdynamic -o launch launch.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"
session_start 'dltrace_*'
LD_PRELOAD=$DLTRACE_LIB ./launch
session_stop
babeltrace2 "$TMP/trace" >text

offset=$(nm launch | sed -n 's/^0*\([0-9a-f]*\) T kernel_one$/\1/p' | tr a-f A-F)
kernel=$(sed -n "s/.*dltrace_proc:object:.* type = 1, id = \([0-9]*\), .* offset = 0x$offset,.*/\1/p" text | head -n 1)
[ -n "$kernel" ] || fail "no kernel at offset 0x$offset: $(grep 'type = 1' text)"
shape=$(sed -n "s/.*dltrace_proc:object:.* type = 2, id = \([0-9]*\), .*\[0\] = $kernel, \[1\] = 7, \[2\] = 5, \[3\] = 3, \[4\] = 128, \[5\] = 2, \[6\] = 1, \[7\] = 48 .*/\1/p" text | head -n 1)
[ -n "$shape" ] || fail "no shape of that kernel: $(grep 'type = 2' text)"
same "launches of that shape" 5 "$(grep -c "dltrace_cuda:launch.* shape = $shape," text)"
same "shapes" 2 "$(grep 'dltrace_proc:object:.* type = 2' text | grep -o ' id = [0-9]*' | sort -u | wc -l)"

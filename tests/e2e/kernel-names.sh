# SPDX-License-Identifier: MIT
# Kernels have their mangled names, whichever way they come: registered by the program as CUDA's
# compiler does it, by a handle of CUDA 13, by name from a library or a module, with names that are
# gone after the call. Each thread's device, and a stream's, is in the events.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >names.c <<'C'
#include <stddef.h>
#include <stdio.h>
#include <string.h>
struct dim3 { unsigned x, y, z; };
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaLibraryGetKernel(void **, void *, const char *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleUnload(void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cudaSetDevice(int);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaDeviceSynchronize(void);
int cudaMalloc(void **, size_t);
static int one, two, three;
static const struct dim3 grid = { 2, 3, 4 }, block = { 64, 1, 1 };
int main(void)
{
	void **binary = __cudaRegisterFatBinary(NULL), *kernel, *stream, *p;
	char name[64];

	__cudaRegisterFunction(binary, (char *)&one, "one", "_Z3onePfi", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(binary, (char *)&two, "two", "_Z3twoIfLi4EEvPT_", -1, NULL, NULL, NULL, NULL, NULL);
	cudaSetDevice(3);
	cudaStreamCreateWithFlags(&stream, 1);
	cudaMalloc(&p, 4096);
	cudaLaunchKernel(&one, grid, block, NULL, 0, stream);
	__cudaGetKernel(&kernel, &two);
	__cudaLaunchKernel(kernel, grid, block, NULL, 0, NULL);
	cudaLaunchKernel(&three, grid, block, NULL, 0, NULL);	/* nobody named it */
	strcpy(name, "_ZN3lib5threeEv");
	cudaLibraryGetKernel(&kernel, NULL, name);
	memset(name, 'x', sizeof(name) - 1);
	cudaLaunchKernel(kernel, grid, block, NULL, 0, stream);
	memset(name, 'y', 63);
	name[63] = 0;
	cuModuleGetFunction(&kernel, NULL, name);
	memset(name, 'z', 63);
	cuLaunchKernel(kernel, 5, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
	/* its module goes, and another one's kernel has its handle */
	cuModuleUnload(NULL);
	cuModuleGetFunction(&kernel, NULL, name);
	cuLaunchKernel(kernel, 5, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
	cuModuleGetFunction(&kernel, NULL, name);
	cuLaunchKernel(kernel, 5, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
	cudaSetDevice(0);
	cudaDeviceSynchronize();
	return 0;
}
C
gcc -o names names.c -L"$STUBS" -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,"$STUBS"
session_start 'dltrace_*'
LD_PRELOAD=$DLTRACE_LIB ./names
session_stop
babeltrace2 "$TMP/trace" >text

objects() {
	grep "dltrace_proc:object:.* type = $1," text
}
same "names" "$(printf '%s\n' '' _Z3onePfi _Z3twoIfLi4EEvPT_ _ZN3lib5threeEv "$(printf 'y%.0s' $(seq 63))" "$(printf 'z%.0s' $(seq 63))")" \
	"$(objects 1 | sed -n 's/.* name = "\([^"]*\)".*/\1/p' | LC_ALL=C sort -u)"
stream=$(objects 3 | sed -n 's/.* id = \([0-9]*\), .*\[0\] = 1, \[1\] = 0, \[2\] = 3 .*/\1/p')
[ -n "$stream" ] || fail "no stream of device 3: $(objects 3)"
for event in alloc stream; do
	grep "dltrace_cuda:$event:" text | grep -q ' device = 3 ' || fail "no $event on device 3: $(grep "dltrace_cuda:$event:" text)"
done
grep 'dltrace_cuda:sync:' text | grep -q ' device = 0 ' || fail "the wait is not on device 0"

# The report: by kernel, demangled; a host function that nobody named by its place.
"$REPORT" -q -f json -o report.json "$TMP/trace" || [ $? = 1 ]
holds "kernels" '[.kernels[] | select(.mangled // "y" | test("^[yz]") | not) | [.kernel, .mangled, .launches, .grid, .block]] | sort ==
	[["lib::three()", "_ZN3lib5threeEv", 1, "2x3x4", "64x1x1"], ["one(float*, int)", "_Z3onePfi", 1, "2x3x4", "64x1x1"],
	 ["void two<float, 4>(float*)", "_Z3twoIfLi4EEvPT_", 1, "2x3x4", "64x1x1"]]'
holds "a name that was gone" '[.kernels[] | select((.kernel | startswith("yyyy")) and .grid == "5x1x1")] | length == 1'
holds "a handle that another kernel has got" '[.kernels[] | select(.kernel | startswith("zzzz")) | .launches] == [2]'
holds "... and had" '[.kernels[] | select(.kernel | startswith("yyyy")) | .launches] | add == 1'
holds "unnamed" '[.kernels[] | select(.mangled == null)] | length == 1 and .[0].library == "names" and (.[0].kernel | startswith("+0x"))'
holds "the program has them" '[.kernels[] | select(.library == "names")] | length == 3'
"$REPORT" -q "$TMP/trace" >text.out || [ $? = 1 ]
grep -q '^  two<float, 4>  ' text.out || fail "no kernel in the text report: $(cat text.out)"

# SPDX-License-Identifier: MIT
# What nvcc makes, with the real runtime linked in or beside it, fails without a driver exactly as
# without dltrace: by the runtime, which looks for the driver, and by whoever asks for its names.
. "$top_srcdir/tests/lib.sh"

for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
	[ -n "$cuda" ] && [ -x "$cuda/bin/nvcc" ] && break
	cuda=
done
[ -n "$cuda" ] || skip "no nvcc"
! ldconfig -p | grep -q 'libcuda\.so\.1' || skip "there is a driver"

cat >program.cu <<'C'
#include <cstdio>
#include <dlfcn.h>
#include <cuda_runtime.h>
__global__ void add(int *p) { p[0]++; }
int main()
{
	void *p = nullptr, *f = nullptr;
	cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSuccess;
	int count = -1;
	cudaError_t e = cudaGetDeviceCount(&count);
	printf("count %d %s %d\n", (int)e, cudaGetErrorString(e), count);
	e = cudaMalloc(&p, 64);
	printf("malloc %d %p\n", (int)e, p);
	add<<<1, 1>>>((int *)p);
	printf("launch %d\n", (int)cudaGetLastError());
	e = cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 12000, cudaEnableDefault, &status);
	printf("entry %d %d %p\n", (int)e, (int)status, f);
	f = dlopen("libcuda.so.1", RTLD_NOW);
	printf("handle %p %s\n", f, dlerror());
	printf("default %d\n", dlsym(RTLD_DEFAULT, "cuInit") != nullptr);
	return 7;
}
C
for kind in static shared; do
	"$cuda/bin/nvcc" -cudart $kind -o program program.cu -ldl -Xlinker -rpath -Xlinker "$cuda/lib64" 2>nvcc.txt ||
		skip "nvcc cannot make programs here: $(head -n 1 nvcc.txt)"
	status=0
	./program >plain 2>&1 || status=$?
	same "$kind: status" 7 $status
	grep -q '^count \(35\|100\) ' plain || fail "the test does not test: $(cat plain)"
	status=0
	LD_PRELOAD=$DLTRACE_LIB ./program >traced 2>&1 || status=$?
	same "$kind: status under dltrace" 7 $status
	diff plain traced || fail "$kind runtime: another output"
	status=0
	"$RECORD" -q -o run.$kind -- ./program >traced 2>&1 || status=$?
	same "$kind: status recorded" 7 $status
	diff plain traced || fail "$kind runtime: another output when recorded"
done

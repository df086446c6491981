# SPDX-License-Identifier: MIT
# What is launched and copied inside a call of NCCL or an OpenMP region is the GPU's work as any: each kernel is
# counted, once, whether the runtime goes to the driver or not; the time is the outer call's alone.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq
holds() {
	jq -e "$2" report.json >/dev/null || fail "$1: $(jq -c '[.kernels, .breakdown[] | select(.layer != "heap")]' report.json)"
}

cat >nccl.c <<'C'
#include <stddef.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
static const char name[] = "reduces";
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream)
{
	for (int i = 0; i < 2; i++)
		cudaLaunchKernel(name, (struct dim3){ 1, 1, 1 }, (struct dim3){ 32, 1, 1 }, NULL, 0, stream);
	return cudaMemcpyAsync(to, from, 4096, 3, stream);
}
C
cat >work.c <<'C'
#include <stddef.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaDeviceSynchronize(void);
int ncclAllReduce(const void *, void *, size_t, int, int, void *, void *);
static const char name[] = "works";
static void launch(void)
{
	cudaLaunchKernel(name, (struct dim3){ 1, 1, 1 }, (struct dim3){ 64, 1, 1 }, NULL, 0, NULL);
}
int main(void)
{
	void *p;

	cudaMalloc(&p, 8192);
	for (int i = 0; i < 7; i++)
		launch();
	for (int i = 0; i < 10; i++)
		ncclAllReduce(p, (char *)p + 4096, 1024, 7, 0, NULL, NULL);
	#pragma omp parallel num_threads(1)
	for (int i = 0; i < 3; i++)
		launch();
	return cudaDeviceSynchronize();
}
C
gcc -shared -fPIC -o libnccl.so.2 nccl.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS" -Wl,-soname,libnccl.so.2
gcc -fopenmp -o work work.c ./libnccl.so.2 -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$TMP" -Wl,-rpath,"$STUBS"

export DLTRACE_STUB_GPU_NS=20000
for over in "" 1; do
	rm -rf run truth
	env ${over:+DLTRACE_STUB_OVER=1} DLTRACE_STUB_GPU_TRUTH="$TMP/truth" "$RECORD" -q --gpu=activity -o run -- ./work
	"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
	same "kernels that ran" 30 "$(grep -c '^0 ' truth)"
	holds "kernels that were launched${over:+, over the driver}" '[.kernels[].launches] | add == 30'
	holds "outermost launches" '[.breakdown[] | select(.function == "cudaLaunchKernel" and .calls > 0) | .outer_calls // .calls] | add >= 7'
	holds "the reductions" '[.breakdown[] | select(.function == "ncclAllReduce")] | length == 1 and .[0].calls == 10 and
		.[0].nested_ns > 0 and .[0].nested_ns <= .[0].outer_ns'
	"$REPORT" --verify run >verify.txt || fail "$(grep -A2 '✗' verify.txt)"
	grep -q '✓ .*GPU' verify.txt || fail "nothing on the GPU was checked: $(grep '[✓–]' verify.txt)"
done

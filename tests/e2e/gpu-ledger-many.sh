# SPDX-License-Identifier: MIT
# More GPUs and libraries than the ledger has rows for: each byte is counted once, by the process and by the report,
# at both levels; what the last libraries hold is other libraries'. A trace of that agrees with itself.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >library.c <<'C'
#include <stddef.h>
int cudaMalloc(void **, size_t);
int cudaHostAlloc(void **, size_t, unsigned);
int cudaFree(void *);
void ask(void);
void ask(void)
{
	void *p;

	cudaMalloc(&p, 3000);
	cudaFree(p);
	cudaMalloc(&p, 1000);
	cudaHostAlloc(&p, 10, 0);
}
C
cat >many.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int cudaSetDevice(int);
int main(void)
{
	char name[40];

	for (int i = 0; i < 20; i++) {
		void (*ask)(void);
		void *library;

		snprintf(name, sizeof(name), "./lib%d.so", i);
		library = dlopen(name, RTLD_NOW);
		*(void **)&ask = library ? dlsym(library, "ask") : NULL;
		for (int device = 0; ask && device < 16; device++) {
			cudaSetDevice(device);
			ask();
		}
	}
	return 0;
}
C
gcc -shared -fPIC -o lib0.so library.c -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	cp lib0.so lib$i.so
done
gcc -o many many.c -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
for level in summary calls; do
	"$RECORD" -q -l $level -o $level -- ./many
	"$REPORT" -q -o report.json $level || [ $? = 1 ]
	same "$level: live, allocated, allocations, frees by kind" '[[320000,1280000,640,320],[3200,3200,320,0]]' "$(jq -c '[
		.gpu_memory | group_by(.kind)[] | [(map(.live_bytes) | add), (map(.allocated_bytes) | add),
		(map(.allocations) | add), (map(.frees) | add)]]' report.json)"
	same "$level: by device" '[20000,22000]' "$(jq -c '[.gpu[] | select(.device != null) | .live_bytes, .peak_bytes] | unique' report.json)"
	holds "$level: others" '[.gpu_memory[] | select(.library == "other libraries")] | length > 16'
	holds "$level: libraries of their own" '[.gpu_memory[] | select(.library == "lib9.so")] | length == 32'
	holds "$level: nothing is missing" '[.limits[] | select(.text | contains("no room in the ledger"))] == []'
	"$REPORT" --verify $level >certificate || fail "$level: $(cat certificate)"
done
holds "the curve" '[.series[] | select(.name == "gpu_reserved_bytes" and .process != null)][0].points | map(.[1]) | max == 322000'

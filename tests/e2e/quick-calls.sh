# SPDX-License-Identifier: MIT
# CUDA's functions that ask for what is at hand, by the thousand: all are counted, failures too, few are timed; what the
# runtime asks of the driver is inside, and no more time than the whole; what comes by longjmp, from a thread of its own,
# or while another call is timed disturbs nothing.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >driver.c <<'C'
#include <setjmp.h>
static unsigned long asked;
jmp_buf *dlt_test_back;
int cuCtxGetDevice_v2(int *device, void *context)
{
	if (dlt_test_back)
		longjmp(*dlt_test_back, 1);
	*device = 0;
	return ++asked % 100 ? 0 : 201;
}
int cuCtxSynchronize(void) { return 0; }
C
cat >runtime.c <<'C'
int cuCtxGetDevice_v2(int *, void *);
int cudaGetDevice(int *device) { return cuCtxGetDevice_v2(device, 0); }
int cudaGetLastError(void) { return 0; }
int cudaDeviceSynchronize(void)
{
	int device;

	for (int i = 0; i < 50; i++)
		cuCtxGetDevice_v2(&device, 0);
	return 0;
}
C
cat >main.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
int cudaGetDevice(int *);
int cudaGetLastError(void);
int cudaDeviceSynchronize(void);
extern jmp_buf *dlt_test_back;
static jmp_buf back;
static void *ask(void *failed)
{
	int device;

	for (int i = 0; i < 50000; i++)
		*(int *)failed += cudaGetDevice(&device) != 0;
	return failed;
}
int main(void)
{
	static volatile int i;
	int failed = 0, device;
	pthread_t thread;

	ask(&failed);
	pthread_create(&thread, NULL, ask, &failed);
	pthread_join(thread, NULL);
	for (i = 0; i < 100; i++) {	/* at places that no period of skipping meets */
		for (int j = 0; j < 199 % (i + 30); j++)
			cudaGetLastError();
		dlt_test_back = &back;
		if (!setjmp(back))
			cudaGetDevice(&device);
		dlt_test_back = NULL;
		cudaGetLastError();
	}
	cudaDeviceSynchronize();
	for (i = 0; i < 10000; i++)
		cudaGetLastError();
	return failed != 1000;
}
C
gcc -O1 -shared -fPIC -o libcuda.so.1 -Wl,-soname,libcuda.so.1 driver.c
gcc -O1 -shared -fPIC -o libcudart.so.13 -Wl,-soname,libcudart.so.13 runtime.c -L. -l:libcuda.so.1 -Wl,-rpath,"$TMP"
gcc -O1 -pthread -o main main.c -L. -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,"$TMP"
errors=$(python3 -c 'print(sum(199 % (i + 30) for i in range(100)) + 100 + 10000)')

"$RECORD" -q --require -o trace -- ./main
"$REPORT" -q trace -o "$TMP/r.json"
sum() { json "sum(b['$2'] or 0 for b in rows('breakdown', function='$1'))"; }
# Those that did not return count where they were not timed.
between() { [ "$2" -le "$4" ] && [ "$4" -le "$3" ] || fail "$1: $4, not $2 to $3"; }
between "all are counted" 100000 100100 "$(sum cudaGetDevice calls)"
same "all that fail" 1000 "$(sum cudaGetDevice failed)"
between "what they ask of the driver" 100050 100150 "$(sum cuCtxGetDevice_v2 calls)"
same "what fails there" 1000 "$(sum cuCtxGetDevice_v2 failed)"
same "is inside of them" 0 "$(sum cuCtxGetDevice_v2 outer_ns)"
same "one after another, too" "$errors" "$(sum cudaGetLastError calls)"
for function in cudaGetDevice cuCtxGetDevice_v2; do
	untimed=$(sum $function untimed)
	[ "$untimed" -gt 80000 ] || fail "only $untimed of 100000 calls of $function were not timed"
done
json 'all(b["nested_ns"] <= b["total_ns"] for b in r["breakdown"]) and sum(b["nested_ns"] for b in rows("breakdown", function="cudaGetDevice")) > 0' |
	grep -q True || fail "times of what is inside: $(json 'r["breakdown"]')"
json 'row("breakdown", function="cudaDeviceSynchronize")["nested_ns"] > 0' | grep -q True || fail "none in a call that is timed"
same "the limits say it" True "$(json 'any(l["kind"] == "untimed" for l in r["limits"])')"
"$REPORT" --verify trace >said || fail "$(cat said)"

# One that fails and is timed is an event, however short it is: the report can say when, and with which error.
"$REPORT" --dump trace | grep -q 'dltrace_cuda:other .*duration=[1-9][0-9]\{1,2\} result=201' || fail "no event of a short one that failed"

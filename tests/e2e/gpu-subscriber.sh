# SPDX-License-Identifier: MIT
# A profiler that is a subscriber of its own (CUPTI 13.2 and later), whose way of enabling CUPTI does
# not let be mixed with ours, is told the same with and without --gpu=activity; its turn is a gap,
# and afterwards we are told again. And CUPTI gets a buffer for each of many threads.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

export DLTRACE_STUB_GPU_NS=10000
# WORDS, kernels that are ours
check() {
	rm -rf trace # shellcheck disable=SC2086
	"$APPS/gpu_subscriber" $1 >without || fail "without: $?" # shellcheck disable=SC2086
	"$RECORD" -q --gpu=activity -o trace -- "$APPS/gpu_subscriber" $1 >with || fail "with: $?"
	diff without with || fail "$1: the profiler is told something else (> with us)"
	events trace >text
	same "$1: kernels of the rounds that were ours" "$2" "$(grep -c 'dltrace_gpu:kernel:' text)"
	grep -q 'dltrace_gpu:gap:.* reason = 4, kinds = 63, .*end = [1-9]' text || fail "$1: its turn is no gap"
	grep 'dltrace_gpu:gap:.* reason = [36],' text && fail "$1: refused, or records were lost"
	"$REPORT" -q -o report.json trace || [ $? = 1 ]
	holds "$1: said in the limits" '[.limits[] | select(.text | test("work from .* is missing .another profiler has CUPTI.: kernels, "))] | length == 1'
	:
}
check "" 200
check chosen 200
check pauses 200
check "pauses chosen" 200
check early 100
check "early pauses chosen" 100

rm -rf trace
STUB_CUPTI_THREADS=300 "$RECORD" -q --gpu=activity -o trace -- "$APPS/gpu_work" >/dev/null || fail "many threads: $?"
events trace >text
grep 'dltrace_gpu:gap:.* reason = 6,' text && fail "CUPTI was refused a buffer"
grep -q 'dltrace_gpu:kernel:' text || fail "no kernels"

# One that was loaded with RTLD_DEEPBIND goes past us; the report says so.
cat >deep.c <<'C'
int cuptiActivityFlushAll(unsigned flag);
int cudaDeviceSynchronize(void);
int work(void) { cudaDeviceSynchronize(); return cuptiActivityFlushAll(0); }
C
cat >host.c <<'C'
#include <dlfcn.h>
int main(void)
{
	void *plugin = dlopen("./deep.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : 0;
	return work ? work() : 1;
}
C
${CC:-cc} -shared -fPIC -o deep.so deep.c -L"$STUBS" -l:libcudart.so.13 -l:libcupti.so.13 -Wl,-rpath,"$STUBS"
${CC:-cc} -D_GNU_SOURCE -o host host.c
rm -rf trace
"$RECORD" -q -o trace -- ./host || fail "deep: $?"
"$REPORT" -q -o report.json trace || [ $? = 1 ]
holds "a profiler past us" 'any(.coverage[]; .kind == "profiler" and .covered == "no" and .library == "deep.so")'

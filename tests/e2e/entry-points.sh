# SPDX-License-Identifier: MIT
# cuGetProcAddress, asked for by dlsym and by itself, gives our wrapper of the right form of every
# driver function, by version and by flags, also after the driver was unloaded. What no table has
# goes through untouched, and the report names it; a form that may be a newer one too.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

"$APPS/entry_points" forms >plain || fail "the stub driver does not agree with itself"
"$RECORD" -q -o run -- "$APPS/entry_points" forms >traced
diff plain traced || fail "other forms than without dltrace"
[ "$(cut -d' ' -f 1 plain)" -gt 1000 ] || fail "the test does not test: $(cat plain)"
"$REPORT" -q -f json run >report.json
holds "the call after the unload" '[.breakdown[] | select(.function == "cuCtxSynchronize") | .calls] == [2]'
holds "all is known" '[.. | strings | select(contains("no table"))] == []'

DLTRACE_STUB_CUDA=14000 "$RECORD" -q -o newer -- "$APPS/entry_points" newer >traced
cat >wanted <<'T'
cuMemAlloc: 0 0 libdltrace.so
cuMemFree: 0 0 libcuda.so.1
cuStubNewer: 0 0 libcuda.so.1
cuNothing: 500 1 none
T
diff wanted traced || fail "whose functions are handed out"
"$REPORT" -q -f json newer >report.json
holds "what no table has" '[.. | strings | select(contains("cuStubNewer") and contains("cuMemFree"))] | length > 0'

# A library that exports trampolines to the driver, as TensorFlow does: each call is one.
cat >trampolines.c <<'C'
#include <dlfcn.h>
static void *driver(void)
{
	static void *handle;
	if (!handle)
		handle = dlopen("libcuda.so.1", RTLD_NOW);
	return handle;
}
int cuMemAlloc_v2(unsigned long long *p, unsigned long size)
{
	static int (*real)(unsigned long long *, unsigned long);
	if (!real)
		real = (int (*)(unsigned long long *, unsigned long))dlsym(driver(), "cuMemAlloc_v2");
	return real(p, size);
}
int cuMemFree_v2(unsigned long long p)
{
	static int (*real)(unsigned long long);
	if (!real)
		real = (int (*)(unsigned long long))dlsym(driver(), "cuMemFree_v2");
	return real(p);
}
void work(void)
{
	unsigned long long p;
	for (int i = 0; i < 10; i++) {
		cuMemAlloc_v2(&p, 4096);
		cuMemFree_v2(p);
	}
}
C
cat >main.c <<'C'
int cuMemAlloc_v2(unsigned long long *p, unsigned long size);
void work(void);
int main(void)
{
	unsigned long long p;
	cuMemAlloc_v2(&p, 64);
	work();
	return 0;
}
C
for flags in "" -Wl,-Bsymbolic; do
	gcc -shared -fPIC $flags -o libtrampolines.so trampolines.c -Wl,-rpath,"$STUBS"
	gcc -o main main.c ./libtrampolines.so
	rm -rf stub trampolines
	DLTRACE_STUB_REPORT=$TMP/stub "$RECORD" -q -o trampolines -- ./main
	awk '{ print $2, $3 }' stub | sort >wanted
	"$REPORT" -q -f json trampolines >report.json
	jq -r '[.breakdown[] | select(.layer == "driver")] | group_by(.function)[] |
		"\(.[0].function) \(map(.calls) | add)"' report.json | sort >seen
	diff wanted seen || fail "trampolines $flags: (< stub, > report)"
	grep -q '^cuMemAlloc_v2 11$' wanted || fail "the test does not test"
done
